//! Iteration: the iterators of builtin values, `iter`, `next`, and iterators written in Rust closures.
//! Generators are in [`crate::generators`].

use crate::class::Class;
use crate::dict::{Dict, Set};
use crate::int::Int;
use crate::interp::Interp;
use crate::object::Object;
use crate::raise::{PyResult, Stop};
use crate::value::{Range, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// An iterator over a builtin value.
pub struct BuiltinIterator {
    source: RefCell<Option<Source>>,
    position: Cell<usize>,
}

enum Source {
    List(Rc<RefCell<Vec<Value>>>),
    ReversedList(Rc<RefCell<Vec<Value>>>),
    Tuple(Rc<[Value]>),
    /// The position counts bytes.
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
    Range(Rc<Range>),
    Keys(Rc<RefCell<Dict>>, usize),
    Set(Rc<RefCell<Set>>, usize),
    FrozenSet(Rc<Set>),
    /// By `__getitem__` with 0, 1, 2...
    Indexed(Value),
    /// `iter(callable, sentinel)`
    Sentinel(Value, Value),
    /// One unknown item.
    Unknown(Value),
}

impl BuiltinIterator {
    fn value(source: Source) -> Value {
        Value::object(BuiltinIterator { source: RefCell::new(Some(source)), position: Cell::new(0) })
    }

    fn step(&self, interp: &Interp) -> PyResult<Option<Value>> {
        let position = self.position.get();
        let mut advance = 1;
        let item = {
            let source = self.source.borrow();
            let Some(source) = &*source else {
                return Ok(None);
            };
            match source {
                Source::List(list) => list.borrow().get(position).cloned(),
                Source::ReversedList(list) => {
                    let list = list.borrow();
                    list.len().checked_sub(position + 1).and_then(|at| list.get(at).cloned())
                }
                Source::Tuple(items) => items.get(position).cloned(),
                Source::Str(text) => text.get(position..).and_then(|rest| rest.chars().next()).map(|c| {
                    advance = c.len_utf8();
                    Value::str(c.encode_utf8(&mut [0; 4]))
                }),
                Source::Bytes(bytes) => bytes.get(position).map(|byte| Value::Int(Int::Small(i64::from(*byte)))),
                Source::Range(range) => {
                    // `len` clamps at the largest `usize`, far beyond what can be counted through.
                    (position < range.len()).then(|| Value::from(range.at(position)))
                }
                Source::Keys(dict, length) => {
                    let dict = dict.borrow();
                    if dict.len() != *length {
                        let error = interp.runtime_error("dictionary changed size during iteration");
                        return Err(error);
                    }
                    dict.next_from(position).map(|(next, key, _)| {
                        advance = next - position;
                        key.clone()
                    })
                }
                Source::Set(set, length) => {
                    let set = set.borrow();
                    if set.len() != *length {
                        return Err(interp.runtime_error("Set changed size during iteration"));
                    }
                    set.next_from(position).map(|(next, member)| {
                        advance = next - position;
                        member.clone()
                    })
                }
                Source::FrozenSet(set) => set.next_from(position).map(|(next, member)| {
                    advance = next - position;
                    member.clone()
                }),
                Source::Unknown(value) => (position == 0).then(|| value.clone()),
                Source::Indexed(..) | Source::Sentinel(..) => Some(Value::Unset),
            }
        };
        let item = match item {
            Some(Value::Unset) => self.step_user(interp, position)?,
            item => item,
        };
        match item {
            Some(item) => {
                self.position.set(position + advance);
                Ok(Some(item))
            }
            None => {
                let source = self.source.borrow_mut().take();
                drop(source);
                Ok(None)
            }
        }
    }

    /// The steps that run user code, with no borrow held.
    fn step_user(&self, interp: &Interp, position: usize) -> PyResult<Option<Value>> {
        let (indexed, sentinel) = match &*self.source.borrow() {
            Some(Source::Indexed(value)) => (Some(value.clone()), None),
            Some(Source::Sentinel(callable, sentinel)) => (None, Some((callable.clone(), sentinel.clone()))),
            _ => (None, None),
        };
        if let Some(value) = indexed {
            return match interp.get_item(&value, &Value::from(position)) {
                Ok(item) => Ok(Some(item)),
                Err(stop)
                    if interp.stop_is(&stop, &interp.types().index_error)
                        || interp.stop_is(&stop, &interp.types().stop_iteration) =>
                {
                    Ok(None)
                }
                Err(stop) => Err(stop),
            };
        }
        let Some((callable, sentinel)) = sentinel else {
            return Ok(None);
        };
        let item = interp.call_values(&callable, [])?;
        Ok(if interp.equals(&item, &sentinel)? { None } else { Some(item) })
    }
}

impl Object for BuiltinIterator {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        let name = match &*self.source.borrow() {
            Some(Source::List(_)) => "list_iterator",
            Some(Source::ReversedList(_)) => "list_reverseiterator",
            Some(Source::Tuple(_)) => "tuple_iterator",
            Some(Source::Str(_)) => "str_ascii_iterator",
            Some(Source::Bytes(_)) => "bytes_iterator",
            Some(Source::Range(_)) => "range_iterator",
            Some(Source::Keys(..)) => "dict_keyiterator",
            Some(Source::Set(..) | Source::FrozenSet(_)) => "set_iterator",
            Some(Source::Sentinel(..)) => "callable_iterator",
            _ => "iterator",
        };
        interp.named_class(name)
    }

    fn iterate(&self, this: &Value, _interp: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(this.clone()))
    }

    fn next(&self, interp: &Interp) -> Option<PyResult<Option<Value>>> {
        Some(self.step(interp))
    }
}

/// An iterator whose steps are a Rust closure.
pub struct NativeIterator<F> {
    name: &'static str,
    /// Taken out while it runs, so that an iterator that steps itself is an error and not a panic.
    step: RefCell<Option<F>>,
}

impl<F: FnMut(&Interp) -> PyResult<Option<Value>> + 'static> NativeIterator<F> {
    /// An iterator value; `name` is what `type` shows, such as `map`. After `None`, the closure is dropped.
    pub fn value(name: &'static str, step: F) -> Value {
        Value::object(NativeIterator { name, step: RefCell::new(Some(step)) })
    }
}

impl<F: FnMut(&Interp) -> PyResult<Option<Value>> + 'static> Object for NativeIterator<F> {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        if self.name == "generator" {
            return Rc::clone(&interp.types().generator);
        }
        match interp.builtins.namespace.borrow().get(self.name) {
            Some(Value::Class(class)) => Rc::clone(class),
            _ => interp.named_class(self.name),
        }
    }

    fn iterate(&self, this: &Value, _interp: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(this.clone()))
    }

    fn next(&self, interp: &Interp) -> Option<PyResult<Option<Value>>> {
        let step = self.step.borrow_mut().take();
        let Some(mut step) = step else {
            return Some(Ok(None));
        };
        let item = step(interp);
        if !matches!(item, Ok(None)) {
            *self.step.borrow_mut() = Some(step);
        }
        Some(item)
    }
}

impl Interp {
    /// `iter(v)`. TypeError where it is not iterable.
    pub fn iter(&self, v: &Value) -> PyResult<Value> {
        Ok(match v {
            Value::List(list) => BuiltinIterator::value(Source::List(Rc::clone(list))),
            Value::Tuple(items) => BuiltinIterator::value(Source::Tuple(Rc::clone(items))),
            Value::Str(text) => BuiltinIterator::value(Source::Str(Rc::clone(text))),
            Value::Bytes(bytes) => BuiltinIterator::value(Source::Bytes(Rc::clone(bytes))),
            Value::Range(range) => BuiltinIterator::value(Source::Range(Rc::clone(range))),
            Value::Dict(dict) => {
                let length = dict.borrow().len();
                BuiltinIterator::value(Source::Keys(Rc::clone(dict), length))
            }
            Value::Set(set) => {
                let length = set.borrow().len();
                BuiltinIterator::value(Source::Set(Rc::clone(set), length))
            }
            Value::FrozenSet(set) => BuiltinIterator::value(Source::FrozenSet(Rc::clone(set))),
            Value::Unknown(_) => BuiltinIterator::value(Source::Unknown(v.clone())),
            Value::Object(object) => match object.iterate(v, self) {
                Some(result) => result?,
                None if self.object_has_items(v) => BuiltinIterator::value(Source::Indexed(v.clone())),
                None => return Err(self.not_iterable(v)),
            },
            Value::Instance(_) => {
                if let Some(iterator) = self.call_special(v, "__iter__", [])? {
                    if !self.is_iterator(&iterator) {
                        return Err(self.type_error(format!(
                            "iter() returned non-iterator of type '{}'",
                            self.type_name(&iterator)
                        )));
                    }
                    return Ok(iterator);
                }
                if self.overrides(v, "__getitem__") {
                    return Ok(BuiltinIterator::value(Source::Indexed(v.clone())));
                }
                let payload = self.plain(v);
                if matches!(payload, Value::Instance(_)) {
                    return Err(self.not_iterable(v));
                }
                return self.iter(&payload);
            }
            Value::Class(_) => match self.call_special(v, "__iter__", [])? {
                Some(iterator) => iterator,
                None => return Err(self.not_iterable(v)),
            },
            _ => return Err(self.not_iterable(v)),
        })
    }

    /// An iterator over a list from its end.
    pub fn reversed_list(&self, list: &Rc<RefCell<Vec<Value>>>) -> Value {
        BuiltinIterator::value(Source::ReversedList(Rc::clone(list)))
    }

    /// `iter(callable, sentinel)`
    pub fn iter_until(&self, callable: Value, sentinel: Value) -> Value {
        BuiltinIterator::value(Source::Sentinel(callable, sentinel))
    }

    fn object_has_items(&self, v: &Value) -> bool {
        self.type_of(v).lookup("__getitem__").is_some()
    }

    fn not_iterable(&self, v: &Value) -> Box<Stop> {
        self.type_error(format!("'{}' object is not iterable", self.type_name(v)))
    }

    /// Whether `next(v)` can work.
    pub fn is_iterator(&self, v: &Value) -> bool {
        match v {
            Value::Object(_) => {
                v.downcast::<BuiltinIterator>().is_some()
                    || matches!(v, Value::Object(object) if matches!(object.iterate(v, self), Some(Ok(Value::Object(ref o))) if Rc::ptr_eq(o, object)))
            }
            Value::Instance(instance) => instance.class.borrow().lookup("__next__").is_some(),
            Value::Unknown(_) => true,
            _ => false,
        }
    }

    /// `next(iterator)`; `None` at its end. TypeError where it is no iterator.
    pub fn next(&self, iterator: &Value) -> PyResult<Option<Value>> {
        match iterator {
            // Counted: iterators that wrap iterators may be nested as deep as the program likes.
            Value::Object(object) => self.nested(|| match object.next(self) {
                Some(result) => result,
                None => Err(self.not_an_iterator(iterator)),
            }),
            Value::Instance(_) => match self.call_special(iterator, "__next__", []) {
                Ok(Some(item)) => Ok(Some(item)),
                Ok(None) => Err(self.not_an_iterator(iterator)),
                Err(stop) if self.stop_is(&stop, &self.types().stop_iteration) => Ok(None),
                Err(stop) => Err(stop),
            },
            Value::Unknown(_) => Ok(None),
            _ => Err(self.not_an_iterator(iterator)),
        }
    }

    fn not_an_iterator(&self, v: &Value) -> Box<Stop> {
        self.type_error(format!("'{}' object is not an iterator", self.type_name(v)))
    }

    /// `list(v)`
    pub fn collect(&self, v: &Value) -> PyResult<Vec<Value>> {
        match v {
            Value::List(list) => Ok(list.borrow().clone()),
            Value::Tuple(items) => Ok(items.to_vec()),
            Value::Range(range) => {
                let length = range.len();
                self.charge_bytes(length as u128 * std::mem::size_of::<Value>() as u128)?;
                Ok((0..length).map(|index| Value::from(range.at(index))).collect())
            }
            _ => {
                let iterator = self.iter(v)?;
                let mut items = Vec::new();
                while let Some(item) = self.next(&iterator)? {
                    self.charge(1)?;
                    self.charge_bytes(std::mem::size_of::<Value>() as u128)?;
                    items.push(item);
                }
                Ok(items)
            }
        }
    }
}
