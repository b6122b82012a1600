//! The tables of the builtin classes that belong to the language itself: `object`, `type`, `super`, `property`,
//! `staticmethod`, `classmethod`, exceptions, generators.

use crate::call::CallArgs;
use crate::class::{Class, ConstructFn, NativeClass};
use crate::exceptions::{Traceback, set_field};
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::{Property, Value};
use pallas_syntax::ast::Name;
use std::rc::Rc;

const fn table(
    name: &'static str,
    doc: &'static str,
    methods: &'static [NativeDef],
    construct: Option<ConstructFn>,
) -> NativeClass {
    NativeClass { name, module: "builtins", doc, methods, properties: &[], construct, instance_check: None }
}

static TABLES: &[NativeClass] = &[
    table("object", "The base class of the class hierarchy.", &[], None),
    table(
        "type",
        "The type of an object, or a new type.",
        &[
            NativeDef {
                name: "mro",
                signature: "(self, /)",
                doc: "Return a type's method resolution order.",
                run: type_mro,
            },
            NativeDef {
                name: "__call__",
                signature: "(self, /, *args, **kwargs)",
                doc: "Call self as a function.",
                run: type_call,
            },
            NativeDef {
                name: "__subclasses__",
                signature: "(self, /)",
                doc: "Return a list of immediate subclasses.",
                run: type_subclasses,
            },
        ],
        Some(super::create::construct_type),
    ),
    table("super", "Delegates attribute lookup to a parent class.", &[], Some(super::super_object::construct)),
    table(
        "property",
        "Property attribute.",
        &[
            NativeDef { name: "getter", signature: "(self, fget, /)", doc: "Change the getter.", run: property_getter },
            NativeDef { name: "setter", signature: "(self, fset, /)", doc: "Change the setter.", run: property_setter },
            NativeDef {
                name: "deleter",
                signature: "(self, fdel, /)",
                doc: "Change the deleter.",
                run: property_deleter,
            },
            NativeDef {
                name: "__get__",
                signature: "(self, instance, owner=None, /)",
                doc: "Read the property.",
                run: property_get,
            },
        ],
        Some(property),
    ),
    table("staticmethod", "Convert a function to be a static method.", &[], Some(static_method)),
    table("classmethod", "Convert a function to be a class method.", &[], Some(class_method)),
    table(
        "function",
        "A function.",
        &[NativeDef {
            name: "__get__",
            signature: "(self, instance, owner=None, /)",
            doc: "Bind the function to an instance.",
            run: function_get,
        }],
        None,
    ),
    table(
        "BaseException",
        "Common base class for all exceptions.",
        &[
            NativeDef {
                name: "with_traceback",
                signature: "(self, tb, /)",
                doc: "Set self.__traceback__ to tb and return self.",
                run: with_traceback,
            },
            NativeDef {
                name: "add_note",
                signature: "(self, note, /)",
                doc: "Add a note to the exception.",
                run: add_note,
            },
        ],
        None,
    ),
    table(
        "generator",
        "A generator.",
        &[
            NativeDef {
                name: "send",
                signature: "(self, value, /)",
                doc: "Resume the generator with a value.",
                run: crate::generators::send,
            },
            NativeDef {
                name: "throw",
                signature: "(self, type, value=None, traceback=None, /)",
                doc: "Raise an exception where the generator is suspended.",
                run: crate::generators::throw,
            },
            NativeDef {
                name: "close",
                signature: "(self, /)",
                doc: "Raise GeneratorExit inside the generator.",
                run: crate::generators::close,
            },
            NativeDef {
                name: "__next__",
                signature: "(self, /)",
                doc: "The next value.",
                run: crate::generators::next,
            },
            NativeDef { name: "__iter__", signature: "(self, /)", doc: "Itself.", run: crate::generators::iter },
        ],
        None,
    ),
];

/// The table of a class of the language itself.
pub(crate) fn core_table(name: &str) -> Option<&'static NativeClass> {
    TABLES.iter().find(|table| table.name == name)
}

fn type_mro(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let order = interp.get_attr(args.get(0), "__mro__")?;
    interp.collect(&order).map(Value::list)
}

fn type_call(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [class, args, keywords] = args.take();
    let Value::Class(class) = class else {
        return Err(interp.type_error("type.__call__ needs a type"));
    };
    interp.instantiate_plainly(&class, interp.call_args(&args, &keywords)?)
}

fn type_subclasses(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let Value::Class(parent) = args.get(0) else {
        return Err(interp.type_error("__subclasses__ needs a type"));
    };
    let classes = interp.classes.borrow();
    let subclasses = classes.iter().filter_map(std::rc::Weak::upgrade);
    Ok(Value::list(
        subclasses.filter(|class| class.bases.iter().any(|base| Rc::ptr_eq(base, parent))).map(Value::Class),
    ))
}

fn property(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let mut parts = [Value::None, Value::None, Value::None, Value::None];
    for (part, value) in parts.iter_mut().zip(args.positional) {
        *part = value;
    }
    for (name, value) in args.keywords {
        match ["fget", "fset", "fdel", "doc"].iter().position(|part| **part == *name) {
            Some(at) => parts[at] = value,
            None => {
                return Err(interp.type_error(format!("property() got an unexpected keyword argument '{name}'")));
            }
        }
    }
    let [getter, setter, deleter, mut doc] = parts;
    if doc.is_none() && !getter.is_none() {
        doc = interp.find_attr(&getter, "__doc__")?.unwrap_or(Value::None);
    }
    Ok(Value::Property(Rc::new(Property { getter, setter, deleter, doc })))
}

fn changed(interp: &Interp, args: Arguments, change: impl Fn(&mut Property, Value)) -> PyResult<Value> {
    let [this, function] = args.take();
    let Value::Property(property) = &this else {
        return Err(interp.type_error(format!("expected a property, not '{}'", interp.type_name(&this))));
    };
    let mut property = Property {
        getter: property.getter.clone(),
        setter: property.setter.clone(),
        deleter: property.deleter.clone(),
        doc: property.doc.clone(),
    };
    change(&mut property, function);
    Ok(Value::Property(Rc::new(property)))
}

fn property_getter(interp: &Interp, args: Arguments) -> PyResult<Value> {
    changed(interp, args, |property, function| property.getter = function)
}

fn property_setter(interp: &Interp, args: Arguments) -> PyResult<Value> {
    changed(interp, args, |property, function| property.setter = function)
}

fn property_deleter(interp: &Interp, args: Arguments) -> PyResult<Value> {
    changed(interp, args, |property, function| property.deleter = function)
}

fn property_get(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, instance, _owner] = args.take();
    if instance.is_none() {
        return Ok(this);
    }
    let class = interp.type_of(&instance);
    interp.bind_descriptor(&this, &instance, &class)
}

fn function_get(_interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, instance, _owner] = args.take();
    Ok(if instance.is_none() { this } else { crate::attributes::bound(&instance, &this) })
}

fn one_argument(interp: &Interp, name: &str, args: CallArgs) -> PyResult<Value> {
    let given = args.positional.len();
    match <[Value; 1]>::try_from(args.positional.into_vec()) {
        Ok([function]) => Ok(function),
        Err(_) => Err(interp.type_error(format!("{name} expected 1 argument, got {given}"))),
    }
}

fn static_method(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    Ok(Value::StaticMethod(Rc::new(one_argument(interp, "staticmethod", args)?)))
}

fn class_method(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    Ok(Value::ClassMethod(Rc::new(one_argument(interp, "classmethod", args)?)))
}

fn with_traceback(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, traceback] = args.take();
    if !traceback.is_none() && traceback.downcast::<Traceback>().is_none() {
        return Err(interp.type_error("__traceback__ must be a traceback or None"));
    }
    set_field(&this, "__traceback__", traceback);
    Ok(this)
}

fn add_note(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, note] = args.take();
    if !matches!(interp.plain(&note), Value::Str(_)) {
        return Err(interp.type_error(format!("note must be a str, not '{}'", interp.type_name(&note))));
    }
    if let Value::Instance(instance) = &this {
        let notes = instance.fields.borrow().get("__notes__").cloned();
        match notes {
            Some(Value::List(notes)) => notes.borrow_mut().push(note),
            _ => {
                instance.fields.borrow_mut().insert(Name::from("__notes__"), Value::list([note]));
            }
        }
    }
    Ok(Value::None)
}
