//! Conversions that native functions ask for, with the errors that Python raises when they fail.

use crate::int::Int;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use num_traits::ToPrimitive;
use std::rc::Rc;

impl Interp {
    /// `operator.index(v)`: TypeError for what is not an integer.
    pub fn to_int(&self, v: &Value) -> PyResult<Int> {
        match v {
            Value::Int(value) => Ok(value.clone()),
            Value::Bool(value) => Ok(Int::Small(i64::from(*value))),
            _ => match self.as_index(v)? {
                Some(value) => Ok(value),
                None => {
                    Err(self.type_error(format!("'{}' object cannot be interpreted as an integer", self.type_name(v))))
                }
            },
        }
    }

    /// `v.__index__()`, if it has one.
    pub fn as_index(&self, v: &Value) -> PyResult<Option<Int>> {
        match v {
            Value::Int(value) => Ok(Some(value.clone())),
            Value::Bool(value) => Ok(Some(Int::Small(i64::from(*value)))),
            Value::Object(object) if object.is_index() => object.as_int(v, self).transpose(),
            Value::Instance(instance) => {
                if let Some(result) = self.call_special(v, "__index__", [])? {
                    return match result {
                        Value::Int(value) => Ok(Some(value)),
                        Value::Bool(value) => Ok(Some(Int::Small(i64::from(value)))),
                        other => {
                            Err(self
                                .type_error(format!("__index__ returned non-int (type {})", self.type_name(&other))))
                        }
                    };
                }
                let payload = instance.payload.borrow().clone();
                if matches!(payload, Value::Int(_) | Value::Bool(_)) { self.as_index(&payload) } else { Ok(None) }
            }
            _ => Ok(None),
        }
    }

    /// As [`Interp::to_int`]; OverflowError where it does not fit.
    pub fn to_i64(&self, v: &Value) -> PyResult<i64> {
        match self.to_int(v)? {
            Int::Small(value) => Ok(value),
            Int::Big(_) => Err(self.overflow_error("Python int too large to convert to C ssize_t")),
        }
    }

    /// As [`Interp::to_i64`]; ValueError where it is negative.
    pub fn to_usize(&self, v: &Value) -> PyResult<usize> {
        let value = self.to_i64(v)?;
        usize::try_from(value).map_err(|_| self.value_error(format!("expected a non-negative integer, got {value}")))
    }

    /// `float(v)` for numbers: TypeError for others.
    pub fn to_f64(&self, v: &Value) -> PyResult<f64> {
        match v {
            Value::Float(value) => Ok(*value),
            Value::Bool(value) => Ok(f64::from(u8::from(*value))),
            Value::Int(Int::Small(value)) => Ok(*value as f64),
            Value::Int(Int::Big(value)) => match value.to_f64() {
                Some(float) if float.is_finite() => Ok(float),
                _ => Err(self.overflow_error("int too large to convert to float")),
            },
            Value::Object(object) => match object.as_float(v, self) {
                Some(result) => result,
                None => match self.as_index(v)? {
                    Some(value) => self.to_f64(&Value::Int(value)),
                    None => Err(self.not_a_real_number(v)),
                },
            },
            Value::Instance(instance) => {
                if let Some(result) = self.call_special(v, "__float__", [])? {
                    return match result {
                        Value::Float(value) => Ok(value),
                        other => Err(self.type_error(format!(
                            "{}.__float__ returned non-float (type {})",
                            self.type_name(v),
                            self.type_name(&other)
                        ))),
                    };
                }
                let payload = instance.payload.borrow().clone();
                if matches!(payload, Value::Int(_) | Value::Float(_) | Value::Bool(_)) {
                    return self.to_f64(&payload);
                }
                match self.as_index(v)? {
                    Some(value) => self.to_f64(&Value::Int(value)),
                    None => Err(self.not_a_real_number(v)),
                }
            }
            _ => Err(self.not_a_real_number(v)),
        }
    }

    fn not_a_real_number(&self, v: &Value) -> Box<crate::raise::Stop> {
        self.type_error(format!("must be real number, not {}", self.type_name(v)))
    }

    /// The text of a `str`, subclasses included: TypeError for others.
    pub fn to_str(&self, v: &Value) -> PyResult<Rc<str>> {
        match self.plain(v) {
            Value::Str(text) => Ok(text),
            _ => Err(self.type_error(format!("expected str, got {}", self.type_name(v)))),
        }
    }

    /// The builtin value inside an instance of a subclass of a builtin; the value itself otherwise. Exceptions keep
    /// their arguments inside, which is no such value.
    pub fn plain(&self, v: &Value) -> Value {
        match v {
            Value::Instance(instance) => match &*instance.payload.borrow() {
                Value::Unset => v.clone(),
                _ if instance.class.borrow().builtin == Some(crate::class::Builtin::Exception) => v.clone(),
                payload => payload.clone(),
            },
            _ => v.clone(),
        }
    }
}
