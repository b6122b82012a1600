//! `len`, `all`, `any`, `min`, `max`, `sorted`, `iter`, `next`.

use crate::builtins::sort::sort;
use crate::builtins::table::known;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::CompareOp;

pub(super) fn length(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [value] = arguments.take();
    interp.len(&value).map(Value::from)
}

/// The first item whose truth is `wanted`: whether there is one, or the unknown that may be one.
fn some_item(interp: &Interp, arguments: Arguments, wanted: bool) -> PyResult<Value> {
    known!(arguments);
    let [iterable] = arguments.take();
    let iterator = interp.iter(&iterable)?;
    let mut unknown = None;
    while let Some(item) = interp.next(&iterator)? {
        interp.charge(1)?;
        if item.is_unknown() {
            unknown = Some(item);
        } else if interp.truth(&item)? == wanted {
            return Ok(Value::Bool(wanted));
        }
    }
    Ok(unknown.unwrap_or(Value::Bool(!wanted)))
}

pub(super) fn all(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    some_item(interp, arguments, false)
}

pub(super) fn any(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    some_item(interp, arguments, true)
}

fn extreme(interp: &Interp, arguments: Arguments, name: &str, op: CompareOp) -> PyResult<Value> {
    let [values, key, default] = arguments.take();
    let Value::Tuple(values) = values else {
        return Err(interp.type_error(format!("{name} expected arguments")));
    };
    let iterator = match &*values {
        [] => return Err(interp.type_error(format!("{name} expected at least 1 argument, got 0"))),
        [unknown @ Value::Unknown(_)] => return Ok(unknown.clone()),
        [iterable] => interp.iter(iterable)?,
        _ if !default.is_unset() => {
            return Err(
                interp.type_error(format!("Cannot specify a default for {name}() with multiple positional arguments"))
            );
        }
        _ => interp.iter(&Value::Tuple(values))?,
    };
    let key = key.given();
    let mut best: Option<(Value, Value)> = None;
    while let Some(item) = interp.next(&iterator)? {
        interp.charge(1)?;
        let rank = match &key {
            Some(key) => interp.call_values(key, [item.clone()])?,
            None => item.clone(),
        };
        if rank.is_unknown() {
            return Ok(rank);
        }
        best = Some(match best {
            None => (rank, item),
            Some((best_rank, best_item)) => {
                let better = interp.compare(op, &rank, &best_rank)?;
                if better.is_unknown() {
                    return Ok(better);
                }
                if interp.truth(&better)? { (rank, item) } else { (best_rank, best_item) }
            }
        });
    }
    match best {
        Some((_, item)) => Ok(item),
        None if default.is_unset() => Err(interp.value_error(format!("{name}() arg is an empty sequence"))),
        None => Ok(default),
    }
}

pub(super) fn smallest(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    extreme(interp, arguments, "min", CompareOp::Lt)
}

pub(super) fn largest(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    extreme(interp, arguments, "max", CompareOp::Gt)
}

pub(super) fn sorted(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [iterable, key, reverse] = arguments.take();
    let items = interp.collect(&iterable)?;
    let reverse = interp.truth(&reverse)?;
    sort(interp, items, key.given().as_ref(), reverse).map(Value::list)
}

pub(super) fn iterator(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [value, sentinel] = arguments.take();
    if value.is_unknown() {
        return Ok(value);
    }
    if sentinel.is_unset() {
        return interp.iter(&value);
    }
    if !interp.is_callable(&value) {
        return Err(interp.type_error("iter(v, w): v must be callable"));
    }
    Ok(interp.iter_until(value, sentinel))
}

pub(super) fn next(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [iterator, default] = arguments.take();
    if iterator.is_unknown() {
        return Ok(iterator);
    }
    // A user's `__next__` may raise StopIteration with a value, which must stay.
    let item = match &iterator {
        Value::Instance(_) if default.is_unset() => {
            return match interp.call_special(&iterator, "__next__", [])? {
                Some(item) => Ok(item),
                None => Err(interp.type_error(format!("'{}' object is not an iterator", interp.type_name(&iterator)))),
            };
        }
        _ if default.is_unset() => return interp.next_item(&iterator),
        _ => interp.next(&iterator)?,
    };
    match item {
        Some(item) => Ok(item),
        None if default.is_unset() => Err(interp.stop_iteration(Value::None)),
        None => Ok(default),
    }
}
