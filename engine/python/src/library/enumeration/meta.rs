//! `EnumType`: what enum classes themselves can do, and the decorators for them.

use super::super::support::{ClassBuilder, arguments, callable, dict, form, iterator_of, row, text};
use super::{EnumClasses, is_enum_class, make, member_map, members, members_of, slot};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

pub(super) static ENUM_TYPE: NativeClass = NativeClass {
    name: "EnumType",
    module: "enum",
    doc: "The class of enum classes.",
    methods: &[
        row(
            "__call__",
            "(self, value, names=..., *, module=None, qualname=None, type=None, start=1, boundary=None)",
            "The member with a value, or a new enum of the given names.",
            call,
        ),
        row("__iter__", "(self)", "The members in order, without aliases.", |interp, args| {
            Ok(iterator_of(members_of(interp, &class(&args, interp)?)?))
        }),
        row("__reversed__", "(self)", "The members in reverse order.", |interp, args| {
            Ok(iterator_of(members_of(interp, &class(&args, interp)?)?.into_iter().rev().collect()))
        }),
        row("__len__", "(self)", "The number of members, without aliases.", |interp, args| {
            Ok(members_of(interp, &class(&args, interp)?)?.len().into())
        }),
        row("__bool__", "(self)", "Classes are true.", |_, _| Ok(Value::Bool(true))),
        row("__getitem__", "(self, name)", "The member with a name.", |interp, args| {
            let name = args.get(1).clone();
            let class = class(&args, interp)?;
            let found = member_map(&class)
                .unwrap_or_default()
                .into_iter()
                .find(|(known, _)| text(&name).is_some_and(|name| *name == **known));
            found.map(|(_, member)| member).ok_or_else(|| interp.key_error(&name))
        }),
        row("__contains__", "(self, member)", "Whether a member belongs to this enum.", contains),
        row("__repr__", "(self)", "<enum 'Color'>", |interp, args| {
            let class = class(&args, interp)?;
            let kind = if class.is_subclass(&EnumClasses::of(interp).flag) { "flag" } else { "enum" };
            Ok(Value::str(format!("<{kind} '{}'>", class.name)))
        }),
        row("__getattr__", "(self, name)", "Raises AttributeError.", |interp, args| {
            Err(interp.attribute_error(interp.to_str(args.get(1))?.to_string()))
        }),
        row("__setattr__", "(self, name, value)", "Refuses to rebind members.", |interp, args| {
            let (name, value) = (args.get(1).clone(), args.get(2).clone());
            let class = class(&args, interp)?;
            let name = interp.to_str(&name)?;
            if member_map(&class).unwrap_or_default().iter().any(|(known, _)| **known == *name) {
                return Err(interp.attribute_error(format!("cannot reassign member '{name}'")));
            }
            class.namespace.borrow_mut().insert((&*name).into(), value);
            Ok(Value::None)
        }),
        row("__delattr__", "(self, name)", "Refuses to delete members.", |interp, args| {
            let name = interp.to_str(args.get(1))?;
            let class = class(&args, interp)?;
            if member_map(&class).unwrap_or_default().iter().any(|(known, _)| **known == *name) {
                return Err(interp.attribute_error(format!("'{}' cannot delete member '{name}'.", class.name)));
            }
            class.namespace.borrow_mut().shift_remove(&*name);
            Ok(Value::None)
        }),
    ],
    properties: &[row("__members__", "(self)", "Members by name, aliases included.", |interp, args| {
        let class = class(&args, interp)?;
        Ok(interp.dict_of(member_map(&class).unwrap_or_default()))
    })],
    construct: None,
    instance_check: None,
};

fn class(args: &Arguments, interp: &Interp) -> PyResult<Rc<Class>> {
    match args.get(0) {
        Value::Class(class) => Ok(class.clone()),
        other => Err(interp.type_error(format!("'{}' is not an enum class", interp.type_name(other)))),
    }
}

fn call(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, value, names, module, qualname, mixin, start, _] = args.take();
    let Value::Class(class) = &this else { return Ok(value) };
    if value.is_unknown() {
        return Ok(value);
    }
    if names.is_unset() {
        return by_value(interp, class, &value);
    }
    functional(interp, class, &value, &names, Details { module, qualname, mixin, start })
}

/// `Color(1)`
pub(super) fn by_value(interp: &Interp, class: &Rc<Class>, value: &Value) -> PyResult<Value> {
    if Rc::ptr_eq(&interp.type_of(value), class) {
        return Ok(value.clone());
    }
    if let Some(member) = make::find(interp, class, value)? {
        return Ok(member);
    }
    let missing = interp.get_attr(&Value::Class(class.clone()), "_missing_")?;
    let found = interp.call_values(&missing, [value.clone()])?;
    if interp.type_of(&found).is_subclass(class) {
        return Ok(found);
    }
    if !found.is_none() && !found.is_unknown() {
        // An integer outside an IntFlag with boundary EJECT comes through as it is.
        if matches!(found, Value::Int(_)) && class.is_subclass(&EnumClasses::of(interp).flag) {
            return Ok(found);
        }
        return Err(interp.type_error(format!(
            "error in {}._missing_: returned {} instead of None or a valid member",
            class.name,
            interp.repr(&found)?
        )));
    }
    Err(interp.value_error(format!("{} is not a valid {}", interp.repr(value)?, class.qualified_name)))
}

/// The keyword arguments of the functional form.
struct Details {
    module: Value,
    qualname: Value,
    mixin: Value,
    start: Value,
}

/// `Enum('Color', 'RED GREEN')`
fn functional(interp: &Interp, base: &Rc<Class>, name: &Value, names: &Value, details: Details) -> PyResult<Value> {
    let name = interp.to_str(name)?;
    let start = interp.to_i64(&details.start)?;
    let items = match text(names) {
        Some(names) => names.replace(',', " ").split_whitespace().map(Value::str).collect(),
        None => match names {
            Value::Dict(entries) => {
                entries.borrow().iter().map(|(name, value)| Value::tuple([name.clone(), value.clone()])).collect()
            }
            other => interp.collect(other)?,
        },
    };
    let is_flag = base.is_subclass(&EnumClasses::of(interp).flag);
    let module = match details.module.given() {
        Some(module) => interp.str(&module)?,
        None => super::super::collections::namedtuple::current_module(interp),
    };
    let mut builder = match (details.mixin.given(), details.qualname.given()) {
        (Some(Value::Class(mixin)), _) => {
            ClassBuilder::new(&name, &module, &mixin).base(base).metaclass(&EnumClasses::of(interp).meta)
        }
        _ => ClassBuilder::new(&name, &module, base),
    };
    for (index, item) in items.into_iter().enumerate() {
        let (name, value) = match text(&item) {
            Some(name) => {
                let at = start + index as i64;
                let value = if base.is_subclass(&EnumClasses::of(interp).str_enum) {
                    Value::str(name.to_lowercase())
                } else if is_flag {
                    Value::int(1i64.checked_shl(index as u32).unwrap_or(0))
                } else {
                    Value::int(at)
                };
                (name, value)
            }
            None => match interp.collect(&item)?.as_slice() {
                [name, value] => (interp.to_str(name)?, value.clone()),
                _ => return Err(interp.value_error("each item must be a name or a pair of name and value")),
            },
        };
        builder = builder.attribute(&name, value);
    }
    let class = builder.build();
    // Members refer to their class, which holds them: the interpreter empties it at its end.
    interp.classes.borrow_mut().push(Rc::downgrade(&class));
    make::make_members(interp, &class, &dict())?;
    Ok(Value::Class(class))
}

fn contains(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let member = args.get(1).clone();
    let class = class(&args, interp)?;
    if member.is_unknown() {
        return Ok(Value::Bool(false));
    }
    if !members::is_member(interp, &member) {
        return Err(interp.type_error(format!(
            "unsupported operand type(s) for 'in': '{}' and '{}'",
            interp.type_of(&member).qualified_name,
            interp.type_of(&Value::Class(class)).qualified_name
        )));
    }
    Ok(Value::Bool(interp.type_of(&member).is_subclass(&class)))
}

/// `[('GREY', 'GRAY')]`: aliases with the name of their member.
fn aliases(class: &Rc<Class>) -> Vec<(Rc<str>, Rc<str>)> {
    member_map(class)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|(name, member)| {
            let canonical = text(&slot(&member, "_name_"))?;
            (name != canonical).then_some((name, canonical))
        })
        .collect()
}

pub(super) fn unique(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [target] = args.take();
    if let Value::Class(class) = &target {
        let aliases = aliases(class);
        if !aliases.is_empty() {
            let listed: Vec<String> = aliases.iter().map(|(alias, name)| format!("{alias} -> {name}")).collect();
            return Err(interp.value_error(format!(
                "duplicate values found in {}: {}",
                interp.repr(&target)?,
                listed.join(", ")
            )));
        }
    }
    Ok(target)
}

pub(super) fn verify(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [checks] = args.take();
    let checks: Vec<Rc<str>> = interp.collect(&checks)?.iter().filter_map(text).collect();
    Ok(callable("verify", move |interp, args| {
        let [target] = arguments(interp, const { &form("verify", "(enumeration)") }, args)?.take();
        let Value::Class(class) = &target else { return Ok(target) };
        if checks.iter().any(|check| &**check == "unique") {
            let aliases: Vec<String> =
                aliases(class).iter().map(|(alias, name)| format!("{alias} -> {name}")).collect();
            if !aliases.is_empty() {
                return Err(interp.value_error(format!(
                    "aliases found in {}: {}",
                    interp.repr(&target)?,
                    aliases.join(", ")
                )));
            }
        }
        if checks.iter().any(|check| &**check == "continuous") && is_enum_class(interp, class) {
            let mut values = Vec::new();
            for member in members_of(interp, class)? {
                values.push(interp.to_i64(&slot(&member, "_value_"))?);
            }
            values.sort_unstable();
            let missing: Vec<String> = match (values.first(), values.last()) {
                (Some(low), Some(high)) => {
                    (*low..*high).filter(|value| !values.contains(value)).map(|value| value.to_string()).collect()
                }
                _ => Vec::new(),
            };
            if !missing.is_empty() {
                return Err(interp.value_error(format!(
                    "invalid enum '{}': missing values {}",
                    class.name,
                    missing.join(", ")
                )));
            }
        }
        Ok(target)
    }))
}
