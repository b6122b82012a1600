//! Elementwise functions of `jax.numpy` on tiles: promotion, then lax ops in the combinations of
//! jax/_src/numpy/ufuncs.py and lax_numpy.py. Their table rows are in [`super::ufuncs`].

use super::arithmetic;
use super::call::constant_like;
use super::compose::{self, divide_by, with_constant};
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{OpDef, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::{DType, Kind, Scalar};

/// The operand as a float: integers take the default float, or in numpy the one of their width.
pub fn inexact(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let mut operands = inexact_operands(cx, &[x])?;
    operands.pop().ok_or_else(|| cx.interp.runtime_error("promotion lost its operand"))
}

/// Operands promoted to one float dtype, shapes as they are.
pub fn inexact_operands(cx: &Context<'_>, tiles: &[&Tile]) -> PyResult<Vec<Tile>> {
    let (dtype, _) = convert::common_dtype(cx, tiles)?;
    if cx.rules == Rules::Numpy && !dtype.is_float() && tiles.iter().any(|tile| !tile.weak()) {
        let float = match dtype.bits() {
            0..=8 => DType::F16,
            9..=16 => DType::F32,
            _ => DType::F64,
        };
        return tiles.iter().map(|tile| p::convert(cx, tile, float, false)).collect();
    }
    convert::promote_inexact(cx, tiles)
}

/// Two operands as floats of one shape; `name` is the lax op that complains about shapes.
pub fn inexact_pair(cx: &Context<'_>, name: &str, a: &Tile, b: &Tile) -> PyResult<(Tile, Tile)> {
    let operands = inexact_operands(cx, &[a, b])?;
    let operands = convert::broadcast(cx, name, &operands)?;
    Ok((operands[0].clone(), operands[1].clone()))
}

/// A lax op after promotion to floats.
pub fn float_op(cx: &Context<'_>, op: &'static OpDef, x: &Tile) -> PyResult<Tile> {
    p::unary(cx, op, &inexact(cx, x)?)
}

/// `floor`, `ceil`, `trunc`: integers are whole already.
fn whole(cx: &Context<'_>, op: &'static OpDef, x: &Tile) -> PyResult<Tile> {
    if x.dtype().is_float() { p::unary(cx, op, x) } else { Ok(x.clone()) }
}

pub fn floor(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    whole(cx, &ops::FLOOR, x)
}

pub fn ceil(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    whole(cx, &ops::CEIL, x)
}

pub fn trunc(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if !x.dtype().is_float() {
        return Ok(x.clone());
    }
    let negative = with_constant(cx, &ops::LT, x, 0.0)?;
    p::select(cx, &negative, &p::unary(cx, &ops::CEIL, x)?, &p::unary(cx, &ops::FLOOR, x)?)
}

pub fn rint(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if !x.dtype().is_float() {
        return match cx.rules {
            Rules::Jax => p::convert(cx, x, convert::default_float(cx), false),
            Rules::Numpy => inexact(cx, x),
        };
    }
    compose::round_even(cx, x)
}

/// `round(x, decimals)`
pub fn round(cx: &Context<'_>, x: &Tile, decimals: i64) -> PyResult<Tile> {
    let dtype = x.dtype();
    if dtype == DType::Bool && cx.rules == Rules::Jax {
        return Err(cx.interp.value_error("data type <class 'numpy.bool'> not inexact"));
    }
    if !dtype.is_float() {
        if decimals < 0 && cx.rules == Rules::Jax {
            return Err(cx.interp.not_implemented_error("integer np.round not implemented for decimals < 0"));
        }
        if decimals >= 0 {
            return Ok(x.clone());
        }
        let factor = 10f64.powi(i32::try_from(-decimals).unwrap_or(i32::MAX));
        let scaled = divide_by(cx, &p::convert(cx, x, DType::F64, false)?, factor)?;
        let rounded = with_constant(cx, &ops::MUL, &compose::round_even(cx, &scaled)?, factor)?;
        return p::convert(cx, &rounded, dtype, false);
    }
    if decimals == 0 {
        return compose::round_even(cx, x);
    }
    if dtype.finfo().is_some_and(|info| decimals as f64 > info.max.log10()) {
        return Ok(x.clone());
    }
    let working = if dtype == DType::F16 { DType::F32 } else { dtype };
    let wide = p::convert(cx, x, working, x.weak())?;
    let factor = 10f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX));
    let scaled = with_constant(cx, &ops::MUL, &wide, factor)?;
    let rounded = divide_by(cx, &compose::round_even(cx, &scaled)?, factor)?;
    p::convert(cx, &rounded, dtype, x.weak())
}

pub fn negative(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    arithmetic::negative(cx, x)
}

pub fn identity(_cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    Ok(x.clone())
}

pub fn sign(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    p::unary(cx, &ops::SIGN, x)
}

pub fn fabs(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    float_op(cx, &ops::ABS, x)
}

pub fn square(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    p::unary(cx, &ops::SQUARE, &arithmetic::numeric(cx, x)?)
}

pub fn reciprocal(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    arithmetic::integer_power(cx, &inexact(cx, x)?, -1)
}

/// `log(x) / log(2)`, the divisor folded by the compiler.
pub fn log2(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let x = inexact(cx, x)?;
    let log = p::unary(cx, &ops::LOG, &x)?;
    if cx.rules == Rules::Numpy {
        // `f64::log2` is exact at powers of two; scaling the natural logarithm is not.
        let scaled = with_constant(cx, &ops::DIV, &log, std::f64::consts::LN_2)?;
        let nearest = compose::round_even(cx, &scaled)?;
        let exact = p::binary(cx, &ops::EQ, &float_op(cx, &ops::EXP2, &nearest)?, &x)?;
        return p::select(cx, &exact, &nearest, &scaled);
    }
    divide_by(cx, &log, std::f32::consts::LN_2.into())
}

pub fn log10(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let log = float_op(cx, &ops::LOG, x)?;
    match cx.rules {
        Rules::Jax => with_constant(cx, &ops::MUL, &log, std::f64::consts::LOG10_E),
        Rules::Numpy => with_constant(cx, &ops::DIV, &log, std::f64::consts::LN_10),
    }
}

pub fn deg2rad(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    with_constant(cx, &ops::MUL, &inexact(cx, x)?, std::f64::consts::PI / 180.0)
}

pub fn rad2deg(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    with_constant(cx, &ops::MUL, &inexact(cx, x)?, 180.0 / std::f64::consts::PI)
}

/// The imaginary part of real numbers.
pub fn imag(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    constant_like(cx, x, 0.0)
}

/// A boolean tile of one value with `x`'s shape.
fn constant_bool(cx: &Context<'_>, x: &Tile, value: bool) -> PyResult<Tile> {
    p::full(cx, x.shape(), DType::Bool, Scalar::Bool(value))
}

pub fn isfinite(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if x.dtype().is_float() { p::unary(cx, &ops::IS_FINITE, x) } else { constant_bool(cx, x, true) }
}

/// `x == value`, never weak.
fn is_value(cx: &Context<'_>, x: &Tile, value: f64) -> PyResult<Tile> {
    p::binary(cx, &ops::EQ, x, &super::call::strong_constant_like(cx, x, value)?)
}

pub fn isinf(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if !x.dtype().is_float() {
        return constant_bool(cx, x, false);
    }
    is_value(cx, &p::unary(cx, &ops::ABS, x)?, f64::INFINITY)
}

pub fn isposinf(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if x.dtype().is_float() { is_value(cx, x, f64::INFINITY) } else { constant_bool(cx, x, false) }
}

pub fn isneginf(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if x.dtype().is_float() { is_value(cx, x, f64::NEG_INFINITY) } else { constant_bool(cx, x, false) }
}

pub fn isnan(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    compose::is_nan(cx, x)
}

pub fn iscomplex(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    constant_bool(cx, x, false)
}

pub fn isreal(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    constant_bool(cx, x, true)
}

/// Whether the sign bit is set.
pub fn signbit(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if x.dtype() == DType::Bool {
        return constant_bool(cx, x, false);
    }
    if !x.dtype().is_float() {
        return p::binary(cx, &ops::LT, x, &super::call::strong_constant_like(cx, x, 0.0)?);
    }
    let dtype = match x.dtype().bits() {
        16 => DType::I16,
        32 => DType::I32,
        64 => DType::I64,
        _ => {
            return Err(cx.interp.not_implemented_error("jax.numpy.signbit only supports 16, 32, and 64-bit types."));
        }
    };
    let bits = compose::bitcast(cx, x, dtype)?;
    with_constant(cx, &ops::LT, &bits, 0.0)
}

pub fn logical_not(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    p::unary(cx, &ops::NOT, &compose::as_bool(cx, x)?)
}

pub fn bitwise_count(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let x = arithmetic::absolute(cx, &arithmetic::numeric(cx, x)?)?;
    p::convert(cx, &p::unary(cx, &ops::POPULATION_COUNT, &x)?, DType::U8, false)
}

/// `sin(pi x) / (pi x)`
pub fn sinc(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let x = inexact(cx, x)?;
    let zero = with_constant(cx, &ops::EQ, &x, 0.0)?;
    let angle = with_constant(cx, &ops::MUL, &x, std::f64::consts::PI)?;
    let one = constant_like(cx, &x, 1.0)?;
    let safe = p::select(cx, &zero, &one, &angle)?;
    let ratio = p::binary(cx, &ops::DIV, &p::unary(cx, &ops::SIN, &safe)?, &safe)?;
    p::select(cx, &zero, &one, &ratio)
}

// Functions of two operands.

pub fn maximum(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    arithmetic::simple(cx, "max", &ops::MAX, a, b)
}

pub fn minimum(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    arithmetic::simple(cx, "min", &ops::MIN, a, b)
}

/// The larger, NaN only where both are.
pub fn fmax(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let greater = arithmetic::simple(cx, "gt", &ops::GT, a, b)?;
    prefer(cx, &greater, a, b)
}

/// The smaller, NaN only where both are.
pub fn fmin(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let less = arithmetic::simple(cx, "lt", &ops::LT, a, b)?;
    prefer(cx, &less, a, b)
}

fn prefer(cx: &Context<'_>, first: &Tile, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let mask = arithmetic::bitwise_or(cx, first, &compose::is_nan(cx, b)?)?;
    compose::choose(cx, &mask, a, b)
}

pub fn logical(cx: &Context<'_>, op: &'static OpDef, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, op.name, &[a, b])?;
    p::binary(cx, op, &compose::as_bool(cx, &operands[0])?, &compose::as_bool(cx, &operands[1])?)
}

pub fn arctan2(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (y, x) = inexact_pair(cx, "atan2", a, b)?;
    p::binary(cx, &ops::ATAN2, &y, &x)
}

pub fn nextafter(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (x, y) = inexact_pair(cx, "nextafter", a, b)?;
    p::binary(cx, &ops::NEXTAFTER, &x, &y)
}

pub fn float_power(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (x, y) = if cx.rules == Rules::Numpy {
        // numpy computes it in float64 at least.
        let wide = |tile: &Tile| p::convert(cx, tile, DType::F64, false);
        inexact_pair(cx, "pow", &wide(a)?, &wide(b)?)?
    } else {
        inexact_pair(cx, "pow", a, b)?
    };
    p::binary(cx, &ops::POW, &x, &y)
}

/// `sqrt(a * a + b * b)` without overflow.
pub fn hypot(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (a, b) = inexact_pair(cx, "hypot", a, b)?;
    let (a, b) = (p::unary(cx, &ops::ABS, &a)?, p::unary(cx, &ops::ABS, &b)?);
    let infinite = p::binary(cx, &ops::OR, &isposinf(cx, &a)?, &isposinf(cx, &b)?)?;
    let (large, small) = (p::binary(cx, &ops::MAX, &a, &b)?, p::binary(cx, &ops::MIN, &a, &b)?);
    let zero = with_constant(cx, &ops::EQ, &large, 0.0)?;
    let one = constant_like(cx, &large, 1.0)?;
    let safe = p::select(cx, &zero, &one, &large)?;
    let ratio = p::binary(cx, &ops::DIV, &small, &safe)?;
    let sum = compose::multiply_add(cx, &ratio, &ratio, &one)?;
    let product = p::binary(cx, &ops::MUL, &large, &p::unary(cx, &ops::SQRT, &sum)?)?;
    let length = p::select(cx, &zero, &large, &product)?;
    let infinity = constant_like(cx, &length, f64::INFINITY)?;
    p::select(cx, &infinite, &infinity, &length)
}

/// `log(exp(a) + exp(b))`, and with `base_two` the same to the base 2 (lax/other.py).
pub fn log_add_exp(cx: &Context<'_>, a: &Tile, b: &Tile, base_two: bool) -> PyResult<Tile> {
    let (a, b) = inexact_pair(cx, "max", a, b)?;
    let body = move |cx: &Context<'_>, x: &[Tile]| log_add_exp_of(cx, &x[0], &x[1], base_two);
    let power = if base_two { &ops::EXP2 } else { &ops::EXP };
    crate::nn::derivatives::log_add_exp(cx, &a, &b, power, std::rc::Rc::new(body))
}

fn log_add_exp_of(cx: &Context<'_>, a: &Tile, b: &Tile, base_two: bool) -> PyResult<Tile> {
    let largest = p::binary(cx, &ops::MAX, a, b)?;
    let delta = p::binary(cx, &ops::SUB, a, b)?;
    let both = p::binary(cx, &ops::ADD, a, b)?;
    let distance = p::unary(cx, &ops::NEG, &p::unary(cx, &ops::ABS, &delta)?)?;
    let power = p::unary(cx, if base_two { &ops::EXP2 } else { &ops::EXP }, &distance)?;
    let mut rest = p::unary(cx, &ops::LOG1P, &power)?;
    if base_two {
        rest = with_constant(cx, &ops::MUL, &rest, std::f64::consts::LOG2_E)?;
    }
    let sum = p::binary(cx, &ops::ADD, &largest, &rest)?;
    p::select(cx, &compose::is_nan(cx, &delta)?, &both, &sum)
}

pub fn heaviside(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (x, at_zero) = inexact_pair(cx, "where", a, b)?;
    let (zero, one) = (constant_like(cx, &x, 0.0)?, constant_like(cx, &x, 1.0)?);
    let middle = p::select(cx, &compose::is_nan(cx, &x)?, &x, &at_zero)?;
    let upper = p::select(cx, &p::binary(cx, &ops::GT, &x, &zero)?, &one, &middle)?;
    p::select(cx, &p::binary(cx, &ops::LT, &x, &zero)?, &zero, &upper)
}

pub fn copysign(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (x, y) = inexact_pair(cx, "where", a, b)?;
    let magnitude = p::unary(cx, &ops::ABS, &x)?;
    let negative = p::unary(cx, &ops::NEG, &magnitude)?;
    p::select(cx, &signbit(cx, &y)?, &negative, &magnitude)
}

/// `x * 2**n`
pub fn ldexp(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    if b.dtype().is_float() {
        let message =
            format!("ldexp not supported for input types {}", (a.dtype().name().to_string() + ", " + b.dtype().name()));
        return Err(cx.interp.value_error(message));
    }
    let x = inexact(cx, a)?;
    let exponent = p::convert(cx, b, x.dtype(), false)?;
    let operands = convert::broadcast(cx, "mul", &[x, exponent])?;
    // Two steps, so that a power that overflows on its own does not spoil the product.
    let half = p::unary(cx, &ops::FLOOR, &with_constant(cx, &ops::MUL, &operands[1], 0.5)?)?;
    let rest = p::binary(cx, &ops::SUB, &operands[1], &half)?;
    let first = p::binary(cx, &ops::MUL, &operands[0], &p::unary(cx, &ops::EXP2, &half)?)?;
    p::binary(cx, &ops::MUL, &first, &p::unary(cx, &ops::EXP2, &rest)?)
}

/// Greatest common divisor of known integers, element by element; Euclid's rounds are bounded by the width.
pub fn gcd(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, "gcd", &[a, b])?;
    if !operands[0].dtype().is_integer() {
        return Err(match cx.rules {
            Rules::Jax => cx.interp.value_error("Arguments to jax.numpy.gcd must be integers."),
            Rules::Numpy => cx.interp.type_error("ufunc 'gcd' did not contain a loop with signature matching types"),
        });
    }
    let mut x = arithmetic::absolute(cx, &operands[0])?;
    let mut y = arithmetic::absolute(cx, &operands[1])?;
    // Fibonacci neighbours take the most rounds: 1.44 per bit.
    let rounds = x.dtype().bits() * 3 / 2;
    for _ in 0..rounds {
        if y.array().is_some_and(|y| y.iter_scalars().all(|s| s.as_int() == Some(0))) {
            break;
        }
        let done = with_constant(cx, &ops::EQ, &y, 0.0)?;
        let divisor = p::select(cx, &done, &constant_like(cx, &y, 1.0)?, &y)?;
        let rest = p::binary(cx, &ops::REM, &x, &divisor)?;
        let next = p::select(cx, &done, &x, &y)?;
        y = p::select(cx, &done, &y, &rest)?;
        x = next;
    }
    Ok(x)
}

/// Least common multiple.
pub fn lcm(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, "lcm", &[a, b])?;
    if !operands[0].dtype().is_integer() {
        return Err(cx.interp.value_error("Arguments to jax.numpy.lcm must be integers."));
    }
    let (x, y) = (arithmetic::absolute(cx, &operands[0])?, arithmetic::absolute(cx, &operands[1])?);
    let divisor = gcd(cx, &x, &y)?;
    let zero = with_constant(cx, &ops::EQ, &divisor, 0.0)?;
    let safe = p::select(cx, &zero, &constant_like(cx, &divisor, 1.0)?, &divisor)?;
    let product = p::binary(cx, &ops::MUL, &x, &p::binary(cx, &ops::DIV, &y, &safe)?)?;
    p::select(cx, &zero, &constant_like(cx, &product, 0.0)?, &product)
}

/// `clip(x, low, high)`; the limits promote with `x`, as in `jnp.clip`.
pub fn clip(cx: &Context<'_>, x: &Tile, low: Option<&Tile>, high: Option<&Tile>) -> PyResult<Tile> {
    let mut x = x.clone();
    if let Some(low) = low {
        x = maximum(cx, low, &x)?;
    }
    if let Some(high) = high {
        x = minimum(cx, high, &x)?;
    }
    Ok(x)
}

/// NaN and infinities replaced by numbers.
pub fn nan_to_num(
    cx: &Context<'_>,
    x: &Tile,
    nan: &Tile,
    positive: Option<&Tile>,
    negative: Option<&Tile>,
) -> PyResult<Tile> {
    let Some(info) = x.dtype().finfo() else { return Ok(x.clone()) };
    let fill = |given: Option<&Tile>, value: f64| -> PyResult<Tile> {
        let scalar = match given {
            Some(tile) => p::convert(cx, tile, x.dtype(), false)?,
            None => p::scalar(x.dtype(), Scalar::Float(value)),
        };
        p::broadcast_to(cx, &scalar, x.shape())
    };
    let out = p::select(cx, &compose::is_nan(cx, x)?, &fill(Some(nan), 0.0)?, x)?;
    let out = p::select(cx, &isposinf(cx, &out)?, &fill(positive, info.max)?, &out)?;
    p::select(cx, &isneginf(cx, &out)?, &fill(negative, info.min)?, &out)
}

/// Fraction and exponent: `x = m * 2**e` with `0.5 <= |m| < 1`.
pub fn frexp(cx: &Context<'_>, x: &Tile) -> PyResult<(Tile, Tile)> {
    let x = inexact(cx, x)?;
    let (Some(info), integer) = (
        x.dtype().finfo(),
        match x.dtype().bits() {
            16 => DType::I16,
            32 => DType::I32,
            _ => DType::I64,
        },
    ) else {
        return Err(cx.interp.type_error("frexp does not support complex-valued inputs"));
    };
    let small = with_constant(cx, &ops::LT, &p::unary(cx, &ops::ABS, &x)?, info.tiny)?;
    let scale = f64::from(info.nmant).exp2();
    let scaled = p::select(cx, &small, &with_constant(cx, &ops::MUL, &x, scale)?, &x)?;
    let bits = compose::bitcast(cx, &scaled, integer)?;
    let mask = f64::from((1u32 << info.nexp) - 1);
    let bias = f64::from(1 - info.minexp);
    let raised = with_constant(cx, &ops::SHIFT_RIGHT_ARITHMETIC, &bits, info.nmant.into())?;
    let field = with_constant(cx, &ops::AND, &raised, mask)?;
    let exponent = with_constant(cx, &ops::ADD, &field, 1.0 - bias)?;
    let shifted = with_constant(cx, &ops::SUB, &exponent, info.nmant.into())?;
    let exponent = p::select(cx, &small, &shifted, &exponent)?;
    let shift = call_shift(cx, &bits, mask, info.nmant)?;
    let cleared = p::binary(cx, &ops::AND, &bits, &p::unary(cx, &ops::NOT, &shift)?)?;
    let half = call_shift(cx, &bits, bias - 1.0, info.nmant)?;
    let fraction = compose::bitcast(cx, &p::binary(cx, &ops::OR, &cleared, &half)?, x.dtype())?;
    let special =
        p::binary(cx, &ops::OR, &p::unary(cx, &ops::NOT, &isfinite(cx, &x)?)?, &with_constant(cx, &ops::EQ, &x, 0.0)?)?;
    let fraction = p::select(cx, &special, &x, &fraction)?;
    let exponent = p::select(cx, &special, &constant_like(cx, &exponent, 0.0)?, &exponent)?;
    Ok((fraction, p::convert(cx, &exponent, DType::I32, false)?))
}

/// `value << by` as a tile like `x`.
fn call_shift(cx: &Context<'_>, x: &Tile, value: f64, by: u32) -> PyResult<Tile> {
    with_constant(cx, &ops::SHIFT_LEFT, &constant_like(cx, x, value)?, by.into())
}

/// Fractional and integral parts.
pub fn modf(cx: &Context<'_>, x: &Tile) -> PyResult<(Tile, Tile)> {
    let x = inexact(cx, x)?;
    let whole = trunc(cx, &x)?;
    Ok((p::binary(cx, &ops::SUB, &x, &whole)?, whole))
}

/// Distance to the next larger float in magnitude.
pub fn spacing(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let x = inexact(cx, x)?;
    let infinity = copysign(cx, &constant_like(cx, &x, f64::INFINITY)?, &x)?;
    p::binary(cx, &ops::SUB, &p::binary(cx, &ops::NEXTAFTER, &x, &infinity)?, &x)
}

/// Whether a dtype counts as an integer for functions that treat booleans as integers, too.
pub fn is_integral(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Bool | Kind::Signed | Kind::Unsigned)
}
