//! `collections.OrderedDict`: every dict keeps its order; this one also compares by it and can reorder.

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
    row("__repr__", "(self, /)", "The entries as pairs.", repr),
    row("__eq__", "(self, value, /)", "Order counts between two of them.", eq),
    row("__ne__", "(self, value, /)", "Order counts between two of them.", |interp, args| match eq(interp, args)? {
        Value::Bool(equal) => Ok(Value::Bool(!equal)),
        other => Ok(other),
    }),
    row("move_to_end", "(self, /, key, last=True)", "Moves a key to the end, or to the front.", move_to_end),
    row("popitem", "(self, /, last=True)", "Takes the newest entry out, or the oldest.", pop_item),
    row("__or__", "(self, other, /)", "The entries of both.", |interp, args| {
        let [this, other] = args.take();
        if inner(&other).is_none() {
            return Ok(Value::NotImplemented);
        }
        let result = dict_instance(interp, &interp.type_of(&this), inner(&this).map(Value::Dict).as_ref())?;
        interp.call_method(&result, "update", [other])?;
        Ok(result)
    }),
    row("copy", "(self, /)", "A shallow copy.", copy),
    row("__init__", "(self, /, *args, **kwargs)", "Nothing left to do.", |_, _| Ok(Value::None)),
];

const CLASS_METHODS: &[NativeDef] =
    &[row("fromkeys", "(cls, iterable, value=None)", "A dict with the given keys.", from_keys)];

pub(super) fn class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "OrderedDict", |interp| {
        ClassBuilder::new("OrderedDict", "collections", &interp.types().dict)
            .builtin(Builtin::Dict)
            .doc("OrderedDict(*args, **kwargs): a dict that can be reordered.")
            .construct(construct)
            .methods(METHODS)
            .class_methods(CLASS_METHODS)
            .build()
    })
}

fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let payload = dict();
    interp.call(&interp.get_attr(&payload, "update")?, args)?;
    Ok(classes::instance(class, payload))
}

fn repr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let name = class_name(interp, &this);
    let Some(dict) = inner(&this) else { return Ok(Value::str(name)) };
    if dict.borrow().is_empty() {
        return Ok(Value::str(format!("{name}()")));
    }
    let pairs: Vec<Value> =
        dict.borrow().iter().map(|(key, value)| Value::tuple([key.clone(), value.clone()])).collect();
    let text = interp.nested(|| interp.repr(&Value::list(pairs)))?;
    Ok(Value::str(format!("{name}({text})")))
}

fn eq(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, other] = args.take();
    let (Some(a), Some(b)) = (inner(&this), inner(&other)) else { return Ok(Value::NotImplemented) };
    if !interp.equals(&Value::Dict(a.clone()), &Value::Dict(b.clone()))? {
        return Ok(Value::Bool(false));
    }
    if interp.type_of(&other).is_subclass(&class(interp)) {
        let keys = |dict: &std::cell::RefCell<crate::dict::Dict>| dict.borrow().keys().cloned().collect::<Vec<_>>();
        return Ok(Value::Bool(interp.equals(&Value::list(keys(&a)), &Value::list(keys(&b)))?));
    }
    Ok(Value::Bool(true))
}

fn move_to_end(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, key, last] = args.take();
    let last = interp.truth(&last)?;
    let Some(dict) = inner(&this) else { return Ok(Value::None) };
    // The borrow lasts while keys are compared: a key whose `__eq__` changes this dict gets an error, not a panic.
    let moved = match dict.try_borrow_mut() {
        Ok(mut dict) => dict.move_to_end(interp, &key, last)?,
        Err(_) => return Err(interp.runtime_error("OrderedDict changed during move_to_end")),
    };
    if moved { Ok(Value::None) } else { Err(interp.key_error(&key)) }
}

fn pop_item(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, last] = args.take();
    let last = interp.truth(&last)?;
    let Some(dict) = inner(&this) else { return Ok(Value::None) };
    let entry = if last {
        dict.borrow_mut().pop_last()
    } else {
        let first = dict.borrow().keys().next().cloned();
        match first {
            Some(key) => interp.dict_remove(&dict, &key)?,
            None => None,
        }
    };
    match entry {
        Some((key, value)) => Ok(Value::tuple([key, value])),
        None => Err(interp.key_error(&Value::str("dictionary is empty"))),
    }
}

fn copy(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let source = inner(&this).map(Value::Dict);
    dict_instance(interp, &interp.type_of(&this), source.as_ref())
}

fn from_keys(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [class, keys, value] = args.take();
    let result = interp.call_values(&class, [])?;
    for key in interp.collect(&keys)? {
        interp.set_item(&result, &key, value.clone())?;
    }
    Ok(result)
}
