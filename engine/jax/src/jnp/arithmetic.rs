//! The arithmetic behind Python's operators on arrays, and behind `jnp.add` and its kin: promotion, then lax ops in the
//! combinations that jax.numpy uses (jax/_src/numpy/ufuncs.py), so that integers divide and shift as in JAX. What the
//! type rules of the ops refuse, they refuse in JAX's words; only numpy's refusals are worded here.

use super::compose;
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, OpDef, ops};
use pallas_python::raise::PyResult;
use pallas_syntax::ast::{BinaryOp, CompareOp};
use pallas_tensor::{DType, Kind, Scalar};

/// Applies a Python binary operator.
pub fn operator(cx: &Context<'_>, op: BinaryOp, a: &Tile, b: &Tile) -> PyResult<Tile> {
    match op {
        BinaryOp::Add => add(cx, a, b),
        BinaryOp::Sub => subtract(cx, a, b),
        BinaryOp::Mult => multiply(cx, a, b),
        BinaryOp::Div => true_divide(cx, a, b),
        BinaryOp::FloorDiv => floor_divide(cx, a, b),
        BinaryOp::Mod => remainder(cx, a, b),
        BinaryOp::Pow => power(cx, a, b),
        BinaryOp::MatMult => super::products::matmul(cx, a, b, None),
        BinaryOp::LShift => left_shift(cx, a, b),
        BinaryOp::RShift => right_shift(cx, a, b),
        BinaryOp::BitAnd => bitwise_and(cx, a, b),
        BinaryOp::BitOr => bitwise_or(cx, a, b),
        BinaryOp::BitXor => bitwise_xor(cx, a, b),
    }
}

/// Applies a Python comparison; `None` for `is`, `in` and their negations.
pub fn comparison(cx: &Context<'_>, op: CompareOp, a: &Tile, b: &Tile) -> Option<PyResult<Tile>> {
    let op = match op {
        CompareOp::Eq => &ops::EQ,
        CompareOp::NotEq => &ops::NE,
        CompareOp::Lt => &ops::LT,
        CompareOp::LtE => &ops::LE,
        CompareOp::Gt => &ops::GT,
        CompareOp::GtE => &ops::GE,
        CompareOp::Is | CompareOp::IsNot | CompareOp::In | CompareOp::NotIn => return None,
    };
    Some(simple(cx, op.name, op, a, b))
}

/// Promotes and applies one op; `name` is for errors about shapes, the op's own as in JAX.
pub fn simple(cx: &Context<'_>, name: &str, op: &'static OpDef, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, name, &[a, b])?;
    p::binary(cx, op, &operands[0], &operands[1])
}

/// `a + b`; booleans add as `or`.
pub fn add(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, "add", &[a, b])?;
    let op = if operands[0].dtype() == DType::Bool { &ops::OR } else { &ops::ADD };
    p::binary(cx, op, &operands[0], &operands[1])
}

/// `a - b`; refused for booleans, as in numpy.
pub fn subtract(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, "sub", &[a, b])?;
    if operands[0].dtype() == DType::Bool && cx.rules == Rules::Numpy {
        return Err(cx.interp.type_error(
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the \
             logical_xor function instead.",
        ));
    }
    p::binary(cx, &ops::SUB, &operands[0], &operands[1])
}

/// `a * b`; booleans multiply as `and`.
pub fn multiply(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, "mul", &[a, b])?;
    if cx.trace().is_none() && cx.rules == Rules::Jax && matches!(operands[0].dtype(), DType::F32 | DType::F64) {
        // XLA compiles a product with a converted boolean as a choice: `false * -1.0` is 0, not -0.
        let choice = [(a, &operands[1]), (b, &operands[0])].into_iter().find(|(x, _)| x.dtype() == DType::Bool);
        if let Some((mask, x)) = choice {
            let mask = p::broadcast_to(cx, mask, x.shape())?;
            return compose::or_constant(cx, &mask, x, 0.0);
        }
    }
    let op = if operands[0].dtype() == DType::Bool { &ops::AND } else { &ops::MUL };
    p::binary(cx, op, &operands[0], &operands[1])
}

/// `a / b`, always inexact.
pub fn true_divide(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote_inexact(cx, &[a, b])?;
    compose::divide(cx, &operands[0], &operands[1])
}

/// Operands with one shape and one dtype that is a number: booleans become integers.
pub fn promote_numeric(cx: &Context<'_>, name: &str, a: &Tile, b: &Tile) -> PyResult<(Tile, Tile)> {
    let operands = convert::promote(cx, name, &[a, b])?;
    Ok((numeric(cx, &operands[0])?, numeric(cx, &operands[1])?))
}

/// `a // b`: rounds towards minus infinity.
pub fn floor_divide(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (x, y) = promote_numeric(cx, "rem", a, b)?;
    match x.dtype().kind() {
        Kind::Float => Ok(float_divmod(cx, &x, &y)?.0),
        Kind::Unsigned | Kind::Bool | Kind::Key => {
            let quotient = p::binary(cx, &ops::DIV, &x, &y)?;
            if cx.rules == Rules::Jax {
                return Ok(quotient);
            }
            let defined = compose::with_constant(cx, &ops::NE, &y, 0.0)?;
            compose::or_constant(cx, &defined, &quotient, 0.0)
        }
        Kind::Signed => {
            // select((sign(x) != sign(y)) & (rem(x, y) != 0), q - 1, q)
            let quotient = p::binary(cx, &ops::DIV, &x, &y)?;
            let signs = p::binary(cx, &ops::NE, &p::unary(cx, &ops::SIGN, &x)?, &p::unary(cx, &ops::SIGN, &y)?)?;
            let rest = p::binary(cx, &ops::REM, &x, &y)?;
            let inexact = compose::with_constant(cx, &ops::NE, &rest, 0.0)?;
            let round = p::binary(cx, &ops::AND, &signs, &inexact)?;
            let less = compose::with_constant(cx, &ops::SUB, &quotient, 1.0)?;
            let quotient = p::select(cx, &round, &less, &quotient)?;
            if cx.rules == Rules::Jax {
                return Ok(quotient);
            }
            // numpy gives 0 where the divisor is 0.
            let defined = compose::with_constant(cx, &ops::NE, &y, 0.0)?;
            compose::or_constant(cx, &defined, &quotient, 0.0)
        }
    }
}

/// `a % b`: the sign of the divisor.
pub fn remainder(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (x, y) = promote_numeric(cx, "rem", a, b)?;
    if let Some(negative) = sign_of_divisor(cx, &x, &y, b) {
        let rest = p::binary(cx, &ops::REM, &x, &y)?;
        if let (false, Tile::Concrete { array, .. }) = (negative, &x)
            && array.most_above_zero().is_some()
        {
            return Ok(rest);
        }
        let other_sign = compose::with_constant(cx, if negative { &ops::GT } else { &ops::LT }, &rest, 0.0)?;
        let wrapped = p::binary(cx, &ops::ADD, &rest, &y)?;
        let rest = p::select(cx, &other_sign, &wrapped, &rest)?;
        if cx.rules == Rules::Jax || !x.dtype().is_float() {
            return Ok(rest);
        }
        // numpy's zeros have the sign of the divisor, as its other remainders.
        let size = p::unary(cx, &ops::ABS, &rest)?;
        return if negative { p::unary(cx, &ops::NEG, &size) } else { Ok(size) };
    }
    let y = nonzero_divisor(cx, &y)?;
    let rest = p::binary(cx, &ops::REM, &x, &y)?;
    let inexact = compose::with_constant(cx, &ops::NE, &rest, 0.0)?;
    let rest_negative = compose::with_constant(cx, &ops::LT, &rest, 0.0)?;
    let divisor_negative = compose::with_constant(cx, &ops::LT, &y, 0.0)?;
    let differ = p::binary(cx, &ops::NE, &rest_negative, &divisor_negative)?;
    let wrap = p::binary(cx, &ops::AND, &differ, &inexact)?;
    let wrapped = p::binary(cx, &ops::ADD, &rest, &y)?;
    let rest = p::select(cx, &wrap, &wrapped, &rest)?;
    if cx.rules == Rules::Jax || !x.dtype().is_float() { Ok(rest) } else { signed_zeros(cx, &rest, &y) }
}

/// numpy's zeros: those among `numbers` get the sign of another number.
fn signed_zeros(cx: &Context<'_>, numbers: &Tile, like: &Tile) -> PyResult<Tile> {
    let zero = compose::with_constant(cx, &ops::MUL, &p::unary(cx, &ops::SIGN, like)?, 0.0)?;
    let is_zero = compose::with_constant(cx, &ops::EQ, numbers, 0.0)?;
    p::select(cx, &is_zero, &zero, numbers)
}

/// Whether one number that everything is divided by is below zero, where nothing is staged: half of what JAX computes is known
/// then. `None` also of zero, and of what counts as zero.
fn sign_of_divisor(cx: &Context<'_>, x: &Tile, y: &Tile, divisor: &Tile) -> Option<bool> {
    let (Tile::Concrete { .. }, Tile::Concrete { .. }, Tile::Concrete { array, .. }) = (x, y, divisor) else {
        return None;
    };
    if array.size() != 1 || cx.trace_for([x, y].into_iter()).is_some() {
        return None;
    }
    let number = pallas_tensor::ops::convert(array, y.dtype()).ok()?.get(0)?.as_f64()?;
    (number.abs() >= f64::from(f32::MIN_POSITIVE) && number.is_finite()).then_some(number < 0.0)
}

/// `fmod(a, b)`: the sign of the dividend.
pub fn fmod(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (x, y) = promote_numeric(cx, "rem", a, b)?;
    let y = nonzero_divisor(cx, &y)?;
    p::binary(cx, &ops::REM, &x, &y)
}

/// Integer divisors of 0 replaced by 1.
fn nonzero_divisor(cx: &Context<'_>, y: &Tile) -> PyResult<Tile> {
    if !y.dtype().is_integer() {
        return Ok(y.clone());
    }
    let zero = compose::with_constant(cx, &ops::EQ, y, 0.0)?;
    let one = super::call::constant_like(cx, y, 1.0)?;
    p::select(cx, &zero, &one, y)
}

/// `divmod(a, b)`
pub fn divmod(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<(Tile, Tile)> {
    let (x, y) = promote_numeric(cx, "rem", a, b)?;
    if x.dtype().is_float() {
        return float_divmod(cx, &x, &y);
    }
    Ok((floor_divide(cx, &x, &y)?, remainder(cx, &x, &y)?))
}

/// Quotient and remainder of floats, as `_float_divmod` in jax.numpy.
fn float_divmod(cx: &Context<'_>, x: &Tile, y: &Tile) -> PyResult<(Tile, Tile)> {
    let rest = p::binary(cx, &ops::REM, x, y)?;
    let by_zero = compose::with_constant(cx, &ops::EQ, y, 0.0)?;
    let exact = p::binary(cx, &ops::SUB, x, &rest)?;
    let exact = p::select(cx, &by_zero, x, &exact)?;
    let quotient = p::binary(cx, &ops::DIV, &exact, y)?;
    let inexact = compose::with_constant(cx, &ops::NE, &rest, 0.0)?;
    let signs = p::binary(cx, &ops::NE, &p::unary(cx, &ops::SIGN, y)?, &p::unary(cx, &ops::SIGN, &rest)?)?;
    let wrap = p::binary(cx, &ops::AND, &inexact, &signs)?;
    let rest = p::select(cx, &wrap, &p::binary(cx, &ops::ADD, &rest, y)?, &rest)?;
    let less = compose::with_constant(cx, &ops::SUB, &quotient, 1.0)?;
    let quotient = p::select(cx, &wrap, &less, &quotient)?;
    let rounded = cx.bind(&ops::ROUND, &[&quotient], Attributes::none().with("rounding", Attribute::Int(0)))?;
    if cx.rules == Rules::Jax {
        return Ok((rounded, rest));
    }
    Ok((signed_zeros(cx, &rounded, &p::binary(cx, &ops::DIV, x, y)?)?, signed_zeros(cx, &rest, y)?))
}

/// `a ** b`. A known integer exponent becomes repeated multiplication, as in JAX.
pub fn power(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    if let Tile::Concrete { array, weak } = b
        && b.rank() == 0
        && cx.rules == Rules::Jax
        // `operator.index`: Python's True is 1, an array of bool is none.
        && (array.dtype().is_integer() || (*weak && array.dtype() == DType::Bool))
        && let Some(exponent) = array.item().and_then(Scalar::as_int)
    {
        return integer_power(cx, a, i64::try_from(exponent).unwrap_or(i64::MAX));
    }
    // A float base keeps its dtype under an integer exponent.
    if cx.rules == Rules::Jax && a.dtype().is_float() && b.dtype().is_integer() {
        let operands = convert::broadcast(cx, "pow", &[a.clone(), b.clone()])?;
        return p::binary(cx, &ops::POW, &operands[0], &operands[1]);
    }
    let (x, y) = promote_numeric(cx, "pow", a, b)?;
    if x.dtype().is_float() {
        return p::binary(cx, &ops::POW, &x, &y);
    }
    if cx.rules == Rules::Numpy && y.array().is_some_and(|y| y.iter_scalars().any(|s| s.as_int() < Some(0))) {
        return Err(cx.interp.value_error("Integers to negative integer powers are not allowed."));
    }
    integer_power_by_squaring(cx, &x, &y)
}

/// `a ** n` for a known `n`.
pub fn integer_power(cx: &Context<'_>, a: &Tile, exponent: i64) -> PyResult<Tile> {
    let x = numeric(cx, a)?;
    cx.bind(&ops::INTEGER_POW, &[&x], Attributes::none().with("y", Attribute::Int(exponent)))
}

/// Integer bases with integer exponents: six rounds of square and multiply, as `_pow_int_int` in jax.numpy.
fn integer_power_by_squaring(cx: &Context<'_>, x: &Tile, y: &Tile) -> PyResult<Tile> {
    let unit = super::call::constant_like(cx, y, 1.0)?;
    let zero_base = compose::with_constant(cx, &ops::EQ, x, 0.0)?;
    let some_exponent = compose::with_constant(cx, &ops::NE, y, 0.0)?;
    let vanishes = p::binary(cx, &ops::AND, &zero_base, &some_exponent)?;
    let (zero, one) = (super::call::constant_like(cx, x, 0.0)?, super::call::constant_like(cx, x, 1.0)?);
    let mut result = p::select(cx, &vanishes, &zero, &one)?;
    let (mut base, mut exponent) = (x.clone(), y.clone());
    for _ in 0..6 {
        let bit = p::binary(cx, &ops::AND, &exponent, &unit)?;
        let odd = compose::with_constant(cx, &ops::NE, &bit, 0.0)?;
        let product = p::binary(cx, &ops::MUL, &result, &base)?;
        result = p::select(cx, &odd, &product, &result)?;
        base = p::binary(cx, &ops::MUL, &base, &base)?;
        exponent = p::binary(cx, &ops::SHIFT_RIGHT_LOGICAL, &exponent, &unit)?;
    }
    Ok(result)
}

/// `a << b`
pub fn left_shift(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (x, y) = promote_numeric(cx, "shift_left", a, b)?;
    integers_only(cx, "left_shift", &x)?;
    p::binary(cx, &ops::SHIFT_LEFT, &x, &y)
}

/// `a >> b`: arithmetic for signed, logical for unsigned.
pub fn right_shift(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let (x, y) = promote_numeric(cx, "shift_right_arithmetic", a, b)?;
    integers_only(cx, "right_shift", &x)?;
    let logical = x.dtype().kind() == Kind::Unsigned;
    let op = if logical { &ops::SHIFT_RIGHT_LOGICAL } else { &ops::SHIFT_RIGHT_ARITHMETIC };
    p::binary(cx, op, &x, &y)
}

/// `a & b`
pub fn bitwise_and(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    bitwise(cx, "bitwise_and", &ops::AND, a, b)
}

/// `a | b`
pub fn bitwise_or(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    bitwise(cx, "bitwise_or", &ops::OR, a, b)
}

/// `a ^ b`
pub fn bitwise_xor(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    bitwise(cx, "bitwise_xor", &ops::XOR, a, b)
}

fn bitwise(cx: &Context<'_>, name: &str, op: &'static OpDef, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, op.name, &[a, b])?;
    integers_only(cx, name, &operands[0])?;
    p::binary(cx, op, &operands[0], &operands[1])
}

/// numpy's words where an operation on bits meets floats; JAX's are those of the op's type rule.
fn integers_only(cx: &Context<'_>, name: &str, x: &Tile) -> PyResult<()> {
    if cx.rules == Rules::Jax || !x.dtype().is_float() {
        return Ok(());
    }
    Err(cx.interp.type_error(format!(
        "ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any supported \
         types according to the casting rule ''safe''"
    )))
}

/// Booleans as int32, anything else as it is.
pub fn numeric(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if x.dtype() != DType::Bool {
        return Ok(x.clone());
    }
    let dtype = if cx.rules == Rules::Numpy { DType::I8 } else { convert::default_int(cx) };
    p::convert(cx, x, dtype, x.weak())
}

/// `-x`
pub fn negative(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if x.dtype() == DType::Bool && cx.rules == Rules::Numpy {
        return Err(cx.interp.type_error(
            "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not \
             function instead.",
        ));
    }
    p::unary(cx, &ops::NEG, x)
}

/// `~x`
pub fn invert(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    integers_only(cx, "invert", x)?;
    p::unary(cx, &ops::NOT, x)
}

/// `abs(x)`
pub fn absolute(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    match x.dtype().kind() {
        Kind::Bool | Kind::Unsigned => Ok(x.clone()),
        _ => p::unary(cx, &ops::ABS, x),
    }
}
