//! `heapq`: a list as a priority queue, with the sift operations of CPython, so that the list looks the same.

use super::support::{builtin, iterator_of, row, variadic};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::CompareOp;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "heapq",
    doc: "A list as a priority queue.",
    functions: &[
        row("heappush", "(heap, item, /)", "Adds an item.", |interp, args| {
            let heap = heap(interp, args.get(0))?;
            heap.borrow_mut().push(args.get(1).clone());
            let last = heap.borrow().len() - 1;
            sift_down(interp, &heap, 0, last)?;
            Ok(Value::None)
        }),
        row("heappop", "(heap, /)", "Takes the smallest item out.", |interp, args| {
            pop(interp, &heap(interp, args.get(0))?)
        }),
        row("heapify", "(x, /)", "Makes a list a heap.", |interp, args| {
            let heap = heap(interp, args.get(0))?;
            let half = heap.borrow().len() / 2;
            for at in (0..half).rev() {
                sift_up(interp, &heap, at)?;
            }
            Ok(Value::None)
        }),
        row("heapreplace", "(heap, item, /)", "Takes the smallest item out, then adds one.", |interp, args| {
            let heap = heap(interp, args.get(0))?;
            let smallest = match heap.borrow_mut().first_mut() {
                Some(first) => std::mem::replace(first, args.get(1).clone()),
                None => return Err(interp.index_error("index out of range")),
            };
            sift_up(interp, &heap, 0)?;
            Ok(smallest)
        }),
        row("heappushpop", "(heap, item, /)", "Adds an item, then takes the smallest out.", |interp, args| {
            let heap = heap(interp, args.get(0))?;
            let item = args.get(1).clone();
            let first = heap.borrow().first().cloned();
            match first {
                Some(first) if less(interp, &first, &item)? => {
                    heap.borrow_mut()[0] = item;
                    sift_up(interp, &heap, 0)?;
                    Ok(first)
                }
                _ => Ok(item),
            }
        }),
        row("nlargest", "(n, iterable, key=None)", "The n largest items, largest first.", |i, a| best(i, &a, true)),
        row("nsmallest", "(n, iterable, key=None)", "The n smallest items, smallest first.", |i, a| best(i, &a, false)),
        row(
            "merge",
            "(*iterables, key=None, reverse=False)",
            "The items of sorted iterables, sorted.",
            |interp, args| {
                let mut all = Vec::new();
                for iterable in variadic(args.get(0)) {
                    all.extend(interp.collect(iterable)?);
                }
                Ok(iterator_of(sorted(interp, all, args.get(1), interp.truth(args.get(2))?)?))
            },
        ),
    ],
    populate: |_, _| {},
};

type Heap = Rc<RefCell<Vec<Value>>>;

fn heap(interp: &Interp, value: &Value) -> PyResult<Heap> {
    match value {
        Value::List(items) => Ok(items.clone()),
        other => Err(interp.type_error(format!("heap argument must be a list, not {}", interp.type_name(other)))),
    }
}

fn less(interp: &Interp, a: &Value, b: &Value) -> PyResult<bool> {
    interp.truth(&interp.compare(CompareOp::Lt, a, b)?)
}

/// The item at a position; the comparisons of items may have changed the list.
fn at(interp: &Interp, heap: &Heap, position: usize) -> PyResult<Value> {
    heap.borrow().get(position).cloned().ok_or_else(|| interp.runtime_error("list changed size during iteration"))
}

fn put(interp: &Interp, heap: &Heap, position: usize, item: Value) -> PyResult<()> {
    match heap.borrow_mut().get_mut(position) {
        Some(slot) => {
            *slot = item;
            Ok(())
        }
        None => Err(interp.runtime_error("list changed size during iteration")),
    }
}

/// Moves the item at `position` towards `start` until its parent is not larger.
fn sift_down(interp: &Interp, heap: &Heap, start: usize, mut position: usize) -> PyResult<()> {
    let item = at(interp, heap, position)?;
    while position > start {
        let parent_position = (position - 1) / 2;
        let parent = at(interp, heap, parent_position)?;
        if !less(interp, &item, &parent)? {
            break;
        }
        put(interp, heap, position, parent)?;
        position = parent_position;
    }
    put(interp, heap, position, item)
}

/// Moves smaller children up until a leaf is free, then sifts the item down from there.
fn sift_up(interp: &Interp, heap: &Heap, start: usize) -> PyResult<()> {
    let end = heap.borrow().len();
    if start >= end {
        return Ok(());
    }
    let item = at(interp, heap, start)?;
    let mut position = start;
    let mut child = 2 * position + 1;
    while child < end {
        let right = child + 1;
        if right < end && !less(interp, &at(interp, heap, child)?, &at(interp, heap, right)?)? {
            child = right;
        }
        let moved = at(interp, heap, child)?;
        put(interp, heap, position, moved)?;
        position = child;
        child = 2 * position + 1;
    }
    put(interp, heap, position, item)?;
    sift_down(interp, heap, start, position)
}

fn pop(interp: &Interp, heap: &Heap) -> PyResult<Value> {
    let Some(last) = heap.borrow_mut().pop() else { return Err(interp.index_error("index out of range")) };
    let smallest = match heap.borrow_mut().first_mut() {
        Some(first) => std::mem::replace(first, last),
        None => return Ok(last),
    };
    sift_up(interp, heap, 0)?;
    Ok(smallest)
}

fn sorted(interp: &Interp, items: Vec<Value>, key: &Value, reverse: bool) -> PyResult<Vec<Value>> {
    let mut call = crate::call::CallArgs::positional([Value::list(items)]);
    call.keywords.push(("key".into(), key.clone()));
    call.keywords.push(("reverse".into(), Value::Bool(reverse)));
    interp.collect(&interp.call(&builtin(interp, "sorted")?, call)?)
}

fn best(interp: &Interp, args: &Arguments, largest: bool) -> PyResult<Value> {
    let n = usize::try_from(interp.to_i64(args.get(0))?).unwrap_or(0);
    let mut items = sorted(interp, interp.collect(args.get(1))?, args.get(2), largest)?;
    items.truncate(n);
    Ok(Value::list(items))
}
