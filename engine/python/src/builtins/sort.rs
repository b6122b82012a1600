//! A stable merge sort whose comparisons may run user code, fail, or contradict each other. Rust's own sort is used
//! only where keys are plain, since it may panic on comparisons that are no order.

use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::CompareOp;
use std::cmp::Ordering;

/// Items with the keys they are sorted by.
type Keyed = (Value, Value);

/// `sorted(items, key=key, reverse=reverse)`
pub(crate) fn sort(interp: &Interp, items: Vec<Value>, key: Option<&Value>, reverse: bool) -> PyResult<Vec<Value>> {
    let mut keyed: Vec<Keyed> = Vec::with_capacity(items.len());
    for item in items {
        let key = match key {
            Some(key) => interp.call_values(key, [item.clone()])?,
            None => item.clone(),
        };
        keyed.push((key, item));
    }
    if keyed.iter().any(|(key, _)| key.is_unknown()) {
        return Ok(keyed.into_iter().map(|(_, item)| item).collect());
    }
    // Reversing before and after keeps equal items in their order.
    if reverse {
        keyed.reverse();
    }
    if let Some(plain) = plain_order(&keyed) {
        keyed.sort_by(|(a, _), (b, _)| plain(a, b));
    } else {
        keyed = merge_sort(interp, keyed)?;
    }
    if reverse {
        keyed.reverse();
    }
    Ok(keyed.into_iter().map(|(_, item)| item).collect())
}

/// The order of keys that are all small integers, all floats without NaN, or all strings.
fn plain_order(keyed: &[Keyed]) -> Option<fn(&Value, &Value) -> Ordering> {
    let all = |test: fn(&Value) -> bool| keyed.iter().all(|(key, _)| test(key));
    if all(|key| matches!(key, Value::Int(_))) {
        return Some(|a, b| match (a, b) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            _ => Ordering::Equal,
        });
    }
    if all(|key| matches!(key, Value::Float(value) if !value.is_nan())) {
        return Some(|a, b| match (a, b) {
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            _ => Ordering::Equal,
        });
    }
    if all(|key| matches!(key, Value::Str(_))) {
        return Some(|a, b| match (a, b) {
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            _ => Ordering::Equal,
        });
    }
    None
}

/// `a < b` by the keys.
fn less(interp: &Interp, a: &Keyed, b: &Keyed) -> PyResult<bool> {
    interp.charge(1)?;
    let result = interp.compare(CompareOp::Lt, &a.0, &b.0)?;
    interp.truth(&result)
}

fn merge_sort(interp: &Interp, mut items: Vec<Keyed>) -> PyResult<Vec<Keyed>> {
    if items.len() < 2 {
        return Ok(items);
    }
    if items.len() <= 16 {
        return insertion_sort(interp, items);
    }
    let right = items.split_off(items.len() / 2);
    let left = merge_sort(interp, items)?;
    let right = merge_sort(interp, right)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let from_right = less(interp, b, a)?;
        merged.extend(if from_right { right.next() } else { left.next() });
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

/// Binary insertion, as CPython sorts short runs.
fn insertion_sort(interp: &Interp, items: Vec<Keyed>) -> PyResult<Vec<Keyed>> {
    let mut sorted: Vec<Keyed> = Vec::with_capacity(items.len());
    for item in items {
        let (mut low, mut high) = (0, sorted.len());
        // Mostly sorted input is common: look at the end first.
        if let Some(last) = sorted.last()
            && !less(interp, &item, last)?
        {
            low = high;
        }
        while low < high {
            let middle = (low + high) / 2;
            if less(interp, &item, &sorted[middle])? { high = middle } else { low = middle + 1 }
        }
        sorted.insert(low, item);
    }
    Ok(sorted)
}
