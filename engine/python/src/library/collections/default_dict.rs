//! `collections.defaultdict`: a dict whose missing values a factory makes.

use super::super::support::{ClassBuilder, classes, dict, row};
use super::{class_name, dict_instance, inner};
use crate::call::CallArgs;
use crate::class::{Builtin, Class};
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

const METHODS: &[NativeDef] = &[
    row("__missing__", "(self, key, /)", "Makes, stores and returns the default for a key.", missing),
    row("__repr__", "(self, /)", "The factory and the entries.", repr),
    row("copy", "(self, /)", "A shallow copy.", copy),
    row("__copy__", "(self, /)", "A shallow copy.", copy),
    row("__init__", "(self, /, *args, **kwargs)", "Nothing left to do.", |_, _| Ok(Value::None)),
];

pub(super) fn class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "defaultdict", |interp| {
        ClassBuilder::new("defaultdict", "collections", &interp.types().dict)
            .builtin(Builtin::Dict)
            .doc("defaultdict(default_factory=None, /, *args, **kwargs): a dict that makes missing values.")
            .construct(construct)
            .methods(METHODS)
            .build()
    })
}

fn construct(interp: &Interp, class: &Rc<Class>, mut args: CallArgs) -> PyResult<Value> {
    let factory = if args.positional.is_empty() { Value::None } else { args.positional.remove(0) };
    if !factory.is_none() && !factory.is_unknown() && !interp.is_callable(&factory) {
        return Err(interp.type_error("first argument must be callable or None"));
    }
    let payload = dict();
    interp.call(&interp.get_attr(&payload, "update")?, args)?;
    make(class, factory, payload)
}

fn make(class: &Rc<Class>, factory: Value, payload: Value) -> PyResult<Value> {
    let value = classes::instance(class, payload);
    if let Value::Instance(instance) = &value {
        instance.fields.borrow_mut().insert("default_factory".into(), factory);
    }
    Ok(value)
}

fn missing(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, key] = args.take();
    let factory = interp.find_attr(&this, "default_factory")?.unwrap_or(Value::None);
    if factory.is_none() {
        return Err(interp.key_error(&key));
    }
    let value = interp.call_values(&factory, [])?;
    if let Some(dict) = inner(&this) {
        interp.dict_set(&dict, key, value.clone())?;
    }
    Ok(value)
}

fn repr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let factory = interp.find_attr(&this, "default_factory")?.unwrap_or(Value::None);
    let entries = inner(&this).map_or_else(dict, Value::Dict);
    let text = interp.nested(|| {
        Ok(format!("{}({}, {})", class_name(interp, &this), interp.repr(&factory)?, interp.repr(&entries)?))
    })?;
    Ok(Value::str(text))
}

fn copy(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let factory = interp.find_attr(&this, "default_factory")?.unwrap_or(Value::None);
    let source = inner(&this).map(Value::Dict);
    let copied = dict_instance(interp, &interp.type_of(&this), source.as_ref())?;
    make(&interp.type_of(&this), factory, inner(&copied).map_or_else(dict, Value::Dict))
}
