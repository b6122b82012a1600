//! `collections`: named tuples, the dict subclasses, deque, ChainMap. `collections.abc` is in [`abc`].

pub(super) mod abc;
mod chain_map;
mod counter;
mod default_dict;
mod deque;
pub(super) mod namedtuple;
mod ordered_dict;

use super::support::{add_class, classes, row};
use crate::class::Class;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "collections",
    doc: "Containers beyond dict, list, set and tuple.",
    functions: &[row(
        "namedtuple",
        "(typename, field_names, *, rename=False, defaults=None, module=None)",
        "A tuple class whose items have names.",
        namedtuple::namedtuple,
    )],
    populate: |interp, names| {
        add_class(names, &default_dict::class(interp));
        add_class(names, &ordered_dict::class(interp));
        add_class(names, &counter::class(interp));
        add_class(names, &chain_map::class(interp));
        add_class(names, &interp.native_class(&deque::DEQUE));
        // The classes of user-extensible containers: here the builtins serve, which can be extended as well.
        names.insert("UserDict".into(), Value::Class(interp.types().dict.clone()));
        names.insert("UserList".into(), Value::Class(interp.types().list.clone()));
        names.insert("UserString".into(), Value::Class(interp.types().str.clone()));
    },
};

/// The dict inside an instance of a dict subclass.
fn inner(value: &Value) -> Option<Rc<std::cell::RefCell<crate::dict::Dict>>> {
    match super::support::plain(value) {
        Value::Dict(dict) => Some(dict),
        _ => None,
    }
}

/// An instance of a dict subclass, with a copy of the entries of `source`.
fn dict_instance(interp: &Interp, class: &Rc<Class>, source: Option<&Value>) -> PyResult<Value> {
    let payload = super::support::dict();
    if let Some(source) = source {
        interp.call_method(&payload, "update", [source.clone()])?;
    }
    Ok(classes::instance(class, payload))
}

/// The name that `repr` shows: of the value's own class.
fn class_name(interp: &Interp, value: &Value) -> String {
    interp.type_of(value).name.to_string()
}
