//! Iterators over arrangements: products, permutations, combinations, in the order of `itertools`.

use super::super::support::{arguments, form, iterator, variadic};
use super::iterator_class;
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::NativeDef;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

pub(super) static CLASSES: &[&NativeClass] = &[&PRODUCT, &PERMUTATIONS, &COMBINATIONS, &COMBINATIONS_WITH_REPLACEMENT];

iterator_class!(
    PRODUCT,
    "product",
    "product(*iterables, repeat=1): tuples of nested loops, the last fastest.",
    product
);
iterator_class!(PERMUTATIONS, "permutations", "permutations(iterable, r=None): arrangements of r items.", permutations);
iterator_class!(COMBINATIONS, "combinations", "combinations(iterable, r): choices of r items in order.", combinations);
iterator_class!(
    COMBINATIONS_WITH_REPLACEMENT,
    "combinations_with_replacement",
    "combinations_with_replacement(iterable, r): choices of r items in order, items may repeat.",
    combinations_with_replacement
);

/// An iterator over index tuples: the first is given, `advance` makes the next one in place or tells that there is none.
fn arrangements(
    table: &'static NativeClass,
    pools: Vec<Rc<[Value]>>,
    first: Option<Vec<usize>>,
    mut advance: impl FnMut(&mut [usize]) -> bool + 'static,
) -> Value {
    let mut state = first;
    let mut started = false;
    iterator(table, move |_| {
        let Some(indices) = &mut state else { return Ok(None) };
        if started && !advance(indices) {
            state = None;
            return Ok(None);
        }
        started = true;
        let items = indices.iter().enumerate().map(|(slot, &at)| pools[slot.min(pools.len() - 1)][at].clone());
        Ok(Some(Value::tuple(items)))
    })
}

fn product(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterables, repeat] = arguments(interp, const { &form("product", "(*iterables, repeat=1)") }, args)?.take();
    let repeat = interp.to_i64(&repeat)?;
    let Ok(repeat) = usize::try_from(repeat) else {
        return Err(interp.value_error("repeat argument cannot be negative"));
    };
    let mut pools: Vec<Rc<[Value]>> = Vec::new();
    for iterable in variadic(&iterables) {
        pools.push(interp.collect(iterable)?.into());
    }
    interp.charge_bytes((pools.len() as u128) * (repeat as u128) * 16)?;
    let pools: Vec<_> = std::iter::repeat_n(pools, repeat).flatten().collect();
    if pools.is_empty() {
        let mut first = Some(Value::tuple([]));
        return Ok(iterator(&PRODUCT, move |_| Ok(first.take())));
    }
    let lengths: Vec<usize> = pools.iter().map(|pool| pool.len()).collect();
    let first = (!lengths.contains(&0)).then(|| vec![0; pools.len()]);
    Ok(arrangements(&PRODUCT, pools, first, move |indices| {
        for slot in (0..indices.len()).rev() {
            indices[slot] += 1;
            if indices[slot] < lengths[slot] {
                return true;
            }
            indices[slot] = 0;
        }
        false
    }))
}

/// The pool and the number of items to choose; `None` for all.
fn pool(interp: &Interp, form: &'static NativeDef, args: CallArgs) -> PyResult<(Rc<[Value]>, usize)> {
    let [iterable, r] = arguments(interp, form, args)?.take();
    let items: Rc<[Value]> = interp.collect(&iterable)?.into();
    let r = match r {
        Value::None => items.len(),
        Value::Int(_) | Value::Bool(_) => match usize::try_from(interp.to_i64(&r)?) {
            Ok(r) => r,
            Err(_) => return Err(interp.value_error("r must be non-negative")),
        },
        Value::Unknown(_) => 0,
        _ if form.name == "permutations" => return Err(interp.type_error("Expected int as r")),
        other => {
            return Err(
                interp.type_error(format!("'{}' object cannot be interpreted as an integer", interp.type_name(&other)))
            );
        }
    };
    Ok((items, r))
}

/// The only arrangement of nothing.
fn single_empty(table: &'static NativeClass) -> Value {
    let mut first = Some(Value::tuple([]));
    iterator(table, move |_| Ok(first.take()))
}

fn permutations(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let (items, r) = pool(interp, const { &form("permutations", "(iterable, r=None)") }, args)?;
    let n = items.len();
    if r == 0 {
        return Ok(single_empty(&PERMUTATIONS));
    }
    let mut order: Vec<usize> = (0..n).collect();
    let mut cycles: Vec<usize> = (0..r.min(n)).map(|slot| n - slot).collect();
    let first = (r <= n).then(|| order[..r].to_vec());
    // The algorithm of CPython's documentation: `cycles` counts down how often each slot may still be swapped.
    Ok(arrangements(&PERMUTATIONS, vec![items], first, move |indices| {
        for slot in (0..r).rev() {
            cycles[slot] -= 1;
            if cycles[slot] == 0 {
                order[slot..].rotate_left(1);
                cycles[slot] = n - slot;
            } else {
                let other = n - cycles[slot];
                order.swap(slot, other);
                indices.copy_from_slice(&order[..r]);
                return true;
            }
        }
        false
    }))
}

fn combinations(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let (items, r) = pool(interp, const { &form("combinations", "(iterable, r)") }, args)?;
    let n = items.len();
    if r == 0 {
        return Ok(single_empty(&COMBINATIONS));
    }
    let first = (r <= n).then(|| (0..r).collect());
    Ok(arrangements(&COMBINATIONS, vec![items], first, move |indices| {
        let Some(slot) = (0..r).rev().find(|&slot| indices[slot] != slot + n - r) else { return false };
        indices[slot] += 1;
        for later in slot + 1..r {
            indices[later] = indices[later - 1] + 1;
        }
        true
    }))
}

fn combinations_with_replacement(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let (items, r) = pool(interp, const { &form("combinations_with_replacement", "(iterable, r)") }, args)?;
    let n = items.len();
    if r == 0 {
        return Ok(single_empty(&COMBINATIONS_WITH_REPLACEMENT));
    }
    let first = (n > 0).then(|| vec![0; r]);
    Ok(arrangements(&COMBINATIONS_WITH_REPLACEMENT, vec![items], first, move |indices| {
        let Some(slot) = (0..r).rev().find(|&slot| indices[slot] != n - 1) else { return false };
        let value = indices[slot] + 1;
        indices[slot..].fill(value);
        true
    }))
}
