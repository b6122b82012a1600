//! `list` and `tuple`: their tables and constructors.

use crate::builtins::construct::{Call, finish};
use crate::builtins::sort::sort;
use crate::builtins::special as s;
use crate::builtins::str_methods::search::window;
use crate::builtins::table::{known, rows, this_list, this_tuple};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::BinaryOp;
use std::rc::Rc;

/// The table of `list`.
pub static LIST: NativeClass = NativeClass {
    name: "list",
    module: "builtins",
    doc: "list(iterable=(), /) -> mutable sequence.",
    methods: LIST_METHODS,
    properties: &[],
    construct: Some(construct_list),
    instance_check: None,
};

/// The table of `tuple`.
pub static TUPLE: NativeClass = NativeClass {
    name: "tuple",
    module: "builtins",
    doc: "tuple(iterable=(), /) -> immutable sequence.",
    methods: rows! {
        "count", "(self, value, /)", "Number of occurrences of value.", tuple_count;
        "index", "(self, value, start=0, stop=9223372036854775807, /)", "First index of value.", tuple_index;
        s::ADD, s::MUL, s::RMUL, s::LT, s::LE, s::GT, s::GE, s::LEN, s::ITER, s::CONTAINS, s::GETITEM,
    },
    properties: &[],
    construct: Some(construct_tuple),
    instance_check: None,
};

static LIST_METHODS: &[NativeDef] = rows! {
    "append", "(self, object, /)", "Append object to the end of the list.", append;
    "clear", "(self, /)", "Remove all items from list.", clear;
    "copy", "(self, /)", "Return a shallow copy of the list.", copy;
    "count", "(self, value, /)", "Return number of occurrences of value.", count;
    "extend", "(self, iterable, /)", "Extend list by appending elements from the iterable.", extend;
    "index", "(self, value, start=0, stop=9223372036854775807, /)", "Return first index of value.", index;
    "insert", "(self, index, object, /)", "Insert object before index.", insert;
    "pop", "(self, index=-1, /)", "Remove and return item at index (default last).", pop;
    "remove", "(self, value, /)", "Remove first occurrence of value.", remove;
    "reverse", "(self, /)", "Reverse *IN PLACE*.", reverse;
    "sort", "(self, /, *, key=None, reverse=False)", "Sort the list in ascending order and return None.", sort_list;
    "__iadd__", "(self, value, /)", "Implement self+=value.", add_in_place;
    "__imul__", "(self, value, /)", "Implement self*=value.", multiply_in_place;
    "__reversed__", "(self, /)", "Return a reverse iterator over the list.", reversed;
    s::ADD, s::MUL, s::RMUL, s::LT, s::LE, s::GT, s::GE, s::LEN, s::ITER, s::CONTAINS, s::GETITEM, s::SETITEM, s::DELITEM,
};

fn append(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, item] = arguments.take();
    let list = this_list(interp, &this, "append")?;
    interp.charge_bytes(size_of::<Value>() as u128)?;
    list.borrow_mut().push(item);
    Ok(Value::None)
}

fn clear(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    let old = std::mem::take(&mut *this_list(interp, &this, "clear")?.borrow_mut());
    drop(old);
    Ok(Value::None)
}

fn copy(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    let items = this_list(interp, &this, "copy")?.borrow().clone();
    interp.charge_bytes(items.len() as u128 * size_of::<Value>() as u128)?;
    Ok(Value::list(items))
}

fn occurrences(interp: &Interp, items: &[Value], value: &Value) -> PyResult<Value> {
    let mut found = 0usize;
    for item in items {
        found += usize::from(interp.equals(item, value)?);
    }
    Ok(Value::from(found))
}

fn count(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, value] = arguments.take();
    let items = this_list(interp, &this, "count")?.borrow().clone();
    occurrences(interp, &items, &value)
}

fn tuple_count(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, value] = arguments.take();
    occurrences(interp, &this_tuple(interp, &this, "count")?, &value)
}

fn position(interp: &Interp, items: &[Value], arguments: &[Value; 4]) -> PyResult<Option<usize>> {
    let [_, value, start, stop] = arguments;
    let Some((start, stop)) = window(interp, items.len(), start, stop)? else {
        return Ok(None);
    };
    for (offset, item) in items[start..stop].iter().enumerate() {
        if interp.equals(item, value)? {
            return Ok(Some(start + offset));
        }
    }
    Ok(None)
}

fn index(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let arguments: [Value; 4] = arguments.take();
    let items = this_list(interp, &arguments[0], "index")?.borrow().clone();
    match position(interp, &items, &arguments)? {
        Some(at) => Ok(Value::from(at)),
        None => Err(interp.value_error(format!("{} is not in list", interp.repr(&arguments[1])?))),
    }
}

fn tuple_index(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let arguments: [Value; 4] = arguments.take();
    let items = this_tuple(interp, &arguments[0], "index")?;
    let found = position(interp, &items, &arguments)?;
    found.map(Value::from).ok_or_else(|| interp.value_error("tuple.index(x): x not in tuple"))
}

fn extend(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, iterable] = arguments.take();
    let list = this_list(interp, &this, "extend")?;
    let items = interp.collect(&iterable)?;
    interp.charge_bytes(items.len() as u128 * size_of::<Value>() as u128)?;
    list.borrow_mut().extend(items);
    Ok(Value::None)
}

fn insert(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, index, item] = arguments.take();
    let list = this_list(interp, &this, "insert")?;
    let index = if index.is_unknown() { 0 } else { interp.to_i64(&index)? };
    interp.charge_bytes(size_of::<Value>() as u128)?;
    let mut list = list.borrow_mut();
    let length = list.len() as i64;
    let at = if index < 0 { index.saturating_add(length).max(0) } else { index.min(length) };
    list.insert(at as usize, item);
    Ok(Value::None)
}

fn pop(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, index] = arguments.take();
    let list = this_list(interp, &this, "pop")?;
    let index = interp.to_i64(&index)?;
    let mut list = list.borrow_mut();
    if list.is_empty() {
        return Err(interp.index_error("pop from empty list"));
    }
    let at = if index < 0 { index.saturating_add(list.len() as i64) } else { index };
    match usize::try_from(at) {
        Ok(at) if at < list.len() => Ok(list.remove(at)),
        _ => Err(interp.index_error("pop index out of range")),
    }
}

fn remove(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, value] = arguments.take();
    let list = this_list(interp, &this, "remove")?;
    let items = list.borrow().clone();
    for (at, item) in items.iter().enumerate() {
        if interp.equals(item, &value)? {
            // Comparing may have run code that shortened the list.
            let gone = {
                let mut list = list.borrow_mut();
                (at < list.len()).then(|| list.remove(at))
            };
            drop(gone);
            return Ok(Value::None);
        }
    }
    if value.is_unknown() {
        return Ok(Value::None);
    }
    Err(interp.value_error("list.remove(x): x not in list"))
}

fn reverse(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    this_list(interp, &this, "reverse")?.borrow_mut().reverse();
    Ok(Value::None)
}

fn reversed(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    Ok(interp.reversed_list(&this_list(interp, &this, "__reversed__")?))
}

fn sort_list(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, key, reverse] = arguments.take();
    let list = this_list(interp, &this, "sort")?;
    let reverse = interp.truth(&reverse)?;
    let key = key.given().filter(|key| !key.is_unknown());
    // The list is empty while it is being sorted, as in CPython, so that keys and comparisons cannot break it.
    let items = std::mem::take(&mut *list.borrow_mut());
    let kept = items.clone();
    let (sorted, failed) = match sort(interp, items, key.as_ref(), reverse) {
        Ok(sorted) => (sorted, None),
        Err(stop) => (kept, Some(stop)),
    };
    let meanwhile = std::mem::replace(&mut *list.borrow_mut(), sorted);
    match failed {
        Some(stop) => Err(stop),
        None if !meanwhile.is_empty() => Err(interp.value_error("list modified during sort")),
        None => Ok(Value::None),
    }
}

fn in_place(interp: &Interp, op: BinaryOp, arguments: Arguments) -> PyResult<Value> {
    let [this, other] = arguments.take();
    let list = Value::List(this_list(interp, &this, "__iadd__")?);
    match interp.sequence_in_place(op, &list, &interp.plain(&other))? {
        Some(_) => Ok(this),
        None => Ok(Value::NotImplemented),
    }
}

fn add_in_place(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    in_place(interp, BinaryOp::Add, arguments)
}

fn multiply_in_place(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    in_place(interp, BinaryOp::Mult, arguments)
}

/// `list(iterable)`
fn construct_list(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterable] = Call::new("list", args).positional(interp, 0)?;
    let items = match iterable {
        None => Vec::new(),
        Some(unknown @ Value::Unknown(_)) => return Ok(unknown),
        Some(iterable) => interp.collect(&iterable)?,
    };
    Ok(finish(class, &interp.types().list, Value::list(items)))
}

/// `tuple(iterable)`
fn construct_tuple(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterable] = Call::new("tuple", args).positional(interp, 0)?;
    let tuple = match iterable {
        None => Value::tuple([]),
        Some(same @ (Value::Tuple(_) | Value::Unknown(_))) => same,
        Some(iterable) => Value::tuple(interp.collect(&iterable)?),
    };
    Ok(finish(class, &interp.types().tuple, tuple))
}
