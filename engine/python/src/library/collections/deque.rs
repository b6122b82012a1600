//! `collections.deque`: a list with two cheap ends and, if wanted, a bound.

use super::super::support::{arguments, form, iterator, row};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

pub(super) static DEQUE: NativeClass = NativeClass {
    name: "deque",
    module: "collections",
    doc: "deque(iterable=(), maxlen=None): a list with two cheap ends.",
    methods: &[
        row("append", "(self, x, /)", "Adds x at the right.", |i, a| push(i, a, false)),
        row("appendleft", "(self, x, /)", "Adds x at the left.", |i, a| push(i, a, true)),
        row("extend", "(self, iterable, /)", "Adds every item at the right.", |i, a| extend(i, a, false)),
        row("extendleft", "(self, iterable, /)", "Adds every item at the left.", |i, a| extend(i, a, true)),
        row("pop", "(self, /)", "Takes the rightmost item.", |i, a| pop(i, a, false)),
        row("popleft", "(self, /)", "Takes the leftmost item.", |i, a| pop(i, a, true)),
        row("clear", "(self, /)", "Removes everything.", clear),
        row("copy", "(self, /)", "A shallow copy.", copy),
        row("__copy__", "(self, /)", "A shallow copy.", copy),
        row("count", "(self, value, /)", "How often value is there.", count),
        row("index", "(self, value, start=0, stop=None, /)", "Where value is first.", index),
        row("insert", "(self, index, value, /)", "Inserts value before index.", insert),
        row("remove", "(self, value, /)", "Removes the first occurrence of value.", remove),
        row("reverse", "(self, /)", "Reverses in place.", reverse),
        row("rotate", "(self, n=1, /)", "Moves n items from the right end to the left.", rotate),
        row("__reversed__", "(self, /)", "Iterates from the right.", reversed),
    ],
    properties: &[row("maxlen", "(self)", "The bound, or None.", |_, args| {
        Ok(deque(args.get(0)).and_then(|deque| deque.maxlen).map_or(Value::None, Value::from))
    })],
    construct: Some(construct),
    instance_check: None,
};

static ITERATOR: NativeClass = NativeClass {
    name: "_deque_iterator",
    module: "_collections",
    doc: "Iterates over a deque.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

struct Deque {
    class: Rc<Class>,
    items: RefCell<VecDeque<Value>>,
    maxlen: Option<usize>,
    /// Counts changes, so that iterators notice them.
    version: Cell<u64>,
}

fn deque(value: &Value) -> Option<&Deque> {
    value.downcast::<Deque>()
}

fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterable, maxlen] = arguments(interp, const { &form("deque", "(iterable=(), maxlen=None)") }, args)?.take();
    if maxlen.is_unknown() {
        return Ok(maxlen);
    }
    let maxlen = match maxlen.given() {
        None => None,
        Some(value @ (Value::Int(_) | Value::Bool(_))) => match usize::try_from(interp.to_i64(&value)?) {
            Ok(length) => Some(length),
            Err(_) => return Err(interp.value_error("maxlen must be non-negative")),
        },
        Some(_) => return Err(interp.type_error("an integer is required")),
    };
    let result = Deque { class: class.clone(), items: RefCell::default(), maxlen, version: Cell::new(0) };
    for item in interp.collect(&iterable)? {
        result.push(item, false);
    }
    Ok(Value::object(result))
}

impl Deque {
    fn push(&self, item: Value, left: bool) {
        self.version.set(self.version.get() + 1);
        let mut items = self.items.borrow_mut();
        if left {
            items.push_front(item)
        } else {
            items.push_back(item)
        }
        let dropped = match self.maxlen {
            Some(maxlen) if items.len() > maxlen => {
                if left {
                    items.pop_back()
                } else {
                    items.pop_front()
                }
            }
            _ => None,
        };
        drop(items);
        drop(dropped);
    }

    fn like(&self, items: VecDeque<Value>) -> Value {
        Value::object(Deque {
            class: self.class.clone(),
            items: RefCell::new(items),
            maxlen: self.maxlen,
            version: Cell::new(0),
        })
    }

    fn as_list(&self) -> Value {
        Value::list(self.items.borrow().iter().cloned())
    }

    /// An index as Python counts it.
    fn position(&self, interp: &Interp, key: &Value) -> PyResult<usize> {
        if !matches!(key, Value::Int(_) | Value::Bool(_)) && interp.as_index(key)?.is_none() {
            return Err(interp.type_error(format!("sequence index must be integer, not '{}'", interp.type_name(key))));
        }
        let length = self.items.borrow().len() as i64;
        let index = interp.to_i64(key)?;
        let index = if index < 0 { index + length } else { index };
        if (0..length).contains(&index) {
            Ok(index as usize)
        } else {
            Err(interp.index_error("deque index out of range"))
        }
    }
}

impl Object for Deque {
    fn class(&self, _: &Interp) -> Rc<Class> {
        self.class.clone()
    }

    fn get_item(&self, _: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(self.position(interp, key).map(|at| self.items.borrow()[at].clone()))
    }

    fn set_item(&self, _: &Value, key: &Value, value: Value, interp: &Interp) -> Option<PyResult<()>> {
        Some(self.position(interp, key).map(|at| {
            let old = std::mem::replace(&mut self.items.borrow_mut()[at], value);
            drop(old);
        }))
    }

    fn binary(
        &self,
        _: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        match (op, deque(other)) {
            (BinaryOp::Add, Some(other)) if !reflected => {
                let result = self.like(self.items.borrow().clone());
                if let Some(sum) = deque(&result) {
                    for item in other.items.borrow().iter() {
                        sum.push(item.clone(), false);
                    }
                }
                Ok(Some(result))
            }
            (BinaryOp::Mult, None) if matches!(other, Value::Int(_)) => {
                let list = interp.binary(BinaryOp::Mult, &self.as_list(), other)?;
                let result = self.like(VecDeque::new());
                if let Some(product) = deque(&result) {
                    interp.collect(&list)?.into_iter().for_each(|item| product.push(item, false));
                }
                Ok(Some(result))
            }
            _ => Ok(None),
        }
    }

    fn compare(&self, _: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        match deque(other) {
            Some(other) => interp.compare(op, &self.as_list(), &other.as_list()).map(Some),
            None => Ok(None),
        }
    }

    fn length(&self, _: &Value, _: &Interp) -> Option<PyResult<usize>> {
        Some(Ok(self.items.borrow().len()))
    }

    fn iterate(&self, this: &Value, _: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(walk(this.clone(), false)))
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let items = interp.nested(|| interp.repr(&self.as_list()))?;
        let bound = self.maxlen.map_or(String::new(), |maxlen| format!(", maxlen={maxlen}"));
        Ok(Some(format!("{}({items}{bound})", self.class.name)))
    }

    fn hash(&self, _: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        Some(Err(interp.type_error("unhashable type: 'collections.deque'")))
    }
}

fn walk(this: Value, backwards: bool) -> Value {
    let mut at = 0;
    let version = deque(&this).map_or(0, |deque| deque.version.get());
    iterator(&ITERATOR, move |interp| {
        let Some(deque) = deque(&this) else { return Ok(None) };
        if deque.version.get() != version {
            return Err(interp.runtime_error("deque mutated during iteration"));
        }
        let items = deque.items.borrow();
        if at == items.len() {
            return Ok(None);
        }
        let item = if backwards { items[items.len() - 1 - at].clone() } else { items[at].clone() };
        at += 1;
        Ok(Some(item))
    })
}

fn push(_: &Interp, args: Arguments, left: bool) -> PyResult<Value> {
    let [this, item] = args.take();
    if let Some(deque) = deque(&this) {
        deque.push(item, left);
    }
    Ok(Value::None)
}

fn extend(interp: &Interp, args: Arguments, left: bool) -> PyResult<Value> {
    let [this, items] = args.take();
    if let Some(deque) = deque(&this) {
        for item in interp.collect(&items)? {
            deque.push(item, left);
        }
    }
    Ok(Value::None)
}

fn pop(interp: &Interp, args: Arguments, left: bool) -> PyResult<Value> {
    let item = deque(args.get(0)).and_then(|deque| {
        deque.version.set(deque.version.get() + 1);
        let mut items = deque.items.borrow_mut();
        if left { items.pop_front() } else { items.pop_back() }
    });
    item.ok_or_else(|| interp.index_error("pop from an empty deque"))
}

fn clear(_: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(deque) = deque(args.get(0)) {
        deque.version.set(deque.version.get() + 1);
        drop(deque.items.take());
    }
    Ok(Value::None)
}

fn copy(_: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(deque(&this).map_or(Value::None, |deque| deque.like(deque.items.borrow().clone())))
}

fn items_of(value: &Value) -> Vec<Value> {
    deque(value).map_or_else(Vec::new, |deque| deque.items.borrow().iter().cloned().collect())
}

fn count(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, value] = args.take();
    let mut found = 0usize;
    for item in items_of(&this) {
        found += usize::from(interp.equals(&item, &value)?);
    }
    Ok(found.into())
}

fn index(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, value, start, stop] = args.take();
    let items = items_of(&this);
    let bound = |value: &Value, default: i64| -> PyResult<usize> {
        let at = if value.is_none() { default } else { interp.to_i64(value)? };
        let at = if at < 0 { at + items.len() as i64 } else { at };
        Ok(at.clamp(0, items.len() as i64) as usize)
    };
    let (start, stop) = (bound(&start, 0)?, bound(&stop, items.len() as i64)?);
    for (at, item) in items.iter().enumerate().take(stop).skip(start) {
        if interp.equals(item, &value)? {
            return Ok(at.into());
        }
    }
    Err(interp.value_error(format!("{} is not in deque", interp.repr(&value)?)))
}

fn insert(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, index, value] = args.take();
    let Some(deque) = deque(&this) else { return Ok(Value::None) };
    let length = deque.items.borrow().len();
    if deque.maxlen == Some(length) {
        return Err(interp.index_error("deque already at its maximum size"));
    }
    let at = interp.to_i64(&index)?;
    let at = if at < 0 { at + length as i64 } else { at };
    deque.version.set(deque.version.get() + 1);
    deque.items.borrow_mut().insert(at.clamp(0, length as i64) as usize, value);
    Ok(Value::None)
}

fn remove(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, value] = args.take();
    for (at, item) in items_of(&this).iter().enumerate() {
        if interp.equals(item, &value)? {
            if let Some(deque) = deque(&this) {
                deque.version.set(deque.version.get() + 1);
                deque.items.borrow_mut().remove(at);
            }
            return Ok(Value::None);
        }
    }
    Err(interp.value_error(format!("{} is not in deque", interp.repr(&value)?)))
}

fn reverse(_: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(deque) = deque(args.get(0)) {
        deque.version.set(deque.version.get() + 1);
        deque.items.borrow_mut().make_contiguous().reverse();
    }
    Ok(Value::None)
}

fn rotate(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, n] = args.take();
    let steps = interp.to_i64(&n)?;
    if let Some(deque) = deque(&this) {
        let mut items = deque.items.borrow_mut();
        if !items.is_empty() {
            let steps = steps.rem_euclid(items.len() as i64) as usize;
            items.rotate_right(steps);
        }
        deque.version.set(deque.version.get() + 1);
    }
    Ok(Value::None)
}

fn reversed(_: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(walk(this, true))
}
