//! `dict`: its table and constructor. Its views are in [`views`].

pub mod views;

use crate::builtins::construct::finish;
use crate::builtins::special as s;
use crate::builtins::table::{rows, this_dict};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::dict::Dict;
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::BinaryOp;
use std::cell::RefCell;
use std::rc::Rc;
use views::{Kind, View};

/// The table of `dict`.
pub static CLASS: NativeClass = NativeClass {
    name: "dict",
    module: "builtins",
    doc: "dict(mapping_or_pairs=(), /, **names) -> mapping that keeps the order of insertion.",
    methods: METHODS,
    properties: &[],
    construct: Some(construct),
    instance_check: None,
};

static METHODS: &[NativeDef] = rows! {
    "clear", "(self, /)", "Remove all items.", clear;
    "copy", "(self, /)", "A shallow copy.", copy;
    "fromkeys", "(cls, iterable, value=None, /)", "A dict with keys from iterable and all values set to value.", from_keys;
    "get", "(self, key, default=None, /)", "The value for key if key is in the dictionary, else default.", get;
    "items", "(self, /)", "A set-like view of the items.", |i, a| view(i, a, Kind::Items);
    "keys", "(self, /)", "A set-like view of the keys.", |i, a| view(i, a, Kind::Keys);
    "pop", "(self, key, default=..., /)", "Remove key and return its value, or default.", pop;
    "popitem", "(self, /)", "Remove and return the newest (key, value) pair.", pop_item;
    "setdefault", "(self, key, default=None, /)", "The value for key, set to default if it is not there.", set_default;
    "update", "(self, other=..., /, **kwargs)", "Set items from a mapping or pairs, and from names.", update;
    "values", "(self, /)", "A view of the values.", |i, a| view(i, a, Kind::Values);
    "__reversed__", "(self, /)", "A reverse iterator over the keys.", reversed;
    "__ior__", "(self, value, /)", "Return self|=value.", or_in_place;
    s::OR, s::ROR, s::LEN, s::ITER, s::CONTAINS, s::GETITEM, s::SETITEM, s::DELITEM,
};

/// A shared dict as a value.
pub(crate) fn value_of(dict: Dict) -> Value {
    Value::Dict(Rc::new(RefCell::new(dict)))
}

fn clear(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    let old = std::mem::take(&mut *this_dict(interp, &this, "clear")?.borrow_mut());
    drop(old);
    Ok(Value::None)
}

fn copy(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    let dict = this_dict(interp, &this, "copy")?.borrow().clone();
    interp.charge_bytes(dict.len() as u128 * 2 * size_of::<Value>() as u128)?;
    Ok(value_of(dict))
}

fn from_keys(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [class, keys, value] = arguments.take();
    if keys.is_unknown() {
        return Ok(keys);
    }
    let keys = interp.collect(&keys)?;
    if let Value::Class(class) = &class
        && !Rc::ptr_eq(class, &interp.types().dict)
    {
        let made = interp.call_values(&Value::Class(Rc::clone(class)), [])?;
        for key in keys {
            interp.set_item(&made, &key, value.clone())?;
        }
        return Ok(made);
    }
    let dict = RefCell::new(Dict::new());
    for key in keys {
        interp.dict_set(&dict, key, value.clone())?;
    }
    Ok(Value::Dict(Rc::new(dict)))
}

fn get(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, key, default] = arguments.take();
    let dict = this_dict(interp, &this, "get")?;
    Ok(match interp.dict_get(&dict, &key)? {
        Some(value) => value,
        None if key.is_unknown() => key,
        None => default,
    })
}

fn view(interp: &Interp, arguments: Arguments, kind: Kind) -> PyResult<Value> {
    let [this] = arguments.take();
    Ok(Value::object(View::new(this_dict(interp, &this, "keys")?, kind)))
}

fn pop(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, key, default] = arguments.take();
    let dict = this_dict(interp, &this, "pop")?;
    match interp.dict_remove(&dict, &key)? {
        Some((_, value)) => Ok(value),
        None if key.is_unknown() => Ok(key),
        None if default.is_unset() => Err(interp.key_error(&key)),
        None => Ok(default),
    }
}

fn pop_item(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    let dict = this_dict(interp, &this, "popitem")?;
    let newest = dict.borrow_mut().pop_last();
    match newest {
        Some((key, value)) => Ok(Value::tuple([key, value])),
        None => Err(interp.key_error(&Value::str("popitem(): dictionary is empty"))),
    }
}

fn set_default(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, key, default] = arguments.take();
    let dict = this_dict(interp, &this, "setdefault")?;
    if let Some(value) = interp.dict_get(&dict, &key)? {
        return Ok(value);
    }
    interp.dict_set(&dict, key, default.clone())?;
    Ok(default)
}

fn update(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, other, named] = arguments.take();
    let dict = this_dict(interp, &this, "update")?;
    if !other.is_unset() {
        merge(interp, &dict, &other)?;
    }
    merge(interp, &dict, &named)?;
    Ok(Value::None)
}

/// Copies the entries of a mapping (anything with `keys`) or of an iterable of pairs into `dict`.
pub(crate) fn merge(interp: &Interp, dict: &RefCell<Dict>, other: &Value) -> PyResult<()> {
    if other.is_unknown() {
        return Ok(());
    }
    if let Value::Dict(source) = other {
        // Collected first: setting may run the user's `__eq__`, and the two may be the same dict.
        let entries: Vec<(Value, Value)> =
            source.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        for (key, value) in entries {
            interp.dict_set(dict, key, value)?;
        }
        return Ok(());
    }
    if interp.find_attr(other, "keys")?.is_some() {
        let keys = interp.call_method(other, "keys", [])?;
        for key in interp.collect(&keys)? {
            let value = interp.get_item(other, &key)?;
            interp.dict_set(dict, key, value)?;
        }
        return Ok(());
    }
    let iterator = interp.iter(other)?;
    let mut position = 0;
    while let Some(item) = interp.next(&iterator)? {
        interp.charge(1)?;
        if !item.is_unknown() {
            let pair = interp.collect(&item).map_err(|stop| {
                if interp.stop_is(&stop, &interp.types().type_error) {
                    return interp.type_error(format!(
                        "cannot convert dictionary update sequence element #{position} to a sequence"
                    ));
                }
                stop
            })?;
            let length = pair.len();
            let Ok([key, value]) = <[Value; 2]>::try_from(pair) else {
                return Err(interp.value_error(format!(
                    "dictionary update sequence element #{position} has length {length}; 2 is required"
                )));
            };
            interp.dict_set(dict, key, value)?;
        }
        position += 1;
    }
    Ok(())
}

fn reversed(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    let dict = this_dict(interp, &this, "__reversed__")?;
    Ok(views::reversed(&dict, Kind::Keys))
}

fn or_in_place(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, other] = arguments.take();
    let dict = Value::Dict(this_dict(interp, &this, "__ior__")?);
    match interp.sequence_in_place(BinaryOp::BitOr, &dict, &other)? {
        Some(_) => Ok(this),
        None => Ok(Value::NotImplemented),
    }
}

/// `dict(mapping)`, `dict(pairs)`, `dict(name=value)`
fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let given = args.positional.len();
    if given > 1 {
        return Err(interp.type_error(format!("dict expected at most 1 argument, got {given}")));
    }
    let dict = Rc::new(RefCell::new(Dict::new()));
    if let Some(other) = args.positional.first() {
        if other.is_unknown() {
            return Ok(other.clone());
        }
        merge(interp, &dict, other)?;
    }
    for (name, value) in args.keywords {
        let old = dict.borrow_mut().insert_str(&name, value);
        drop(old);
    }
    Ok(finish(class, &interp.types().dict, Value::Dict(dict)))
}
