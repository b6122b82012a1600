//! Iterators that pass items on: counting, chaining, filtering, slicing, zipping.

use super::super::support::{arguments, form, iterator, row, unknown, variadic};
use super::iterator_class;
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::BinaryOp;
use std::rc::Rc;

pub(super) static CLASSES: &[&NativeClass] = &[
    &COUNT,
    &CYCLE,
    &REPEAT,
    &CHAIN,
    &COMPRESS,
    &DROPWHILE,
    &TAKEWHILE,
    &FILTERFALSE,
    &STARMAP,
    &ISLICE,
    &ZIP_LONGEST,
    &PAIRWISE,
    &ACCUMULATE,
];

iterator_class!(COUNT, "count", "count(start=0, step=1): start, start + step, ... without end.", count);
iterator_class!(CYCLE, "cycle", "cycle(iterable, /): the items again and again.", cycle);
iterator_class!(REPEAT, "repeat", "repeat(object, times=None): one object, times times or without end.", repeat);
iterator_class!(
    CHAIN,
    "chain",
    "chain(*iterables): the items of the first iterable, then of the second...",
    |_, _, args| Ok(chain(args.positional.into_iter())),
    &[row("from_iterable", "(cls, iterable, /)", "Chains the iterables that an iterable gives.", |interp, args| {
        let iterables = interp.iter(args.get(1))?;
        Ok(chain_lazily(iterables))
    })]
);
iterator_class!(COMPRESS, "compress", "compress(data, selectors): items whose selector is true.", compress);
iterator_class!(
    DROPWHILE,
    "dropwhile",
    "dropwhile(predicate, iterable, /): items from the first that fails.",
    drop_while
);
iterator_class!(
    TAKEWHILE,
    "takewhile",
    "takewhile(predicate, iterable, /): items up to the first that fails.",
    take_while
);
iterator_class!(FILTERFALSE, "filterfalse", "filterfalse(function, iterable, /): items that fail.", filter_false);
iterator_class!(
    STARMAP,
    "starmap",
    "starmap(function, iterable, /): function called with the items of each item.",
    starmap
);
iterator_class!(ISLICE, "islice", "islice(iterable, stop) or islice(iterable, start, stop[, step]).", islice);
iterator_class!(
    ZIP_LONGEST,
    "zip_longest",
    "zip_longest(*iterables, fillvalue=None): as zip, to the longest.",
    zip_longest
);
iterator_class!(PAIRWISE, "pairwise", "pairwise(iterable, /): overlapping pairs.", pairwise);
iterator_class!(
    ACCUMULATE,
    "accumulate",
    "accumulate(iterable, func=None, *, initial=None): running totals.",
    accumulate
);

fn count(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [start, step] = arguments(interp, const { &form("count", "(start=0, step=1)") }, args)?.take();
    for value in [&start, &step] {
        let may_add =
            matches!(value, Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Complex(..) | Value::Unknown(_))
                || matches!(value, Value::Object(_) | Value::Instance(_));
        if !may_add {
            return Err(interp.type_error("a number is required"));
        }
    }
    let mut next = start;
    Ok(iterator(&COUNT, move |interp| {
        let following = interp.binary(BinaryOp::Add, &next, &step)?;
        Ok(Some(std::mem::replace(&mut next, following)))
    }))
}

fn cycle(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterable] = arguments(interp, const { &form("cycle", "(iterable, /)") }, args)?.take();
    let mut source = Some(interp.iter(&iterable)?);
    let mut saved: Vec<Value> = Vec::new();
    let mut at = 0;
    Ok(iterator(&CYCLE, move |interp| {
        if let Some(iterator) = &source {
            if let Some(item) = interp.next(iterator)? {
                saved.push(item.clone());
                return Ok(Some(item));
            }
            source = None;
        }
        if saved.is_empty() {
            return Ok(None);
        }
        let item = saved[at].clone();
        at = (at + 1) % saved.len();
        Ok(Some(item))
    }))
}

fn repeat(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [object, times] = arguments(interp, const { &form("repeat", "(object, times=...)") }, args)?.take();
    if times.is_unknown() {
        return Ok(times);
    }
    let mut left = if times.is_unset() { None } else { Some(interp.to_i64(&times)?.max(0)) };
    Ok(iterator(&REPEAT, move |_| match &mut left {
        Some(0) => Ok(None),
        Some(count) => {
            *count -= 1;
            Ok(Some(object.clone()))
        }
        None => Ok(Some(object.clone())),
    }))
}

fn chain(iterables: impl Iterator<Item = Value> + 'static) -> Value {
    let mut iterables = iterables;
    let mut current: Option<Value> = None;
    iterator(&CHAIN, move |interp| {
        loop {
            if let Some(iterator) = &current {
                if let Some(item) = interp.next(iterator)? {
                    return Ok(Some(item));
                }
                current = None;
            }
            match iterables.next() {
                Some(iterable) => current = Some(interp.iter(&iterable)?),
                None => return Ok(None),
            }
        }
    })
}

fn chain_lazily(iterables: Value) -> Value {
    let mut current: Option<Value> = None;
    iterator(&CHAIN, move |interp| {
        loop {
            if let Some(iterator) = &current {
                if let Some(item) = interp.next(iterator)? {
                    return Ok(Some(item));
                }
                current = None;
            }
            match interp.next(&iterables)? {
                Some(iterable) => current = Some(interp.iter(&iterable)?),
                None => return Ok(None),
            }
        }
    })
}

fn compress(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [data, selectors] = arguments(interp, const { &form("compress", "(data, selectors)") }, args)?.take();
    let (data, selectors) = (interp.iter(&data)?, interp.iter(&selectors)?);
    Ok(iterator(&COMPRESS, move |interp| {
        loop {
            let Some(item) = interp.next(&data)? else { return Ok(None) };
            let Some(selector) = interp.next(&selectors)? else { return Ok(None) };
            if interp.truth(&selector)? {
                return Ok(Some(item));
            }
        }
    }))
}

/// The function and the iterator of `filterfalse` and its siblings.
fn predicate(interp: &Interp, form: &'static crate::native::NativeDef, args: CallArgs) -> PyResult<(Value, Value)> {
    let [function, iterable] = arguments(interp, form, args)?.take();
    Ok((function, interp.iter(&iterable)?))
}

fn drop_while(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let (function, items) = predicate(interp, const { &form("dropwhile", "(predicate, iterable, /)") }, args)?;
    let mut dropping = true;
    Ok(iterator(&DROPWHILE, move |interp| {
        while let Some(item) = interp.next(&items)? {
            if !dropping || !interp.truth(&interp.call_values(&function, [item.clone()])?)? {
                dropping = false;
                return Ok(Some(item));
            }
        }
        Ok(None)
    }))
}

fn take_while(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let (function, items) = predicate(interp, const { &form("takewhile", "(predicate, iterable, /)") }, args)?;
    let mut done = false;
    Ok(iterator(&TAKEWHILE, move |interp| {
        if done {
            return Ok(None);
        }
        if let Some(item) = interp.next(&items)?
            && interp.truth(&interp.call_values(&function, [item.clone()])?)?
        {
            return Ok(Some(item));
        }
        done = true;
        Ok(None)
    }))
}

fn filter_false(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let (function, items) = predicate(interp, const { &form("filterfalse", "(function, iterable, /)") }, args)?;
    Ok(iterator(&FILTERFALSE, move |interp| {
        while let Some(item) = interp.next(&items)? {
            let verdict =
                if function.is_none() { item.clone() } else { interp.call_values(&function, [item.clone()])? };
            if !interp.truth(&verdict)? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }))
}

fn starmap(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let (function, items) = predicate(interp, const { &form("starmap", "(function, iterable, /)") }, args)?;
    Ok(iterator(&STARMAP, move |interp| match interp.next(&items)? {
        Some(item) => {
            let values = interp.collect(&item)?;
            interp.call_values(&function, values).map(Some)
        }
        None => Ok(None),
    }))
}

fn islice(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterable, bounds] = arguments(interp, const { &form("islice", "(iterable, *args)") }, args)?.take();
    let bounds = variadic(&bounds);
    if let Some(unknown) = unknown(bounds) {
        return Ok(unknown);
    }
    let (start, stop, step) = match bounds {
        [stop] => (Value::None, stop.clone(), Value::None),
        [start, stop] => (start.clone(), stop.clone(), Value::None),
        [start, stop, step] => (start.clone(), stop.clone(), step.clone()),
        [] => return Err(interp.type_error("islice expected at least 2 arguments, got 1")),
        more => {
            return Err(interp.type_error(format!("islice expected at most 4 arguments, got {}", more.len() + 1)));
        }
    };
    let bound = |value: &Value, message: &str, least: i64| -> PyResult<Option<i64>> {
        if value.is_none() {
            return Ok(None);
        }
        match interp.as_index(value)?.and_then(|index| index.to_i64()) {
            Some(index) if index >= least => Ok(Some(index)),
            _ => Err(interp.value_error(message.to_owned())),
        }
    };
    const STOP: &str = "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.";
    const INDICES: &str = "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.";
    let stop = bound(&stop, if bounds.len() == 1 { STOP } else { INDICES }, 0)?;
    let start = bound(&start, INDICES, 0)?.unwrap_or(0);
    let step = bound(&step, "Step for islice() must be a positive integer or None.", 1)?.unwrap_or(1);
    let items = interp.iter(&iterable)?;
    let (mut at, mut wanted, mut done) = (0, start, false);
    Ok(iterator(&ISLICE, move |interp| {
        if done {
            return Ok(None);
        }
        let limit = stop.unwrap_or(i64::MAX);
        // Items before the stop are consumed even where the step jumps over it, as CPython does.
        let target = wanted.min(limit);
        while at < target {
            if interp.next(&items)?.is_none() {
                done = true;
                return Ok(None);
            }
            at += 1;
        }
        if wanted >= limit {
            done = true;
            return Ok(None);
        }
        at += 1;
        wanted = wanted.saturating_add(step);
        let item = interp.next(&items)?;
        done = item.is_none();
        Ok(item)
    }))
}

fn zip_longest(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterables, fill] =
        arguments(interp, const { &form("zip_longest", "(*iterables, fillvalue=None)") }, args)?.take();
    let mut sources: Vec<Option<Value>> =
        variadic(&iterables).iter().map(|iterable| interp.iter(iterable).map(Some)).collect::<PyResult<_>>()?;
    Ok(iterator(&ZIP_LONGEST, move |interp| {
        let mut row = Vec::with_capacity(sources.len());
        for source in &mut sources {
            let item = match source {
                Some(iterator) => interp.next(iterator)?,
                None => None,
            };
            if item.is_none() {
                *source = None;
            }
            row.push(item.unwrap_or_else(|| fill.clone()));
        }
        Ok(if sources.iter().all(Option::is_none) { None } else { Some(Value::tuple(row)) })
    }))
}

fn pairwise(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterable] = arguments(interp, const { &form("pairwise", "(iterable, /)") }, args)?.take();
    let items = interp.iter(&iterable)?;
    let mut previous: Option<Value> = None;
    Ok(iterator(&PAIRWISE, move |interp| {
        let first = match previous.take() {
            Some(first) => first,
            None => match interp.next(&items)? {
                Some(first) => first,
                None => return Ok(None),
            },
        };
        let Some(second) = interp.next(&items)? else { return Ok(None) };
        previous = Some(second.clone());
        Ok(Some(Value::tuple([first, second])))
    }))
}

fn accumulate(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterable, function, initial] =
        arguments(interp, const { &form("accumulate", "(iterable, func=None, *, initial=None)") }, args)?.take();
    let items = interp.iter(&iterable)?;
    let mut pending = initial.given();
    let mut total: Option<Value> = None;
    Ok(iterator(&ACCUMULATE, move |interp| {
        if let Some(initial) = pending.take() {
            total = Some(initial.clone());
            return Ok(Some(initial));
        }
        let Some(item) = interp.next(&items)? else { return Ok(None) };
        let sum = match &total {
            None => item,
            Some(total) if function.is_none() => interp.binary(BinaryOp::Add, total, &item)?,
            Some(total) => interp.call_values(&function, [total.clone(), item])?,
        };
        total = Some(sum.clone());
        Ok(Some(sum))
    }))
}
