//! `== != < <= > >= in not in is is not`.

use crate::builtins::number;
use crate::dict::{Dict, Set};
use crate::interp::Interp;
use crate::operators::equality::quick_equals;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::CompareOp;
use std::cmp::Ordering;
use std::rc::Rc;

fn method(op: CompareOp) -> &'static str {
    match op {
        CompareOp::NotEq => "__ne__",
        CompareOp::Lt => "__lt__",
        CompareOp::LtE => "__le__",
        CompareOp::Gt => "__gt__",
        CompareOp::GtE => "__ge__",
        _ => "__eq__",
    }
}

fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::LtE => CompareOp::GtE,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::GtE => CompareOp::LtE,
        op => op,
    }
}

fn holds(op: CompareOp, ordering: Option<Ordering>) -> bool {
    match (op, ordering) {
        (CompareOp::Eq, ordering) => ordering == Some(Ordering::Equal),
        (CompareOp::NotEq, ordering) => ordering != Some(Ordering::Equal),
        (_, None) => false,
        (CompareOp::Lt, Some(ordering)) => ordering == Ordering::Less,
        (CompareOp::LtE, Some(ordering)) => ordering != Ordering::Greater,
        (CompareOp::Gt, Some(ordering)) => ordering == Ordering::Greater,
        (_, Some(ordering)) => ordering != Ordering::Less,
    }
}

impl Interp {
    /// `a op b`. TypeError where the operands have no order.
    pub fn compare(&self, op: CompareOp, a: &Value, b: &Value) -> PyResult<Value> {
        match op {
            CompareOp::Is | CompareOp::IsNot => {
                if a.is_unknown() || b.is_unknown() {
                    self.guessed_identity.set(true);
                }
                return Ok(Value::Bool(self.identical(a, b) == (op == CompareOp::Is)));
            }
            CompareOp::In | CompareOp::NotIn => {
                if b.is_unknown() {
                    return Ok(b.clone());
                }
                let found = self.contains(b, a)?;
                if !found && let Some(unknown) = self.perhaps_member(b, a) {
                    return Ok(unknown);
                }
                return Ok(Value::Bool(found == (op == CompareOp::In)));
            }
            _ => {}
        }
        if let (Value::Int(a), Value::Int(b)) = (a, b) {
            return Ok(Value::Bool(holds(op, Some(a.cmp(b)))));
        }
        match (a, b) {
            (Value::Unknown(_), _) => return Ok(a.clone()),
            (_, Value::Unknown(_)) => return Ok(b.clone()),
            _ => {}
        }
        self.enter()?;
        let result = self.rich_compare(op, a, b);
        self.leave();
        result
    }

    /// In analysis: what decides whether `item`, which was not found in `container`, is there, if that is not known.
    fn perhaps_member(&self, container: &Value, item: &Value) -> Option<Value> {
        if !self.is_analysis() {
            return None;
        }
        let unknown =
            |value: &Value| value.is_undecided().then(|| value.to_unknown("not known, nor what it is equal to"));
        if let Some(item) = unknown(item) {
            // Nothing is in what is empty.
            return (self.len(container).ok() != Some(0)).then_some(item);
        }
        match container {
            Value::Tuple(items) => items.iter().find_map(unknown),
            Value::List(items) => items.borrow().iter().find_map(unknown),
            _ => None,
        }
    }

    fn rich_compare(&self, op: CompareOp, a: &Value, b: &Value) -> PyResult<Value> {
        let right_first = matches!(b, Value::Instance(_)) && {
            let (left, right) = (self.type_of(a), self.type_of(b));
            !Rc::ptr_eq(&left, &right) && right.is_subclass(&left)
        };
        if right_first && let Some(value) = self.half_compare(mirrored(op), b, a)? {
            return Ok(value);
        }
        if let Some(value) = self.half_compare(op, a, b)? {
            return Ok(value);
        }
        if !right_first && let Some(value) = self.half_compare(mirrored(op), b, a)? {
            return Ok(value);
        }
        let (plain_a, plain_b) = (self.plain(a), self.plain(b));
        if let Some(result) = self.builtin_compare(op, &plain_a, &plain_b)? {
            return Ok(result);
        }
        match op {
            CompareOp::Eq => Ok(Value::Bool(self.identical(a, b))),
            CompareOp::NotEq => Ok(Value::Bool(!self.identical(a, b))),
            _ => Err(self.type_error(format!(
                "'{}' not supported between instances of '{}' and '{}'",
                op.symbol(),
                self.type_name(a),
                self.type_name(b)
            ))),
        }
    }

    fn half_compare(&self, op: CompareOp, this: &Value, other: &Value) -> PyResult<Option<Value>> {
        match this {
            Value::Object(object) => object.compare(this, op, other, self),
            Value::Instance(_) | Value::Class(_) => {
                match self.call_special(this, method(op), [other.clone()])? {
                    Some(Value::NotImplemented) => Ok(None),
                    // `!=` without a method of its own is the opposite of `==`.
                    None if op == CompareOp::NotEq => match self.call_special(this, "__eq__", [other.clone()])? {
                        None | Some(Value::NotImplemented) => Ok(None),
                        Some(Value::Unknown(unknown)) => Ok(Some(Value::Unknown(unknown))),
                        Some(value) => Ok(Some(Value::Bool(!self.truth(&value)?))),
                    },
                    value => Ok(value),
                }
            }
            _ => Ok(None),
        }
    }

    fn builtin_compare(&self, op: CompareOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        let equality = matches!(op, CompareOp::Eq | CompareOp::NotEq);
        if let Some(ordering) = number::compare(a, b) {
            return Ok(Some(Value::Bool(holds(op, ordering))));
        }
        if equality && let Some(same) = number::equals(a, b) {
            return Ok(Some(Value::Bool(same == (op == CompareOp::Eq))));
        }
        let ordering = match (a, b) {
            (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
            (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
            (Value::Tuple(a), Value::Tuple(b)) => {
                return self.compare_sequences(op, a, b).map(Some);
            }
            (Value::List(a), Value::List(b)) => {
                if Rc::ptr_eq(a, b) && equality {
                    return Ok(Some(Value::Bool(op == CompareOp::Eq)));
                }
                let (a, b) = (a.borrow().clone(), b.borrow().clone());
                return self.compare_sequences(op, &a, &b).map(Some);
            }
            (Value::Dict(a), Value::Dict(b)) if equality => {
                let same = Rc::ptr_eq(a, b) || {
                    let (a, b) = (a.borrow().clone(), b.borrow().clone());
                    self.same_dicts(&a, &b)?
                };
                return Ok(Some(Value::Bool(same == (op == CompareOp::Eq))));
            }
            (Value::Range(a), Value::Range(b)) if equality => {
                let same =
                    a.len() == b.len() && (a.is_empty() || (a.start == b.start && (a.len() == 1 || a.step == b.step)));
                return Ok(Some(Value::Bool(same == (op == CompareOp::Eq))));
            }
            (Value::Slice(a), Value::Slice(b)) => {
                let a = [a.lower.clone(), a.upper.clone(), a.step.clone()];
                let b = [b.lower.clone(), b.upper.clone(), b.step.clone()];
                return self.compare_sequences(op, &a, &b).map(Some);
            }
            (Value::BoundMethod(a), Value::BoundMethod(b)) if equality => {
                let same = self.identical(&a.receiver, &b.receiver) && self.equals(&a.function, &b.function)?;
                return Ok(Some(Value::Bool(same == (op == CompareOp::Eq))));
            }
            _ => {
                if let (Some(a), Some(b)) = (set_of(a), set_of(b)) {
                    return self.compare_sets(op, &a, &b).map(Some);
                }
                if equality && let Some(same) = quick_equals(a, b) {
                    return Ok(Some(Value::Bool(same == (op == CompareOp::Eq))));
                }
                return Ok(None);
            }
        };
        Ok(Some(Value::Bool(holds(op, ordering))))
    }

    /// Lexicographic, stopping at the first pair that differs.
    fn compare_sequences(&self, op: CompareOp, a: &[Value], b: &[Value]) -> PyResult<Value> {
        let equality = matches!(op, CompareOp::Eq | CompareOp::NotEq);
        if equality && a.len() != b.len() {
            return Ok(Value::Bool(op == CompareOp::NotEq));
        }
        for (a, b) in a.iter().zip(b) {
            if a.is_unknown() || b.is_unknown() {
                return Ok(if a.is_unknown() { a.clone() } else { b.clone() });
            }
            if !self.equals(a, b)? {
                return if equality { Ok(Value::Bool(op == CompareOp::NotEq)) } else { self.compare(op, a, b) };
            }
        }
        Ok(Value::Bool(holds(op, Some(a.len().cmp(&b.len())))))
    }

    fn same_dicts(&self, a: &Dict, b: &Dict) -> PyResult<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for (key, value) in a.iter() {
            match b.get(self, key)? {
                Some(other) if self.equals(value, other)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Subset relations.
    fn compare_sets(&self, op: CompareOp, a: &Set, b: &Set) -> PyResult<Value> {
        let within = |inner: &Set, outer: &Set| -> PyResult<bool> {
            if inner.len() > outer.len() {
                return Ok(false);
            }
            for item in inner.iter() {
                if !outer.contains(self, item)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        Ok(Value::Bool(match op {
            CompareOp::Eq => a.len() == b.len() && within(a, b)?,
            CompareOp::NotEq => a.len() != b.len() || !within(a, b)?,
            CompareOp::Lt => a.len() < b.len() && within(a, b)?,
            CompareOp::LtE => within(a, b)?,
            CompareOp::Gt => a.len() > b.len() && within(b, a)?,
            _ => within(b, a)?,
        }))
    }
}

/// A copy of the members of a `set` or `frozenset`: comparing may run user code.
pub(crate) fn set_of(v: &Value) -> Option<Set> {
    match v {
        Value::Set(set) => Some(set.borrow().clone()),
        Value::FrozenSet(set) => Some((**set).clone()),
        _ => None,
    }
}
