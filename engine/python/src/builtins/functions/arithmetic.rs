//! `abs`, `round`, `pow`, `divmod`, `sum`, and the texts of integers in other bases.

use crate::builtins::number::{self, integer};
use crate::builtins::table::known;
use crate::int::Int;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use num_bigint::BigInt;
use pallas_syntax::ast::BinaryOp;

pub(super) fn absolute(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [value] = arguments.take();
    if let Some(result) = interp.call_special(&value, "__abs__", [])? {
        return Ok(result);
    }
    match number::absolute(interp, &interp.plain(&value))? {
        Some(result) => Ok(result),
        None => Err(interp.type_error(format!("bad operand type for abs(): '{}'", interp.type_name(&value)))),
    }
}

pub(super) fn round(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [value, digits] = arguments.take();
    let plain = interp.plain(&value);
    if !matches!(value, Value::Int(_) | Value::Float(_) | Value::Bool(_)) {
        let args = digits.clone().given();
        if let Some(result) = interp.call_special(&value, "__round__", args)? {
            return Ok(result);
        }
    }
    let digits = match digits {
        Value::None => None,
        digits => Some(interp.to_int(&digits)?),
    };
    match number::round(interp, &plain, digits.as_ref())? {
        Some(result) => Ok(result),
        None => Err(interp.type_error(format!("type {} doesn't define __round__ method", interp.type_name(&value)))),
    }
}

pub(super) fn power(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [base, exponent, modulus] = arguments.take();
    if modulus.is_none() {
        return interp.binary(BinaryOp::Pow, &base, &exponent);
    }
    let plain = [&base, &exponent, &modulus].map(|value| interp.plain(value));
    if let Some(result) = number::power_modulo(interp, &plain[0], &plain[1], &plain[2])? {
        return Ok(result);
    }
    if let Some(result) = interp.call_special(&base, "__pow__", [exponent.clone(), modulus.clone()])?
        && !matches!(result, Value::NotImplemented)
    {
        return Ok(result);
    }
    if plain.iter().all(|value| number::Number::of(value).is_some()) {
        return Err(interp.type_error("pow() 3rd argument not allowed unless all arguments are integers"));
    }
    Err(interp.type_error(format!(
        "unsupported operand type(s) for ** or pow(): '{}', '{}', '{}'",
        interp.type_name(&base),
        interp.type_name(&exponent),
        interp.type_name(&modulus)
    )))
}

pub(super) fn divide(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [a, b] = arguments.take();
    if let Some(pair) = number::divide_floor(interp, &interp.plain(&a), &interp.plain(&b))? {
        return Ok(pair);
    }
    for (this, method, other) in [(&a, "__divmod__", &b), (&b, "__rdivmod__", &a)] {
        if let Some(result) = interp.call_special(this, method, [other.clone()])?
            && !matches!(result, Value::NotImplemented)
        {
            return Ok(result);
        }
    }
    if matches!(a, Value::Object(_)) || matches!(b, Value::Object(_)) {
        let quotient = interp.binary(BinaryOp::FloorDiv, &a, &b)?;
        return Ok(Value::tuple([quotient, interp.binary(BinaryOp::Mod, &a, &b)?]));
    }
    Err(interp.type_error(format!(
        "unsupported operand type(s) for divmod(): '{}' and '{}'",
        interp.type_name(&a),
        interp.type_name(&b)
    )))
}

pub(super) fn sum(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [iterable, start] = arguments.take();
    match interp.plain(&start) {
        Value::Str(_) => {
            return Err(interp.type_error("sum() can't sum strings [use ''.join(seq) instead]"));
        }
        Value::Bytes(_) => {
            return Err(interp.type_error("sum() can't sum bytes [use b''.join(seq) instead]"));
        }
        _ => {}
    }
    if let (Value::Range(range), Value::Int(start)) = (&iterable, &start) {
        let (first, last) = match range.len().checked_sub(1) {
            Some(last) => (range.at(0), range.at(last)),
            None => (0, 0),
        };
        let ends = integer::add(&Int::Small(first), &Int::Small(last)).to_big();
        let sum = Int::from(ends * BigInt::from(range.len()) / 2);
        return Ok(Value::Int(integer::add(start, &sum)));
    }
    let iterator = interp.iter(&iterable)?;
    let mut total = start;
    while let Some(item) = interp.next(&iterator)? {
        interp.charge(1)?;
        total = interp.binary(BinaryOp::Add, &total, &item)?;
    }
    Ok(total)
}

fn in_base(interp: &Interp, arguments: Arguments, base: u32, prefix: &str) -> PyResult<Value> {
    known!(arguments);
    let [value] = arguments.take();
    let value: Int = interp.to_int(&value)?;
    let sign = if value.is_negative() { "-" } else { "" };
    Ok(Value::from(format!("{sign}{prefix}{}", integer::magnitude_in_base(&value, base))))
}

pub(super) fn binary_text(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    in_base(interp, arguments, 2, "0b")
}

pub(super) fn octal_text(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    in_base(interp, arguments, 8, "0o")
}

pub(super) fn hexadecimal_text(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    in_base(interp, arguments, 16, "0x")
}
