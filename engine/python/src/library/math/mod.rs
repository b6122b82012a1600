//! `math`: real functions of CPython 3.11, with its error words. Integer functions are in [`integers`], functions that
//! sum or measure several numbers in [`sums`], what Rust lacks in [`floats`], [`gamma`] and [`error_function`].

mod error_function;
mod floats;
mod gamma;
mod integers;
mod sums;

pub(super) use floats::{frexp, ldexp};

use super::support::{number, row, unknown};
use crate::int::Int;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "math",
    doc: "Mathematical functions on real numbers.",
    functions: &[
        row("acos", "(x, /)", "The arc cosine of x, in radians, in 0..pi.", |i, a| one(i, &a, f64::acos, false)),
        row("acosh", "(x, /)", "The inverse hyperbolic cosine of x.", |i, a| one(i, &a, floats::acosh, false)),
        row("asin", "(x, /)", "The arc sine of x, in radians, in -pi/2..pi/2.", |i, a| one(i, &a, f64::asin, false)),
        row("asinh", "(x, /)", "The inverse hyperbolic sine of x.", |i, a| one(i, &a, floats::asinh, false)),
        row("atan", "(x, /)", "The arc tangent of x, in radians, in -pi/2..pi/2.", |i, a| one(i, &a, f64::atan, false)),
        row("atan2", "(y, x, /)", "The arc tangent of y/x with the signs of both considered.", |i, a| {
            two(i, &a, f64::atan2)
        }),
        row("atanh", "(x, /)", "The inverse hyperbolic tangent of x.", |i, a| one(i, &a, floats::atanh, false)),
        row("cbrt", "(x, /)", "The cube root of x.", |i, a| one(i, &a, f64::cbrt, false)),
        row("ceil", "(x, /)", "The smallest integer that is not below x.", ceil),
        row("copysign", "(x, y, /)", "The magnitude of x with the sign of y.", |i, a| two(i, &a, f64::copysign)),
        row("cos", "(x, /)", "The cosine of x radians.", |i, a| one(i, &a, f64::cos, false)),
        row("cosh", "(x, /)", "The hyperbolic cosine of x.", |i, a| one(i, &a, f64::cosh, true)),
        row("degrees", "(x, /)", "Radians to degrees.", |i, a| {
            one(i, &a, |x| x * (180.0 / std::f64::consts::PI), true)
        }),
        row("erf", "(x, /)", "The error function at x.", |i, a| one(i, &a, error_function::erf, false)),
        row("erfc", "(x, /)", "The complementary error function at x.", |i, a| one(i, &a, error_function::erfc, false)),
        row("exp", "(x, /)", "e to the power x.", |i, a| one(i, &a, f64::exp, true)),
        row("exp2", "(x, /)", "2 to the power x.", |i, a| one(i, &a, f64::exp2, true)),
        row("expm1", "(x, /)", "exp(x) - 1, exact for small x.", |i, a| one(i, &a, f64::exp_m1, true)),
        row("fabs", "(x, /)", "The absolute value of x as a float.", |i, a| one(i, &a, f64::abs, false)),
        row("floor", "(x, /)", "The largest integer that is not above x.", floor),
        row("fmod", "(x, y, /)", "The remainder of x / y with the sign of x, as C has it.", fmod),
        row("frexp", "(x, /)", "Mantissa and exponent of x, as the pair (m, e) with x == m * 2**e.", split_float),
        row("gamma", "(x, /)", "The gamma function at x.", |i, a| special_one(i, &a, gamma::gamma)),
        row("isclose", "(a, b, *, rel_tol=1e-09, abs_tol=0.0)", "Whether a and b are close.", isclose),
        row("isfinite", "(x, /)", "Whether x is neither infinite nor NaN.", |i, a| test(i, &a, f64::is_finite)),
        row("isinf", "(x, /)", "Whether x is infinite.", |i, a| test(i, &a, f64::is_infinite)),
        row("isnan", "(x, /)", "Whether x is NaN.", |i, a| test(i, &a, f64::is_nan)),
        row("ldexp", "(x, i, /)", "x * 2**i.", scale),
        row("lgamma", "(x, /)", "The logarithm of the absolute value of the gamma function at x.", |i, a| {
            special_one(i, &a, gamma::lgamma)
        }),
        row("log", "(x, base=..., /)", "The logarithm of x to the given base, natural by default.", log),
        row("log10", "(x, /)", "The logarithm of x to base 10.", |i, a| logarithm(i, &a, f64::log10)),
        row("log1p", "(x, /)", "log(1 + x), exact for small x.", |i, a| one(i, &a, f64::ln_1p, false)),
        row("log2", "(x, /)", "The logarithm of x to base 2.", |i, a| logarithm(i, &a, f64::log2)),
        row("modf", "(x, /)", "Fractional and integer part of x, both floats with its sign.", modf),
        row("nextafter", "(x, y, /)", "The next float after x towards y.", |i, a| two(i, &a, floats::next_after)),
        row("pow", "(x, y, /)", "x to the power y, as floats.", pow),
        row("radians", "(x, /)", "Degrees to radians.", |i, a| {
            one(i, &a, |x| x * (std::f64::consts::PI / 180.0), false)
        }),
        row("remainder", "(x, y, /)", "The IEEE 754 remainder of x with respect to y.", remainder),
        row("sin", "(x, /)", "The sine of x radians.", |i, a| one(i, &a, f64::sin, false)),
        row("sinh", "(x, /)", "The hyperbolic sine of x.", |i, a| one(i, &a, f64::sinh, true)),
        row("sqrt", "(x, /)", "The square root of x.", |i, a| one(i, &a, f64::sqrt, false)),
        row("tan", "(x, /)", "The tangent of x radians.", |i, a| one(i, &a, f64::tan, false)),
        row("tanh", "(x, /)", "The hyperbolic tangent of x.", |i, a| one(i, &a, f64::tanh, false)),
        row("trunc", "(x, /)", "The integer part of x.", trunc),
        row("ulp", "(x, /)", "The value of the least significant bit of x.", |i, a| one(i, &a, floats::ulp, false)),
        row("comb", "(n, k, /)", "The number of ways to choose k of n, unordered.", integers::comb),
        row("factorial", "(n, /)", "n!", integers::factorial),
        row("gcd", "(*integers)", "The greatest common divisor.", integers::gcd),
        row("isqrt", "(n, /)", "The integer part of the square root of n.", integers::isqrt),
        row("lcm", "(*integers)", "The least common multiple.", integers::lcm),
        row("perm", "(n, k=None, /)", "The number of ways to choose k of n, ordered.", integers::perm),
        row("dist", "(p, q, /)", "The Euclidean distance between two points.", sums::dist),
        row("fsum", "(seq, /)", "The sum of floats without intermediate rounding.", sums::fsum),
        row("hypot", "(*coordinates)", "The Euclidean distance from the origin.", sums::hypot),
        row("prod", "(iterable, /, *, start=1)", "The product of all elements.", sums::prod),
    ],
    populate: |_, names| {
        let constants = [
            ("pi", std::f64::consts::PI),
            ("e", std::f64::consts::E),
            ("tau", std::f64::consts::TAU),
            ("inf", f64::INFINITY),
            ("nan", f64::NAN),
        ];
        names.extend(constants.map(|(name, value)| (name.into(), Value::Float(value))));
    },
};

fn domain(interp: &Interp) -> Box<Stop> {
    interp.value_error("math domain error")
}

fn range(interp: &Interp) -> Box<Stop> {
    interp.overflow_error("math range error")
}

/// A function of one float; `overflows` tells whether an infinite result of a finite argument is a range error or,
/// as at a pole, a domain error (`math_1` in CPython's mathmodule.c).
fn one(interp: &Interp, args: &Arguments, function: fn(f64) -> f64, overflows: bool) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let x = number(interp, args.get(0))?;
    let result = function(x);
    if result.is_nan() && !x.is_nan() {
        return Err(domain(interp));
    }
    if result.is_infinite() && x.is_finite() {
        return Err(if overflows { range(interp) } else { domain(interp) });
    }
    Ok(Value::Float(result))
}

/// As [`one`], for functions that tell poles from overflow themselves.
fn special_one(interp: &Interp, args: &Arguments, function: fn(f64) -> Option<f64>) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let x = number(interp, args.get(0))?;
    match function(x) {
        None => Err(domain(interp)),
        Some(result) if result.is_infinite() && x.is_finite() => Err(range(interp)),
        Some(result) => Ok(Value::Float(result)),
    }
}

/// A function of two floats (`math_2` in mathmodule.c).
fn two(interp: &Interp, args: &Arguments, function: fn(f64, f64) -> f64) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let (x, y) = (number(interp, args.get(0))?, number(interp, args.get(1))?);
    let result = function(x, y);
    if result.is_nan() && !x.is_nan() && !y.is_nan() {
        return Err(domain(interp));
    }
    Ok(Value::Float(result))
}

fn test(interp: &Interp, args: &Arguments, function: fn(f64) -> bool) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    Ok(Value::Bool(function(number(interp, args.get(0))?)))
}

/// A logarithm, of integers of any size.
fn logarithm(interp: &Interp, args: &Arguments, function: fn(f64) -> f64) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    Ok(Value::Float(log_of(interp, args.get(0), function)?))
}

fn log_of(interp: &Interp, value: &Value, function: fn(f64) -> f64) -> PyResult<f64> {
    if let Value::Int(Int::Big(big)) = value {
        if big.sign() != num_bigint::Sign::Plus {
            return Err(domain(interp));
        }
        let x = big.to_f64().unwrap_or(f64::INFINITY);
        if x.is_finite() {
            return Ok(function(x));
        }
        // Too large for a float: split off a power of two, log(m * 2**e) = log(m) + e * log(2).
        let exponent = big.bits() as i64;
        let keep: BigInt = &**big >> (exponent - 64) as usize;
        let mantissa = keep.to_f64().unwrap_or(0.0) / 2f64.powi(64);
        return Ok(function(mantissa) + function(2.0) * exponent as f64);
    }
    let x = number(interp, value)?;
    if x.is_nan() {
        return Ok(x);
    }
    if x <= 0.0 {
        return Err(domain(interp));
    }
    Ok(function(x))
}

fn log(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, base] = args.take();
    if let Some(unknown) = unknown(&[x.clone(), base.clone()]) {
        return Ok(unknown);
    }
    let result = log_of(interp, &x, f64::ln)?;
    if base.is_unset() {
        return Ok(Value::Float(result));
    }
    let divisor = log_of(interp, &base, f64::ln)?;
    if divisor == 0.0 {
        return Err(interp.zero_division_error("float division by zero"));
    }
    Ok(Value::Float(result / divisor))
}

/// `__ceil__`, `__floor__`, `__trunc__`: integers stay, other classes may define the method, the rest goes by float.
fn to_integer(interp: &Interp, args: Arguments, method: &str, round: fn(f64) -> f64) -> PyResult<Value> {
    let [x] = args.take();
    match &x {
        Value::Unknown(_) | Value::Int(_) => return Ok(x),
        Value::Bool(value) => return Ok(Value::int(i64::from(*value))),
        Value::Float(_) => {}
        other => {
            if let Some(function) = interp.find_attr(other, method)? {
                return interp.call_values(&function, []);
            }
        }
    }
    if method == "__trunc__" && !matches!(x, Value::Float(_)) {
        return Err(interp.type_error(format!("type {} doesn't define __trunc__ method", interp.type_name(&x))));
    }
    let value = round(number(interp, &x)?);
    if value.is_nan() {
        return Err(interp.value_error("cannot convert float NaN to integer"));
    }
    match BigInt::from_f64(value) {
        Some(big) => Ok(Value::int(big)),
        None => Err(interp.overflow_error("cannot convert float infinity to integer")),
    }
}

fn ceil(interp: &Interp, args: Arguments) -> PyResult<Value> {
    to_integer(interp, args, "__ceil__", f64::ceil)
}

fn floor(interp: &Interp, args: Arguments) -> PyResult<Value> {
    to_integer(interp, args, "__floor__", f64::floor)
}

fn trunc(interp: &Interp, args: Arguments) -> PyResult<Value> {
    to_integer(interp, args, "__trunc__", f64::trunc)
}

fn fmod(interp: &Interp, args: Arguments) -> PyResult<Value> {
    two(interp, &args, |x, y| if y.is_infinite() && x.is_finite() { x } else { x % y })
}

fn remainder(interp: &Interp, args: Arguments) -> PyResult<Value> {
    two(interp, &args, floats::ieee_remainder)
}

fn pow(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let (x, y) = (number(interp, args.get(0))?, number(interp, args.get(1))?);
    let result = x.powf(y);
    if x.is_finite() && y.is_finite() {
        if result.is_nan() || (result.is_infinite() && x == 0.0) {
            return Err(domain(interp));
        }
        if result.is_infinite() {
            return Err(range(interp));
        }
    }
    Ok(Value::Float(result))
}

fn split_float(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let (mantissa, exponent) = floats::frexp(number(interp, args.get(0))?);
    Ok(Value::tuple([Value::Float(mantissa), Value::int(exponent)]))
}

fn modf(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let x = number(interp, args.get(0))?;
    let whole = x.trunc();
    let part = if x.is_infinite() { 0f64.copysign(x) } else { (x - whole).copysign(x) };
    Ok(Value::tuple([Value::Float(part), Value::Float(whole)]))
}

fn scale(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let x = number(interp, args.get(0))?;
    let exponent = match args.get(1) {
        Value::Int(Int::Small(value)) => *value,
        Value::Int(Int::Big(value)) => {
            if value.sign() == num_bigint::Sign::Minus {
                i64::MIN
            } else {
                i64::MAX
            }
        }
        Value::Bool(value) => i64::from(*value),
        _ => return Err(interp.type_error("Expected an int as second argument to ldexp.")),
    };
    let result = floats::ldexp(x, exponent);
    if result.is_infinite() && x.is_finite() {
        return Err(range(interp));
    }
    Ok(Value::Float(result))
}

fn isclose(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let [a, b, relative, absolute] = args.take();
    let (a, b) = (number(interp, &a)?, number(interp, &b)?);
    let (relative, absolute) = (number(interp, &relative)?, number(interp, &absolute)?);
    if relative < 0.0 || absolute < 0.0 {
        return Err(interp.value_error("tolerances must be non-negative"));
    }
    if a == b {
        return Ok(Value::Bool(true));
    }
    if a.is_infinite() || b.is_infinite() {
        return Ok(Value::Bool(false));
    }
    let difference = (b - a).abs();
    Ok(Value::Bool(difference <= (relative * b).abs() || difference <= (relative * a).abs() || difference <= absolute))
}
