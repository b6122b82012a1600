//! `collections.Counter`: a dict from elements to counts.

use super::super::support::{ClassBuilder, classes, dict, entries, iterator_of, row};
use super::{class_name, dict_instance, inner};
use crate::call::CallArgs;
use crate::class::{Builtin, Class};
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp};
use std::rc::Rc;

const METHODS: &[NativeDef] = &[
    row("__missing__", "(self, key)", "The count of elements not in the Counter is zero.", |_, _| Ok(Value::int(0i64))),
    row("__repr__", "(self)", "Elements with their counts, most common first.", repr),
    row("most_common", "(self, n=None)", "The n most common elements with their counts.", most_common),
    row("elements", "(self)", "Each element as often as it was counted.", elements),
    row("total", "(self)", "The sum of the counts.", total),
    row("update", "(self, iterable=None, /, **kwds)", "Adds counts.", |i, a| change(i, a, BinaryOp::Add)),
    row("subtract", "(self, iterable=None, /, **kwds)", "Subtracts counts.", |i, a| change(i, a, BinaryOp::Sub)),
    row("copy", "(self)", "A shallow copy.", copy),
    row("__add__", "(self, other)", "Adds counts, keeping the positive.", |i, a| combine(i, a, Combination::Add)),
    row("__sub__", "(self, other)", "Subtracts counts, keeping the positive.", |i, a| combine(i, a, Combination::Sub)),
    row("__or__", "(self, other)", "The larger of the counts.", |i, a| combine(i, a, Combination::Max)),
    row("__and__", "(self, other)", "The smaller of the counts.", |i, a| combine(i, a, Combination::Min)),
    row("__pos__", "(self)", "The positive counts.", |i, a| signed(i, a, CompareOp::Gt)),
    row("__neg__", "(self)", "The negative counts, negated.", |i, a| signed(i, a, CompareOp::Lt)),
    row("__eq__", "(self, other)", "Missing elements count zero.", |i, a| compare(i, a, CompareOp::Eq)),
    row("__le__", "(self, other)", "Whether every count is at most the other's.", |i, a| compare(i, a, CompareOp::LtE)),
    row("__ge__", "(self, other)", "Whether every count is at least the other's.", |i, a| {
        compare(i, a, CompareOp::GtE)
    }),
    row("__delitem__", "(self, elem)", "Forgets an element; one that is not there is no error.", delete),
    row("__init__", "(self, /, *args, **kwargs)", "Nothing left to do.", |_, _| Ok(Value::None)),
];

#[derive(Clone, Copy)]
enum Combination {
    Add,
    Sub,
    Max,
    Min,
}

pub(super) fn class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "Counter", |interp| {
        ClassBuilder::new("Counter", "collections", &interp.types().dict)
            .builtin(Builtin::Dict)
            .doc("Counter(iterable=None, /, **kwds): counts hashable elements.")
            .construct(construct)
            .methods(METHODS)
            .build()
    })
}

fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let result = classes::instance(class, dict());
    interp.call(&interp.get_attr(&result, "update")?, args)?;
    Ok(result)
}

/// The count of `key`; zero where there is none.
fn count(interp: &Interp, counter: &Value, key: &Value) -> PyResult<Value> {
    match inner(counter) {
        Some(dict) => Ok(interp.dict_get(&dict, key)?.unwrap_or_else(|| Value::int(0i64))),
        None => Ok(Value::int(0i64)),
    }
}

fn set(interp: &Interp, counter: &Value, key: Value, value: Value) -> PyResult<()> {
    match inner(counter) {
        Some(dict) => interp.dict_set(&dict, key, value),
        None => Ok(()),
    }
}

fn pairs(counter: &Value) -> Vec<(Value, Value)> {
    inner(counter).map_or_else(Vec::new, |dict| dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect())
}

fn change(interp: &Interp, args: Arguments, op: BinaryOp) -> PyResult<Value> {
    let [this, source, keywords] = args.take();
    let mapping = interp.find_attr(&source, "keys")?.is_some();
    if !source.is_none() && !source.is_unknown() {
        if mapping {
            for (key, value) in entries(interp, &source)? {
                let sum = interp.binary(op, &count(interp, &this, &key)?, &value)?;
                set(interp, &this, key, sum)?;
            }
        } else {
            let one = Value::int(1i64);
            let iterator = interp.iter(&source)?;
            while let Some(key) = interp.next(&iterator)? {
                let sum = interp.binary(op, &count(interp, &this, &key)?, &one)?;
                set(interp, &this, key, sum)?;
            }
        }
    }
    for (key, value) in entries(interp, &keywords)? {
        let sum = interp.binary(op, &count(interp, &this, &key)?, &value)?;
        set(interp, &this, key, sum)?;
    }
    Ok(Value::None)
}

/// Largest count first; equal counts in order of first appearance.
fn ranked(interp: &Interp, counter: &Value) -> PyResult<Vec<(Value, Value)>> {
    let pairs = pairs(counter);
    let keyed =
        Value::list(pairs.iter().enumerate().map(|(at, (_, n))| Value::tuple([n.clone(), Value::int(-(at as i64))])));
    let sorted = interp.call_values(&super::super::support::builtin(interp, "sorted")?, [keyed])?;
    let mut ranked = Vec::with_capacity(pairs.len());
    for entry in interp.collect(&sorted)?.into_iter().rev() {
        let at = interp.to_i64(&interp.get_item(&entry, &Value::int(1i64))?)?;
        ranked.push(pairs[(-at) as usize].clone());
    }
    Ok(ranked)
}

fn most_common(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, n] = args.take();
    let ranked = ranked(interp, &this)?;
    let keep = match n.given() {
        Some(n) => usize::try_from(interp.to_i64(&n)?).unwrap_or(0),
        None => ranked.len(),
    };
    Ok(Value::list(ranked.into_iter().take(keep).map(|(key, value)| Value::tuple([key, value]))))
}

fn repr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let name = class_name(interp, &this);
    if inner(&this).is_none_or(|dict| dict.borrow().is_empty()) {
        return Ok(Value::str(format!("{name}()")));
    }
    // Counts that do not compare are shown in order of appearance.
    let shown = match ranked(interp, &this) {
        Ok(ranked) => ranked,
        Err(stop) if interp.stop_is(&stop, &interp.types().type_error) => pairs(&this),
        Err(stop) => return Err(stop),
    };
    let entries: Vec<String> = interp.nested(|| {
        shown.iter().map(|(k, v)| Ok(format!("{}: {}", interp.repr(k)?, interp.repr(v)?))).collect::<PyResult<_>>()
    })?;
    Ok(Value::str(format!("{name}({{{}}})", entries.join(", "))))
}

fn elements(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let mut result = Vec::new();
    for (key, value) in pairs(&this) {
        let times = usize::try_from(interp.to_i64(&value)?).unwrap_or(0);
        interp.charge_bytes((times as u128) * std::mem::size_of::<Value>() as u128)?;
        result.extend(std::iter::repeat_n(key, times));
    }
    Ok(iterator_of(result))
}

fn total(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    pairs(&this).iter().try_fold(Value::int(0i64), |sum, (_, value)| interp.binary(BinaryOp::Add, &sum, value))
}

fn copy(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let source = inner(&this).map(Value::Dict);
    dict_instance(interp, &interp.type_of(&this), source.as_ref())
}

fn is_counter(interp: &Interp, value: &Value) -> bool {
    interp.type_of(value).is_subclass(&class(interp))
}

fn combine(interp: &Interp, args: Arguments, how: Combination) -> PyResult<Value> {
    let [this, other] = args.take();
    if !is_counter(interp, &other) {
        return Ok(Value::NotImplemented);
    }
    let result = classes::instance(&class(interp), dict());
    let zero = Value::int(0i64);
    let keep = |key: Value, value: Value| -> PyResult<()> {
        if interp.truth(&interp.compare(CompareOp::Gt, &value, &zero)?)? {
            set(interp, &result, key, value)
        } else {
            Ok(())
        }
    };
    for (key, value) in pairs(&this) {
        let theirs = count(interp, &other, &key)?;
        let chosen = match how {
            Combination::Add => interp.binary(BinaryOp::Add, &value, &theirs)?,
            Combination::Sub => interp.binary(BinaryOp::Sub, &value, &theirs)?,
            Combination::Max | Combination::Min => {
                let less = interp.truth(&interp.compare(CompareOp::Lt, &value, &theirs)?)?;
                if less == matches!(how, Combination::Max) { theirs } else { value }
            }
        };
        keep(key, chosen)?;
    }
    for (key, value) in pairs(&other) {
        let known = match inner(&this) {
            Some(dict) => interp.dict_get(&dict, &key)?.is_some(),
            None => false,
        };
        if known {
            continue;
        }
        match how {
            Combination::Add | Combination::Max => keep(key, value)?,
            Combination::Sub => keep(key, interp.binary(BinaryOp::Sub, &zero, &value)?)?,
            Combination::Min => {}
        }
    }
    Ok(result)
}

fn signed(interp: &Interp, args: Arguments, sign: CompareOp) -> PyResult<Value> {
    let [this] = args.take();
    let result = classes::instance(&class(interp), dict());
    let zero = Value::int(0i64);
    for (key, value) in pairs(&this) {
        if interp.truth(&interp.compare(sign, &value, &zero)?)? {
            let value = if sign == CompareOp::Lt { interp.binary(BinaryOp::Sub, &zero, &value)? } else { value };
            set(interp, &result, key, value)?;
        }
    }
    Ok(result)
}

fn compare(interp: &Interp, args: Arguments, op: CompareOp) -> PyResult<Value> {
    let [this, other] = args.take();
    if !is_counter(interp, &other) {
        return Ok(Value::NotImplemented);
    }
    for (key, _) in pairs(&this).into_iter().chain(pairs(&other)) {
        let (a, b) = (count(interp, &this, &key)?, count(interp, &other, &key)?);
        if !interp.truth(&interp.compare(op, &a, &b)?)? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn delete(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, key] = args.take();
    if let Some(dict) = inner(&this) {
        interp.dict_remove(&dict, &key)?;
    }
    Ok(Value::None)
}
