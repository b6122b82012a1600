//! `+` and `*` of sequences, `| & - ^` of sets and dicts, `%` of strings, `|` of types.

use crate::dict::Set;
use crate::interp::Interp;
use crate::operators::compare::set_of;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::BinaryOp;
use std::cell::RefCell;
use std::rc::Rc;

impl Interp {
    /// Operators of builtin values other than numbers; `None` where these two have none.
    pub(crate) fn sequence_binary(&self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        match op {
            BinaryOp::Add => self.concatenate(a, b),
            BinaryOp::Mult => {
                if is_sequence(a) {
                    return self.repeat(a, b);
                }
                if is_sequence(b) { self.repeat(b, a) } else { Ok(None) }
            }
            BinaryOp::Mod => match a {
                Value::Str(template) => {
                    crate::builtins::format::percent(self, template, b).map(|s| Some(Value::str(s)))
                }
                Value::Bytes(template) => {
                    let formatted = crate::builtins::format::percent::format_bytes(self, template, b)?;
                    Ok(Some(Value::Bytes(Rc::from(formatted))))
                }
                _ => Ok(None),
            },
            BinaryOp::BitOr | BinaryOp::BitAnd | BinaryOp::Sub | BinaryOp::BitXor => {
                if let (Value::Dict(a), Value::Dict(b), BinaryOp::BitOr) = (a, b, op) {
                    let mut merged = a.borrow().clone();
                    let b = b.borrow().clone();
                    merged.update_from(self, &b)?;
                    return Ok(Some(Value::Dict(Rc::new(RefCell::new(merged)))));
                }
                if op == BinaryOp::BitOr && is_type(a) && is_type(b) {
                    return Ok(Some(self.union_of(a, b)));
                }
                let (Some(left), Some(right)) = (set_of(a), set_of(b)) else {
                    return Ok(None);
                };
                let result = self.set_operation(op, &left, &right)?;
                Ok(Some(match a {
                    Value::FrozenSet(_) => Value::FrozenSet(Rc::new(result)),
                    _ => Value::Set(Rc::new(RefCell::new(result))),
                }))
            }
            _ => Ok(None),
        }
    }

    /// `list += iterable`, `list *= n`, `set |= set`, `dict |= mapping`: change the left operand and return it.
    pub(crate) fn sequence_in_place(&self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        match (op, a) {
            (BinaryOp::Add, Value::List(list)) => {
                let items = self.collect(b)?;
                self.charge_bytes(items.len() as u128 * std::mem::size_of::<Value>() as u128)?;
                list.borrow_mut().extend(items);
                Ok(Some(a.clone()))
            }
            (BinaryOp::Mult, Value::List(list)) => {
                let Some(Value::List(repeated)) = self.repeat(a, b)? else {
                    return Ok(None);
                };
                let items = repeated.borrow().clone();
                let old = std::mem::replace(&mut *list.borrow_mut(), items);
                drop(old);
                Ok(Some(a.clone()))
            }
            (BinaryOp::BitOr, Value::Dict(dict)) => {
                let pairs = match self.plain(b) {
                    Value::Dict(other) => other.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
                    other => self.pairs_of(&other)?,
                };
                for (key, value) in pairs {
                    self.dict_set(dict, key, value)?;
                }
                Ok(Some(a.clone()))
            }
            (BinaryOp::BitOr | BinaryOp::BitAnd | BinaryOp::Sub | BinaryOp::BitXor, Value::Set(set)) => {
                let left = set.borrow().clone();
                let Some(right) = set_of(b) else {
                    return Ok(None);
                };
                let result = if op == BinaryOp::BitOr {
                    let mut left = left;
                    left.merge(self, &right)?;
                    left
                } else {
                    self.set_operation(op, &left, &right)?
                };
                let old = std::mem::replace(&mut *set.borrow_mut(), result);
                drop(old);
                Ok(Some(a.clone()))
            }
            _ => Ok(None),
        }
    }

    /// `(key, value)` pairs from an iterable of pairs.
    pub(crate) fn pairs_of(&self, v: &Value) -> PyResult<Vec<(Value, Value)>> {
        let mut pairs = Vec::new();
        for (position, item) in self.collect(v)?.into_iter().enumerate() {
            match self.collect(&item)?.as_slice() {
                [key, value] => pairs.push((key.clone(), value.clone())),
                items => {
                    return Err(self.value_error(format!(
                        "dictionary update sequence element #{position} has length {}; 2 is required",
                        items.len()
                    )));
                }
            }
        }
        Ok(pairs)
    }

    fn concatenate(&self, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        let value = match (a, b) {
            (Value::Str(a), Value::Str(b)) => {
                self.charge_bytes((a.len() + b.len()) as u128)?;
                let mut text = String::with_capacity(a.len() + b.len());
                text.push_str(a);
                text.push_str(b);
                Value::Str(Rc::from(text))
            }
            (Value::List(a), Value::List(b)) => {
                let (a, b) = (a.borrow(), b.borrow());
                self.charge_bytes((a.len() + b.len()) as u128 * std::mem::size_of::<Value>() as u128)?;
                Value::list(a.iter().chain(b.iter()).cloned())
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                self.charge_bytes((a.len() + b.len()) as u128 * std::mem::size_of::<Value>() as u128)?;
                Value::tuple(a.iter().chain(b.iter()).cloned())
            }
            (Value::Bytes(a), Value::Bytes(b)) => {
                self.charge_bytes((a.len() + b.len()) as u128)?;
                Value::Bytes(a.iter().chain(b.iter()).copied().collect())
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn repeat(&self, sequence: &Value, count: &Value) -> PyResult<Option<Value>> {
        let Some(count) = self.as_index(count)? else {
            return Ok(None);
        };
        let Some(count) = count.to_i64() else {
            if count.is_negative() {
                return self.repeat(sequence, &Value::from(0i64));
            }
            return Err(self.overflow_error("cannot fit 'int' into an index-sized integer"));
        };
        let count = usize::try_from(count).unwrap_or(0);
        let charge = |length: usize, size: usize| self.charge_bytes(length as u128 * count as u128 * size as u128);
        Ok(Some(match sequence {
            Value::Str(text) => {
                charge(text.len(), 1)?;
                Value::Str(Rc::from(text.repeat(count)))
            }
            Value::Bytes(bytes) => {
                charge(bytes.len(), 1)?;
                Value::Bytes(Rc::from(bytes.repeat(count)))
            }
            Value::Tuple(items) => {
                charge(items.len(), std::mem::size_of::<Value>())?;
                Value::Tuple(Rc::from(repeat_values(items, count)))
            }
            Value::List(items) => {
                let items = items.borrow();
                charge(items.len(), std::mem::size_of::<Value>())?;
                Value::List(Rc::new(RefCell::new(repeat_values(&items, count))))
            }
            _ => return Ok(None),
        }))
    }

    /// `| & - ^` of sets, with the member order of setobject.c.
    pub fn set_operation(&self, op: BinaryOp, a: &Set, b: &Set) -> PyResult<Set> {
        match op {
            BinaryOp::BitOr => {
                let mut result = a.copied(self)?;
                result.merge(self, b)?;
                Ok(result)
            }
            BinaryOp::BitAnd => {
                // The smaller one is walked.
                let (walked, asked) = if b.len() > a.len() { (a, b) } else { (b, a) };
                let mut result = Set::new();
                for item in walked.iter() {
                    if asked.contains(self, item)? {
                        result.add(self, item.clone())?;
                    }
                }
                Ok(result)
            }
            BinaryOp::Sub => {
                let mut result = Set::new();
                for item in a.iter() {
                    if !b.contains(self, item)? {
                        result.add(self, item.clone())?;
                    }
                }
                Ok(result)
            }
            _ => {
                // set_symmetric_difference_update: start from the right operand and flip the left one's members.
                let mut result = b.copied(self)?;
                for item in a.iter() {
                    if !result.remove(self, item)? {
                        result.add(self, item.clone())?;
                    }
                }
                Ok(result)
            }
        }
    }
}

fn repeat_values(items: &[Value], count: usize) -> Vec<Value> {
    let mut repeated = Vec::with_capacity(items.len() * count);
    for _ in 0..count {
        repeated.extend_from_slice(items);
    }
    repeated
}

fn is_sequence(v: &Value) -> bool {
    matches!(v, Value::Str(_) | Value::Bytes(_) | Value::Tuple(_) | Value::List(_))
}

fn is_type(v: &Value) -> bool {
    matches!(v, Value::Class(_) | Value::None)
        || v.downcast::<crate::classes::generic::Union>().is_some()
        || v.downcast::<crate::classes::generic::GenericAlias>().is_some()
}
