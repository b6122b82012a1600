//! The functions of `math` on unbounded integers.

use crate::interp::Interp;
use crate::library::support::{unknown, variadic};
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

fn integer(interp: &Interp, value: &Value) -> PyResult<BigInt> {
    Ok(interp.to_int(value)?.to_big())
}

pub(super) fn gcd(interp: &Interp, args: Arguments) -> PyResult<Value> {
    fold(interp, &args, BigInt::zero(), |a, b| a.gcd(b))
}

pub(super) fn lcm(interp: &Interp, args: Arguments) -> PyResult<Value> {
    fold(interp, &args, BigInt::one(), |a, b| if a.is_zero() || b.is_zero() { BigInt::zero() } else { a.lcm(b) })
}

fn fold(interp: &Interp, args: &Arguments, start: BigInt, function: fn(&BigInt, &BigInt) -> BigInt) -> PyResult<Value> {
    let values = variadic(args.get(0));
    if let Some(unknown) = unknown(values) {
        return Ok(unknown);
    }
    let mut result = start;
    for value in values {
        result = function(&result, &integer(interp, value)?);
    }
    Ok(Value::int(result.abs()))
}

pub(super) fn isqrt(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let n = integer(interp, args.get(0))?;
    if n.is_negative() {
        return Err(interp.value_error("isqrt() argument must be nonnegative"));
    }
    Ok(Value::int(n.sqrt()))
}

pub(super) fn factorial(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let n = integer(interp, args.get(0))?;
    if n.is_negative() {
        return Err(interp.value_error("factorial() not defined for negative values"));
    }
    let Some(n) = n.to_u32() else {
        return Err(interp.overflow_error(format!("factorial() argument should not exceed {}", i64::MAX)));
    };
    falling(interp, &BigInt::from(n), n.into())
}

/// `n * (n-1) * ... ` of `k` factors.
fn falling(interp: &Interp, n: &BigInt, k: u64) -> PyResult<Value> {
    let mut result = BigInt::one();
    for step in 0..k {
        interp.charge(1 + result.bits() / 64)?;
        result *= n - step;
    }
    Ok(Value::int(result))
}

/// The two arguments of `comb` and `perm`, checked.
fn choice(interp: &Interp, n: &Value, k: &Value) -> PyResult<(BigInt, BigInt)> {
    let (n, k) = (integer(interp, n)?, integer(interp, k)?);
    if n.is_negative() {
        return Err(interp.value_error("n must be a non-negative integer"));
    }
    if k.is_negative() {
        return Err(interp.value_error("k must be a non-negative integer"));
    }
    Ok((n, k))
}

pub(super) fn perm(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    if args.get(1).is_none() {
        return factorial(interp, args);
    }
    let (n, k) = choice(interp, args.get(0), args.get(1))?;
    if k > n {
        return Ok(Value::int(0i64));
    }
    let Some(k) = k.to_u64() else {
        return Err(interp.overflow_error(format!("k must not exceed {}", i64::MAX)));
    };
    falling(interp, &n, k)
}

pub(super) fn comb(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let (n, k) = choice(interp, args.get(0), args.get(1))?;
    if k > n {
        return Ok(Value::int(0i64));
    }
    let k = k.clone().min(&n - &k);
    let Some(k) = k.to_u64() else {
        return Err(interp.overflow_error(format!("min(n - k, k) must not exceed {}", i64::MAX)));
    };
    let mut result = BigInt::one();
    for step in 0..k {
        interp.charge(1 + result.bits() / 64)?;
        // Stays an integer: after each step it is comb(n, step + 1).
        result = result * (&n - step) / (step + 1);
    }
    Ok(Value::int(result))
}
