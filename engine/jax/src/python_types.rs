//! Python classes that are plain data, made with Python's own `enum` and `dataclasses`, so that `replace`, `isinstance`,
//! `match`, hashing and printing are theirs. Classes with behaviour of their own are native classes instead.

use pallas_python::CallArgs;
use pallas_python::class::{Class, Namespace};
use pallas_python::dict::Dict;
use pallas_python::interp::Interp;
use pallas_python::native::{NativeDef, NativeFunction};
use pallas_python::raise::PyResult;
use pallas_python::value::{Property, Value};
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

/// A plain value in a table: what members of enumerations and defaults of fields are.
#[derive(Clone, Copy)]
pub enum Plain {
    /// No default: the field must be given.
    Required,
    /// `None`
    None,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string.
    Str(&'static str),
    /// `()`
    Empty,
}

impl Plain {
    fn value(self) -> Option<Value> {
        Some(match self {
            Plain::Required => return None,
            Plain::None => Value::None,
            Plain::Bool(value) => Value::Bool(value),
            Plain::Int(value) => Value::from(value),
            Plain::Str(value) => Value::from(value),
            Plain::Empty => Value::tuple([]),
        })
    }
}

/// An enumeration: members with their values.
pub struct Enumeration {
    /// `__name__`
    pub name: &'static str,
    /// `__module__`
    pub module: &'static str,
    /// Names and values.
    pub members: &'static [(&'static str, Plain)],
    /// Methods and properties of the members.
    pub methods: &'static [NativeDef],
    /// `(self)` functions read as attributes.
    pub properties: &'static [NativeDef],
}

/// A frozen dataclass.
pub struct Record {
    /// `__name__`
    pub name: &'static str,
    /// `__module__`
    pub module: &'static str,
    /// Fields with their defaults.
    pub fields: &'static [(&'static str, Plain)],
    /// Whether fields are given by keyword only.
    pub keyword_only: bool,
    /// Methods of the instances.
    pub methods: &'static [NativeDef],
    /// `(self)` functions read as attributes.
    pub properties: &'static [NativeDef],
}

impl Enumeration {
    /// The class.
    ///
    /// # Errors
    /// What `enum.Enum` raises.
    pub fn class(&self, interp: &Interp) -> PyResult<Value> {
        let base = interp.get_attr(&interp.import("enum")?, "Enum")?;
        let members = self.members.iter().map(|(name, plain)| {
            let value = plain.value().unwrap_or(Value::None);
            Value::tuple([Value::from(*name), value])
        });
        let mut args = CallArgs::positional([Value::from(self.name), Value::list(members)]);
        args.keywords.push((Name::from("module"), Value::from(self.module)));
        let class = interp.call(&base, args)?;
        if let Value::Class(class) = &class {
            add_members(class, self.methods, self.properties, self.module, self.name);
        }
        Ok(class)
    }
}

impl Record {
    /// The class.
    ///
    /// # Errors
    /// What `dataclasses.make_dataclass` raises.
    pub fn class(&self, interp: &Interp) -> PyResult<Value> {
        let make = interp.get_attr(&interp.import("dataclasses")?, "make_dataclass")?;
        let fields = self.fields.iter().map(|(name, plain)| {
            let annotation = Value::from("Any");
            match plain.value() {
                None => Value::tuple([Value::from(*name), annotation]),
                Some(default) => Value::tuple([Value::from(*name), annotation, default]),
            }
        });
        let mut namespace = Dict::default();
        namespace.insert(interp, Value::from("__module__"), Value::from(self.module))?;
        let mut args = CallArgs::positional([Value::from(self.name), Value::list(fields)]);
        args.keywords.push((Name::from("namespace"), Value::Dict(Rc::new(RefCell::new(namespace)))));
        args.keywords.push((Name::from("frozen"), Value::Bool(true)));
        args.keywords.push((Name::from("kw_only"), Value::Bool(self.keyword_only)));
        let class = interp.call(&make, args)?;
        if let Value::Class(class) = &class {
            add_members(class, self.methods, self.properties, self.module, self.name);
        }
        Ok(class)
    }
}

/// Lets `dataclasses.fields`, `replace` and `is_dataclass` take instances of a native class for what they are in JAX:
/// dataclasses with these fields, each an attribute and a parameter.
pub fn declare_fields(interp: &Interp, class: &Rc<Class>, fields: &'static [(&'static str, Plain)]) {
    pallas_python::library::declare_fields(interp, class, fields.iter().map(|(name, plain)| (*name, plain.value())));
}

fn add_members(
    class: &Rc<Class>,
    methods: &'static [NativeDef],
    properties: &'static [NativeDef],
    module: &'static str,
    owner: &'static str,
) {
    let mut namespace = class.namespace.borrow_mut();
    for def in methods {
        namespace.insert(Name::from(def.name), Value::Native(NativeFunction::method(def, module, owner)));
    }
    for def in properties {
        let getter = Value::Native(NativeFunction::method(def, module, owner));
        let property = Property { getter, setter: Value::None, deleter: Value::None, doc: Value::from(def.doc) };
        namespace.insert(Name::from(def.name), Value::Property(Rc::new(property)));
    }
}

/// Puts enumerations and records into a module's namespace under their names. Where one cannot be made, its name is
/// missing, and using it says so.
pub fn populate(interp: &Interp, namespace: &mut Namespace, enumerations: &[&Enumeration], records: &[&Record]) {
    let enumerations = enumerations.iter().map(|table| (table.name, table.class(interp)));
    for (name, class) in enumerations.chain(records.iter().map(|table| (table.name, table.class(interp)))) {
        if let Ok(class) = class {
            namespace.insert(Name::from(name), class);
        }
    }
}

/// The same object under another module's name: `pltpu.DeviceIdType` is `pl.DeviceIdType`.
pub fn share(interp: &Interp, namespace: &mut Namespace, module: &str, names: &[(&str, &str)]) {
    let Ok(module) = interp.import(module) else { return };
    for (name, original) in names {
        if let Ok(Some(value)) = interp.find_attr(&module, original) {
            namespace.insert(Name::from(*name), value);
        }
    }
}

/// Puts members of a class that is already in the namespace beside it: `pltpu.PARALLEL`.
pub fn members(interp: &Interp, namespace: &mut Namespace, class: &str, names: &[&str]) {
    let Some(class) = namespace.get(class).cloned() else { return };
    for name in names {
        if let Ok(Some(member)) = interp.find_attr(&class, name) {
            namespace.insert(Name::from(*name), member);
        }
    }
}
