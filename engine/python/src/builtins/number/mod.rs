//! Numbers: the operators of `bool`, `int`, `float` and `complex` on values, with CPython's results and words.
//! The arithmetic itself is in [`integer`], [`float`] and [`complex`], which know no interpreter.

pub mod complex;
pub mod float;
pub mod integer;

use crate::int::Int;
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use num_traits::ToPrimitive;
use pallas_syntax::ast::{BinaryOp, UnaryOp};
use std::cmp::Ordering;

/// Why arithmetic has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// ZeroDivisionError
    ZeroDivision(&'static str),
    /// OverflowError
    Overflow(&'static str),
    /// OverflowError in the words of the C library.
    OutOfRange,
    /// ValueError
    Value(&'static str),
    /// MemoryError: the result would be longer than [`integer::MAX_BITS`].
    Memory,
}

impl NumberError {
    /// As a Python exception.
    pub fn raise(self, interp: &Interp) -> Box<Stop> {
        match self {
            NumberError::ZeroDivision(message) => interp.zero_division_error(message),
            NumberError::Overflow(message) => interp.overflow_error(message),
            NumberError::OutOfRange => interp.overflow_error("(34, 'Numerical result out of range')"),
            NumberError::Value(message) => interp.value_error(message),
            NumberError::Memory => interp.error(&interp.types().memory_error, ""),
        }
    }
}

/// A number, its type forgotten but for what decides the arithmetic.
#[derive(Clone, Debug)]
pub enum Number {
    /// `int`
    Int(Int),
    /// `float`
    Float(f64),
    /// `complex`
    Complex(f64, f64),
}

impl Number {
    /// The number that `value` is; bools count as integers.
    pub fn of(value: &Value) -> Option<Number> {
        match value {
            Value::Int(value) => Some(Number::Int(value.clone())),
            Value::Bool(value) => Some(Number::Int(Int::Small(i64::from(*value)))),
            Value::Float(value) => Some(Number::Float(*value)),
            Value::Complex(real, imaginary) => Some(Number::Complex(*real, *imaginary)),
            _ => None,
        }
    }

    fn to_float(&self) -> Result<f64, NumberError> {
        match self {
            Number::Int(value) => integer::to_float(value),
            Number::Float(value) | Number::Complex(value, _) => Ok(*value),
        }
    }

    fn to_complex(&self) -> Result<complex::Parts, NumberError> {
        match self {
            Number::Complex(real, imaginary) => Ok((*real, *imaginary)),
            real => Ok((real.to_float()?, 0.0)),
        }
    }
}

/// `a op b`; `None` where one of them is no number or the operator is not defined for them.
pub fn binary(interp: &Interp, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
    let result = match (a, b) {
        (Value::Int(a), Value::Int(b)) => {
            charge(interp, op, a, b)?;
            integers(op, a, b)
        }
        (Value::Float(a), Value::Float(b)) => floats(op, *a, *b),
        (Value::Bool(a), Value::Bool(b)) if matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor) => {
            Ok(Some(Value::Bool(match op {
                BinaryOp::BitAnd => a & b,
                BinaryOp::BitOr => a | b,
                _ => a ^ b,
            })))
        }
        _ => match (Number::of(a), Number::of(b)) {
            (Some(a), Some(b)) => mixed(op, &a, &b),
            _ => return Ok(None),
        },
    };
    result.map_err(|error| error.raise(interp))
}

/// Long products cost more than a step each: roughly their length to the power of one and a half.
fn charge(interp: &Interp, op: BinaryOp, a: &Int, b: &Int) -> PyResult<()> {
    let bits = match op {
        BinaryOp::Mult if matches!((a, b), (Int::Big(_), Int::Big(_))) => {
            integer::bit_length(a).saturating_add(integer::bit_length(b))
        }
        BinaryOp::Pow => integer::bit_length(a).saturating_mul(b.to_i64().map_or(0, i64::unsigned_abs)),
        _ => return Ok(()),
    };
    let words = bits.min(integer::MAX_BITS) / 64;
    if words < 64 { Ok(()) } else { interp.charge(words.saturating_mul(words.isqrt()) / 16) }
}

fn mixed(op: BinaryOp, a: &Number, b: &Number) -> Result<Option<Value>, NumberError> {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => integers(op, a, b),
        (Number::Complex(..), _) | (_, Number::Complex(..)) => {
            if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mult | BinaryOp::Div | BinaryOp::Pow) {
                return Ok(None);
            }
            complexes(op, a.to_complex()?, b.to_complex()?)
        }
        _ => {
            if !is_float_operator(op) {
                return Ok(None);
            }
            floats(op, a.to_float()?, b.to_float()?)
        }
    }
}

fn is_float_operator(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | Sub | Mult | Div | FloorDiv | Mod | Pow)
}

fn integers(op: BinaryOp, a: &Int, b: &Int) -> Result<Option<Value>, NumberError> {
    let no_quotient = NumberError::ZeroDivision("integer division or modulo by zero");
    let no_remainder = NumberError::ZeroDivision("integer modulo by zero");
    Ok(Some(Value::Int(match op {
        BinaryOp::Add => integer::add(a, b),
        BinaryOp::Sub => integer::subtract(a, b),
        BinaryOp::Mult => integer::multiply(a, b)?,
        BinaryOp::FloorDiv => integer::divide_floor(a, b).ok_or(no_quotient)?.0,
        BinaryOp::Mod => integer::divide_floor(a, b).ok_or(no_remainder)?.1,
        BinaryOp::LShift => integer::shift_left(a, b)?,
        BinaryOp::RShift => integer::shift_right(a, b)?,
        BinaryOp::BitAnd => integer::and(a, b),
        BinaryOp::BitOr => integer::or(a, b),
        BinaryOp::BitXor => integer::xor(a, b),
        BinaryOp::Div => return Ok(Some(Value::Float(integer::divide_true(a, b)?))),
        BinaryOp::Pow if b.is_negative() => {
            return floats(op, integer::to_float(a)?, integer::to_float(b)?);
        }
        BinaryOp::Pow => integer::power(a, b)?,
        BinaryOp::MatMult => return Ok(None),
    })))
}

fn floats(op: BinaryOp, a: f64, b: f64) -> Result<Option<Value>, NumberError> {
    let nonzero = |message| {
        if b == 0.0 { Err(NumberError::ZeroDivision(message)) } else { Ok(()) }
    };
    Ok(Some(Value::Float(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mult => a * b,
        BinaryOp::Div => {
            nonzero("float division by zero")?;
            a / b
        }
        BinaryOp::FloorDiv => {
            nonzero("float floor division by zero")?;
            float::divide_floor(a, b).0
        }
        BinaryOp::Mod => {
            nonzero("float modulo")?;
            float::divide_floor(a, b).1
        }
        BinaryOp::Pow => match float::power(a, b)? {
            Some(result) => result,
            None => return complexes(op, (a, 0.0), (b, 0.0)),
        },
        _ => return Ok(None),
    })))
}

fn complexes(op: BinaryOp, a: complex::Parts, b: complex::Parts) -> Result<Option<Value>, NumberError> {
    let (real, imaginary) = match op {
        BinaryOp::Add => (a.0 + b.0, a.1 + b.1),
        BinaryOp::Sub => (a.0 - b.0, a.1 - b.1),
        BinaryOp::Mult => complex::multiply(a, b),
        BinaryOp::Div => complex::divide(a, b)?,
        BinaryOp::Pow => complex::power(a, b)?,
        _ => return Ok(None),
    };
    Ok(Some(Value::Complex(real, imaginary)))
}

/// `divmod(a, b)`; `None` where one of them is no real number.
pub fn divide_floor(interp: &Interp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
    let (Some(a), Some(b)) = (Number::of(a), Number::of(b)) else {
        return Ok(None);
    };
    let pair = match (&a, &b) {
        (Number::Int(a), Number::Int(b)) => integer::divide_floor(a, b)
            .map(|(quotient, remainder)| [Value::Int(quotient), Value::Int(remainder)])
            .ok_or(NumberError::ZeroDivision("integer division or modulo by zero")),
        (Number::Complex(..), _) | (_, Number::Complex(..)) => return Ok(None),
        _ => a.to_float().and_then(|a| Ok((a, b.to_float()?))).and_then(|(a, b)| {
            if b == 0.0 {
                return Err(NumberError::ZeroDivision("float divmod()"));
            }
            let (quotient, remainder) = float::divide_floor(a, b);
            Ok([Value::Float(quotient), Value::Float(remainder)])
        }),
    };
    pair.map(|pair| Some(Value::tuple(pair))).map_err(|error| error.raise(interp))
}

/// `-a`, `+a`, `~a`; `None` where `a` is no number or the operator is not defined for it. `not` is not handled here.
pub fn unary(_interp: &Interp, op: UnaryOp, a: &Value) -> PyResult<Option<Value>> {
    let Some(number) = Number::of(a) else {
        return Ok(None);
    };
    Ok(match (op, number) {
        (UnaryOp::Neg, Number::Int(value)) => Some(Value::Int(integer::negate(&value))),
        (UnaryOp::Neg, Number::Float(value)) => Some(Value::Float(-value)),
        (UnaryOp::Neg, Number::Complex(real, imaginary)) => Some(Value::Complex(-real, -imaginary)),
        (UnaryOp::Pos, Number::Int(value)) => Some(Value::Int(value)),
        (UnaryOp::Pos, Number::Float(value)) => Some(Value::Float(value)),
        (UnaryOp::Pos, Number::Complex(real, imaginary)) => Some(Value::Complex(real, imaginary)),
        (UnaryOp::Invert, Number::Int(value)) => Some(Value::Int(integer::invert(&value))),
        _ => None,
    })
}

/// How two real numbers compare, exactly even between `int` and `float`: `Some(None)` where one is NaN, `None` where
/// one of them is no real number.
pub fn compare(a: &Value, b: &Value) -> Option<Option<Ordering>> {
    match (Number::of(a)?, Number::of(b)?) {
        (Number::Int(a), Number::Int(b)) => Some(Some(a.cmp(&b))),
        (Number::Float(a), Number::Float(b)) => Some(a.partial_cmp(&b)),
        (Number::Int(a), Number::Float(b)) => Some(integer::compare_float(&a, b)),
        (Number::Float(a), Number::Int(b)) => Some(integer::compare_float(&b, a).map(Ordering::reverse)),
        _ => None,
    }
}

/// `a == b` for numbers, complex ones included; `None` where one of them is no number.
pub fn equals(a: &Value, b: &Value) -> Option<bool> {
    if let Some(ordering) = compare(a, b) {
        return Some(ordering == Some(Ordering::Equal));
    }
    let equals_real = |real: f64, number: &Number| match number {
        Number::Int(value) => integer::compare_float(value, real) == Some(Ordering::Equal),
        Number::Float(value) | Number::Complex(value, _) => *value == real,
    };
    Some(match (Number::of(a)?, Number::of(b)?) {
        (Number::Complex(a, ai), Number::Complex(b, bi)) => a == b && ai == bi,
        (Number::Complex(real, imaginary), other) | (other, Number::Complex(real, imaginary)) => {
            imaginary == 0.0 && equals_real(real, &other)
        }
        _ => false,
    })
}

/// `abs(a)`; `None` where `a` is no number.
pub fn absolute(interp: &Interp, a: &Value) -> PyResult<Option<Value>> {
    Ok(match Number::of(a) {
        Some(Number::Int(value)) => Some(Value::Int(integer::absolute(&value))),
        Some(Number::Float(value)) => Some(Value::Float(value.abs())),
        Some(Number::Complex(real, imaginary)) => {
            Some(Value::Float(complex::absolute((real, imaginary)).map_err(|error| error.raise(interp))?))
        }
        None => None,
    })
}

/// `round(a)` or `round(a, digits)`; `None` where `a` is no real number.
pub fn round(interp: &Interp, a: &Value, digits: Option<&Int>) -> PyResult<Option<Value>> {
    // Beyond the range of i64 every number of digits acts like the nearest one in it.
    let digits = digits.map(|digits| digits.to_i64().unwrap_or(if digits.is_negative() { i64::MIN } else { i64::MAX }));
    let rounded = match (Number::of(a), digits) {
        (Some(Number::Int(value)), Some(digits)) if digits < 0 => {
            Ok(Value::Int(integer::round_to_tens(&value, digits.unsigned_abs())))
        }
        (Some(Number::Int(value)), _) => Ok(Value::Int(value)),
        (Some(Number::Float(value)), None) => float::round_to_integer(value).map(Value::Int),
        (Some(Number::Float(value)), Some(digits)) => float::round_to_digits(value, digits).map(Value::Float),
        _ => return Ok(None),
    };
    rounded.map(Some).map_err(|error| error.raise(interp))
}

/// `pow(base, exponent, modulus)`; `None` where one of them is no integer.
pub fn power_modulo(interp: &Interp, base: &Value, exponent: &Value, modulus: &Value) -> PyResult<Option<Value>> {
    match (Number::of(base), Number::of(exponent), Number::of(modulus)) {
        (Some(Number::Int(base)), Some(Number::Int(exponent)), Some(Number::Int(modulus))) => {
            let power = integer::power_modulo(&base, &exponent, &modulus);
            power.map(|power| Some(Value::Int(power))).map_err(|error| error.raise(interp))
        }
        _ => Ok(None),
    }
}

/// The integer as `usize`, if it is one and fits.
pub fn as_usize(value: &Int) -> Option<usize> {
    match value {
        Int::Small(value) => usize::try_from(*value).ok(),
        Int::Big(value) => value.to_usize(),
    }
}
