//! `enum`: the classes in [`members`] and [`flags`], how a class body becomes members in [`make`], what the class
//! itself can do (`Color(1)`, `Color['RED']`, iteration) in [`meta`].

mod flags;
mod make;
mod members;
mod meta;

use super::support::{add_class, classes, row};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "enum",
    doc: "Enumerations.",
    functions: &[
        row("unique", "(enumeration)", "A class decorator that refuses aliases.", meta::unique),
        row("verify", "(*checks)", "A class decorator for the checks UNIQUE, CONTINUOUS, NAMED_FLAGS.", meta::verify),
        row("global_enum", "(cls)", "Exports the members to the module.", |_, args| Ok(args.get(0).clone())),
        row("show_flag_values", "(value)", "The powers of two in a value.", flags::show_flag_values),
    ],
    populate: |interp, names| {
        let all = EnumClasses::of(interp);
        for class in [&all.meta, &all.base, &all.repr_enum, &all.int_enum, &all.str_enum, &all.flag, &all.int_flag] {
            add_class(names, class);
        }
        names.insert("EnumMeta".into(), Value::Class(all.meta.clone()));
        for table in [&AUTO, &MEMBER, &NON_MEMBER] {
            add_class(names, &interp.native_class(table));
        }
        names.insert("property".into(), Value::Class(interp.types().property.clone()));
        for boundary in ["STRICT", "CONFORM", "EJECT", "KEEP", "CONTINUOUS", "NAMED_FLAGS", "UNIQUE"] {
            names.insert(boundary.into(), Value::str(boundary.to_lowercase()));
        }
    },
};

/// The classes of the module.
#[derive(Clone)]
struct EnumClasses {
    meta: Rc<Class>,
    base: Rc<Class>,
    repr_enum: Rc<Class>,
    int_enum: Rc<Class>,
    str_enum: Rc<Class>,
    flag: Rc<Class>,
    int_flag: Rc<Class>,
}

impl EnumClasses {
    fn of(interp: &Interp) -> EnumClasses {
        let types = interp.types();
        let meta = interp.native_class_full(&meta::ENUM_TYPE, std::slice::from_ref(&types.type_), None);
        let base = interp.native_class_full(&members::ENUM, &[], Some(meta.clone()));
        let repr_enum = interp.native_class_with(&members::REPR_ENUM, std::slice::from_ref(&base));
        let flag = interp.native_class_with(&flags::FLAG, std::slice::from_ref(&base));
        EnumClasses {
            int_enum: interp.native_class_with(&members::INT_ENUM, &[types.int.clone(), repr_enum.clone()]),
            str_enum: interp.native_class_with(&members::STR_ENUM, &[types.str.clone(), repr_enum.clone()]),
            int_flag: interp.native_class_with(&flags::INT_FLAG, &[types.int.clone(), repr_enum.clone(), flag.clone()]),
            meta,
            base,
            repr_enum,
            flag,
        }
    }
}

/// `enum.auto()`: a value to be chosen when the class is made.
struct Auto {
    value: RefCell<Value>,
}

static AUTO: NativeClass = NativeClass {
    name: "auto",
    module: "enum",
    doc: "auto(): the next value.",
    methods: &[],
    properties: &[],
    construct: Some(|_, _, _| Ok(Value::object(Auto { value: RefCell::new(Value::Unset) }))),
    instance_check: None,
};

impl Object for Auto {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&AUTO)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "value").then(|| self.value.borrow().clone()))
    }
}

/// `enum.member(x)` and `enum.nonmember(x)`.
struct Marked {
    value: Value,
    is_member: bool,
}

static MEMBER: NativeClass = NativeClass {
    name: "member",
    module: "enum",
    doc: "member(value): makes a member of what would not be one.",
    methods: &[],
    properties: &[],
    construct: Some(|interp, _, args| mark(interp, args, true)),
    instance_check: None,
};

static NON_MEMBER: NativeClass = NativeClass {
    name: "nonmember",
    module: "enum",
    doc: "nonmember(value): keeps a value from becoming a member.",
    methods: &[],
    properties: &[],
    construct: Some(|interp, _, args| mark(interp, args, false)),
    instance_check: None,
};

fn mark(interp: &Interp, args: crate::call::CallArgs, is_member: bool) -> PyResult<Value> {
    let form = const { &super::support::form("__init__", "(value)") };
    let [value] = super::support::arguments(interp, form, args)?.take();
    Ok(Value::object(Marked { value, is_member }))
}

impl Object for Marked {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if self.is_member { &MEMBER } else { &NON_MEMBER })
    }
}

/// `_value_` or `_name_` of a member.
fn slot(member: &Value, name: &str) -> Value {
    match member {
        Value::Instance(instance) => instance.fields.borrow().get(name).cloned().unwrap_or(Value::None),
        _ => Value::None,
    }
}

fn set_slot(member: &Value, name: &str, value: Value) {
    if let Value::Instance(instance) = member {
        instance.fields.borrow_mut().insert(name.into(), value);
    }
}

/// The members by name, aliases included, in order of definition; `None` for a class without members.
fn member_map(class: &Rc<Class>) -> Option<Vec<(Rc<str>, Value)>> {
    match class.namespace.borrow().get("_member_map_") {
        Some(Value::Dict(map)) => Some(
            map.borrow()
                .iter()
                .filter_map(|(name, member)| Some((super::support::text(name)?, member.clone())))
                .collect(),
        ),
        _ => None,
    }
}

/// The members in order, without aliases.
fn members_of(interp: &Interp, class: &Rc<Class>) -> PyResult<Vec<Value>> {
    let names = class.namespace.borrow().get("_member_names_").cloned();
    let map = class.namespace.borrow().get("_member_map_").cloned();
    match (names, map) {
        (Some(names), Some(map)) => interp.collect(&names)?.iter().map(|name| interp.get_item(&map, name)).collect(),
        _ => Ok(Vec::new()),
    }
}

fn is_enum_class(interp: &Interp, class: &Rc<Class>) -> bool {
    class.is_subclass(&EnumClasses::of(interp).base)
}

/// A new member of `class`, not registered: what `object.__new__` or `int.__new__` makes.
fn blank_member(class: &Rc<Class>, payload: Value) -> Value {
    classes::instance(class, payload)
}

/// The argument that every method of this module has first.
fn receiver(args: &Arguments) -> &Value {
    args.get(0)
}
