//! `functools.wraps` and `functools.update_wrapper`.

use super::super::support::callable;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

pub(super) const ASSIGNMENTS: [&str; 5] = ["__module__", "__name__", "__qualname__", "__doc__", "__annotations__"];

/// Copies name, documentation and attributes of `wrapped` onto `wrapper`, and sets `__wrapped__`.
pub(in crate::library) fn copy_metadata(interp: &Interp, wrapper: &Value, wrapped: &Value) -> PyResult<()> {
    copy(interp, wrapper, wrapped, &Value::Unset, &Value::Unset)
}

fn copy(interp: &Interp, wrapper: &Value, wrapped: &Value, assigned: &Value, updated: &Value) -> PyResult<()> {
    let names = |value: &Value, default: &[&str]| -> PyResult<Vec<String>> {
        if value.is_unset() {
            return Ok(default.iter().map(|name| (*name).to_owned()).collect());
        }
        interp.collect(value)?.iter().map(|name| Ok(interp.to_str(name)?.to_string())).collect()
    };
    if wrapped.is_unknown() || wrapper.is_unknown() {
        return Ok(());
    }
    for name in names(assigned, &ASSIGNMENTS)? {
        if let Some(value) = interp.find_attr(wrapped, &name)? {
            interp.set_attr(wrapper, &name, value)?;
        }
    }
    for name in names(updated, &["__dict__"])? {
        // `__dict__` of a function is a copy here, so its entries are set one by one.
        if let Some(values) = interp.find_attr(wrapped, &name)? {
            for (key, value) in super::super::support::entries(interp, &values)? {
                let key = interp.to_str(&key)?;
                if &*key != "__wrapped__" {
                    interp.set_attr(wrapper, &key, value)?;
                }
            }
        }
    }
    interp.set_attr(wrapper, "__wrapped__", wrapped.clone())
}

pub(super) fn update_wrapper(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [wrapper, wrapped, assigned, updated] = args.take();
    copy(interp, &wrapper, &wrapped, &assigned, &updated)?;
    Ok(wrapper)
}

pub(super) fn wraps(_: &Interp, args: Arguments) -> PyResult<Value> {
    let [wrapped, assigned, updated] = args.take();
    Ok(callable("update_wrapper", move |interp, mut args| {
        let Some(wrapper) = args.positional.pop() else {
            return Err(interp.type_error("update_wrapper() missing 1 required positional argument: 'wrapper'"));
        };
        copy(interp, &wrapper, &wrapped, &assigned, &updated)?;
        Ok(wrapper)
    }))
}
