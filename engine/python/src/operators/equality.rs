//! `is` and `==`.

use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::CompareOp;
use std::rc::Rc;

/// `a is b or a == b` where that can be told without running any code; `None` where it cannot.
pub(crate) fn quick_equals(a: &Value, b: &Value) -> Option<bool> {
    use Value::{
        Bool, Bytes, Class, Ellipsis, Float, Function, Int, Module, Native, None as Nothing, NotImplemented, Str, Tuple,
    };
    Some(match (a, b) {
        (Str(a), Str(b)) => Rc::ptr_eq(a, b) || a == b,
        (Int(a), Int(b)) => a == b,
        (Bool(a), Bool(b)) => a == b,
        (Int(int), Bool(bool)) | (Bool(bool), Int(int)) => *int == crate::int::Int::Small(i64::from(*bool)),
        (Float(a), Float(b)) => a == b || a.to_bits() == b.to_bits(),
        (Nothing, Nothing) | (Ellipsis, Ellipsis) | (NotImplemented, NotImplemented) => true,
        (Bytes(a), Bytes(b)) => a == b,
        (Class(a), Class(b)) => {
            if Rc::ptr_eq(a, b) {
                return Some(true);
            }
            return if a.metaclass.is_none() && b.metaclass.is_none() { Some(false) } else { None };
        }
        (Function(a), Function(b)) => Rc::ptr_eq(a, b),
        (Native(a), Native(b)) => Rc::ptr_eq(a, b) || (std::ptr::eq(a.def, b.def) && a.module == b.module),
        (Module(a), Module(b)) => Rc::ptr_eq(a, b),
        (Value::Instance(a), Value::Instance(b)) if Rc::ptr_eq(a, b) => true,
        (Value::Object(a), Value::Object(b)) if Rc::ptr_eq(a, b) => true,
        (Tuple(a), Tuple(b)) => {
            if Rc::ptr_eq(a, b) {
                return Some(true);
            }
            if a.len() != b.len() {
                return Some(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                // A decided difference decides the whole; an undecided pair must be asked in order.
                if !quick_equals(a, b)? {
                    return Some(false);
                }
            }
            true
        }
        (Str(_), Int(_) | Bool(_) | Float(_) | Nothing | Tuple(_) | Bytes(_))
        | (Int(_) | Bool(_) | Float(_) | Nothing | Tuple(_) | Bytes(_), Str(_))
        | (Nothing, Int(_) | Bool(_) | Float(_) | Tuple(_))
        | (Int(_) | Bool(_) | Float(_) | Tuple(_), Nothing)
        | (Tuple(_), Int(_) | Bool(_) | Float(_))
        | (Int(_) | Bool(_) | Float(_), Tuple(_)) => false,
        _ => return None,
    })
}

impl Interp {
    /// `a is b`. Small immutable values without an address are the same where they are equal and of one type.
    pub fn identical(&self, a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::None, Value::None)
            | (Value::Ellipsis, Value::Ellipsis)
            | (Value::NotImplemented, Value::NotImplemented)
            | (Value::Unset, Value::Unset) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Complex(a, b), Value::Complex(c, d)) => a.to_bits() == c.to_bits() && b.to_bits() == d.to_bits(),
            // CPython interns identifiers and short constants, so equal strings are mostly one object there.
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) => Rc::ptr_eq(a, b),
            (Value::Tuple(a), Value::Tuple(b)) => Rc::ptr_eq(a, b) || (a.is_empty() && b.is_empty()),
            (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b),
            (Value::Dict(a), Value::Dict(b)) => Rc::ptr_eq(a, b),
            (Value::Set(a), Value::Set(b)) => Rc::ptr_eq(a, b),
            (Value::FrozenSet(a), Value::FrozenSet(b)) => Rc::ptr_eq(a, b),
            (Value::Range(a), Value::Range(b)) => Rc::ptr_eq(a, b),
            (Value::Slice(a), Value::Slice(b)) => Rc::ptr_eq(a, b),
            (Value::Function(a), Value::Function(b)) => Rc::ptr_eq(a, b),
            (Value::Native(a), Value::Native(b)) => Rc::ptr_eq(a, b),
            (Value::BoundMethod(a), Value::BoundMethod(b)) => Rc::ptr_eq(a, b),
            (Value::Class(a), Value::Class(b)) => Rc::ptr_eq(a, b),
            (Value::Instance(a), Value::Instance(b)) => Rc::ptr_eq(a, b),
            (Value::Module(a), Value::Module(b)) => Rc::ptr_eq(a, b),
            (Value::Property(a), Value::Property(b)) => Rc::ptr_eq(a, b),
            (Value::StaticMethod(a), Value::StaticMethod(b)) => Rc::ptr_eq(a, b),
            (Value::ClassMethod(a), Value::ClassMethod(b)) => Rc::ptr_eq(a, b),
            (Value::Object(a), Value::Object(b)) => Rc::ptr_eq(a, b),
            (Value::Unknown(a), Value::Unknown(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// `a is b or bool(a == b)`: how containers compare their items.
    pub fn equals(&self, a: &Value, b: &Value) -> PyResult<bool> {
        if let Some(same) = quick_equals(a, b) {
            return Ok(same);
        }
        if self.identical(a, b) {
            return Ok(true);
        }
        let result = self.compare(CompareOp::Eq, a, b)?;
        self.truth(&result)
    }
}
