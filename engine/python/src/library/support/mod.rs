//! What the modules of the standard library share: table rows, argument conversions, dictionaries, and in the files
//! below callables made of Rust closures, iterators made of Rust closures, and the binding of generated functions.

pub(super) mod bind;
pub(super) mod callable;
pub(super) mod classes;
pub(super) mod iterator;

pub(super) use bind::{arguments, form};
pub(super) use callable::{Callable, callable, method};
pub(super) use classes::ClassBuilder;
pub(super) use iterator::{iterator, iterator_of};

use crate::class::{Class, Namespace};
use crate::interp::Interp;
use crate::native::{NativeDef, NativeFn, NativeFunction};
use crate::raise::PyResult;
use crate::value::{Property, Value};
use pallas_syntax::ast::Name;
use std::rc::Rc;

/// A row of a function table.
pub(super) const fn row(name: &'static str, signature: &'static str, doc: &'static str, run: NativeFn) -> NativeDef {
    NativeDef { name, signature, doc, run }
}

/// The first unknown among the values: natives that would look inside give it back.
pub(super) fn unknown(values: &[Value]) -> Option<Value> {
    values.iter().find(|value| value.is_unknown()).cloned()
}

/// The values of a `*args` parameter.
pub(super) fn variadic(value: &Value) -> &[Value] {
    match value {
        Value::Tuple(values) => values,
        _ => &[],
    }
}

/// A float argument; `TypeError: must be real number, not str`.
pub(super) fn number(interp: &Interp, value: &Value) -> PyResult<f64> {
    match value {
        Value::Float(value) => Ok(*value),
        Value::Str(_) | Value::None | Value::List(_) | Value::Tuple(_) | Value::Dict(_) => {
            Err(interp.type_error(format!("must be real number, not {}", interp.type_name(value))))
        }
        other => interp.to_f64(other),
    }
}

/// The text of a `str` or of an instance of a class derived from it.
pub(super) fn text(value: &Value) -> Option<Rc<str>> {
    match value {
        Value::Str(text) => Some(text.clone()),
        Value::Instance(instance) => match &*instance.payload.borrow() {
            Value::Str(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The builtin value inside an instance of a subclass of `int`, `str`, `tuple`, `dict`..., or the value itself.
pub(super) fn plain(value: &Value) -> Value {
    match value {
        Value::Instance(instance) => match &*instance.payload.borrow() {
            Value::Unset => value.clone(),
            payload => payload.clone(),
        },
        _ => value.clone(),
    }
}

/// An empty dict.
pub(super) fn dict() -> Value {
    Value::Dict(Rc::default())
}

/// The entries of a `**kwargs` parameter.
pub(super) fn keywords(value: &Value) -> Vec<(Name, Value)> {
    match value {
        Value::Dict(dict) => dict
            .borrow()
            .iter()
            .filter_map(|(key, value)| text(key).map(|key| (Name::from(&*key), value.clone())))
            .collect(),
        _ => Vec::new(),
    }
}

/// A read-only property.
pub(super) fn property(getter: Value) -> Value {
    Value::Property(Rc::new(Property { getter, setter: Value::None, deleter: Value::None, doc: Value::None }))
}

/// The entries of a dict, or of any mapping that has `keys()`.
pub(super) fn entries(interp: &Interp, mapping: &Value) -> PyResult<Vec<(Value, Value)>> {
    if let Value::Dict(dict) = mapping {
        return Ok(dict.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect());
    }
    let keys = interp.collect(&interp.call_method(mapping, "keys", [])?)?;
    keys.into_iter()
        .map(|key| {
            let value = interp.get_item(mapping, &key)?;
            Ok((key, value))
        })
        .collect()
}

/// `mapping[key]`, or `None` where it is absent.
pub(super) fn lookup(interp: &Interp, mapping: &Value, key: &Value) -> PyResult<Option<Value>> {
    if interp.contains(mapping, key)? { Ok(Some(interp.get_item(mapping, key)?)) } else { Ok(None) }
}

/// A native function as a value.
pub(super) fn native(def: &'static NativeDef, module: &'static str) -> Value {
    Value::Native(NativeFunction::new(def, module))
}

/// Adds a class to a module's names under its own name.
pub(super) fn add_class(names: &mut Namespace, class: &Rc<Class>) {
    names.insert(class.name.clone(), Value::Class(class.clone()));
}

/// The address that `repr` shows for a shared value, which is also its `id`.
pub(super) fn address(value: &Value) -> usize {
    match value {
        Value::Object(object) => Rc::as_ptr(object).cast::<u8>() as usize,
        Value::Instance(instance) => Rc::as_ptr(instance) as usize,
        Value::Class(class) => Rc::as_ptr(class) as usize,
        Value::Function(function) => Rc::as_ptr(function) as usize,
        Value::Native(function) => Rc::as_ptr(function) as usize,
        Value::BoundMethod(method) => Rc::as_ptr(method) as usize,
        Value::List(list) => Rc::as_ptr(list) as usize,
        Value::Dict(dict) => Rc::as_ptr(dict) as usize,
        Value::Set(set) => Rc::as_ptr(set) as usize,
        Value::Module(module) => Rc::as_ptr(module) as usize,
        _ => 0,
    }
}

/// `__name__` of a callable, without falling over values that have none.
pub(super) fn name_of(interp: &Interp, function: &Value) -> String {
    match interp.find_attr(function, "__name__") {
        Ok(Some(Value::Str(name))) => name.to_string(),
        _ => interp.callable_name(function),
    }
}

/// A builtin function or class by name.
pub(super) fn builtin(interp: &Interp, name: &str) -> PyResult<Value> {
    interp.get_attr(&interp.import("builtins")?, name)
}
