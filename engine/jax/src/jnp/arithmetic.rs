//! The arithmetic behind Python's operators on arrays, and behind `jnp.add` and its kin: promotion, then lax ops in the
//! combinations that jax.numpy uses (jax/_src/numpy/ufuncs.py), so that integers divide and shift as in JAX.

use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, OpDef, ops};
use pallas_python::raise::PyResult;
use pallas_syntax::ast::{BinaryOp, CompareOp};
use pallas_tensor::{DType, Kind};

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
        BinaryOp::LShift => simple(cx, "left_shift", &ops::SHIFT_LEFT, a, b),
        BinaryOp::RShift => right_shift(cx, a, b),
        BinaryOp::BitAnd => bitwise(cx, "bitwise_and", &ops::AND, a, b),
        BinaryOp::BitOr => bitwise(cx, "bitwise_or", &ops::OR, a, b),
        BinaryOp::BitXor => bitwise(cx, "bitwise_xor", &ops::XOR, a, b),
    }
}

/// Applies a Python comparison; `None` for `is`, `in` and their negations.
pub fn comparison(cx: &Context<'_>, op: CompareOp, a: &Tile, b: &Tile) -> Option<PyResult<Tile>> {
    let (name, op) = match op {
        CompareOp::Eq => ("equal", &ops::EQ),
        CompareOp::NotEq => ("not_equal", &ops::NE),
        CompareOp::Lt => ("less", &ops::LT),
        CompareOp::LtE => ("less_equal", &ops::LE),
        CompareOp::Gt => ("greater", &ops::GT),
        CompareOp::GtE => ("greater_equal", &ops::GE),
        CompareOp::Is | CompareOp::IsNot | CompareOp::In | CompareOp::NotIn => return None,
    };
    Some(simple(cx, name, op, a, b))
}

/// Promotes and applies one op.
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
    if operands[0].dtype() == DType::Bool {
        let message = match cx.rules {
            Rules::Jax => "sub does not accept dtype bool. Accepted dtypes are subtypes of number.",
            Rules::Numpy => {
                "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or \
                 the logical_xor function instead."
            }
        };
        return Err(cx.interp.type_error(message.to_string()));
    }
    p::binary(cx, &ops::SUB, &operands[0], &operands[1])
}

/// `a * b`; booleans multiply as `and`.
pub fn multiply(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, "mul", &[a, b])?;
    let op = if operands[0].dtype() == DType::Bool { &ops::AND } else { &ops::MUL };
    p::binary(cx, op, &operands[0], &operands[1])
}

/// `a / b`, always inexact.
pub fn true_divide(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote_inexact(cx, &[a, b])?;
    let operands = convert::broadcast(cx, "true_divide", &operands)?;
    p::binary(cx, &ops::DIV, &operands[0], &operands[1])
}

/// `a // b`: rounds towards minus infinity.
pub fn floor_divide(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, "floor_divide", &[a, b])?;
    let (x, y) = (numeric(cx, &operands[0])?, numeric(cx, &operands[1])?);
    match x.dtype().kind() {
        Kind::Unsigned | Kind::Bool | Kind::Key => p::binary(cx, &ops::DIV, &x, &y),
        Kind::Signed => {
            // select((sign(x) != sign(y)) & (rem(x, y) != 0), q - 1, q)
            let quotient = p::binary(cx, &ops::DIV, &x, &y)?;
            let one = p::broadcast_to(cx, &p::scalar_like(&quotient, 1.0), quotient.shape())?;
            let less = p::binary(cx, &ops::SUB, &quotient, &one)?;
            let signs = p::binary(cx, &ops::NE, &p::unary(cx, &ops::SIGN, &x)?, &p::unary(cx, &ops::SIGN, &y)?)?;
            let rest = p::binary(cx, &ops::REM, &x, &y)?;
            let zero = p::broadcast_to(cx, &p::scalar_like(&rest, 0.0), rest.shape())?;
            let inexact = p::binary(cx, &ops::NE, &rest, &zero)?;
            let round = p::binary(cx, &ops::AND, &signs, &inexact)?;
            p::select(cx, &round, &less, &quotient)
        }
        Kind::Float => Ok(float_divmod(cx, &x, &y)?.0),
    }
}

/// `a % b`: the sign of the divisor.
pub fn remainder(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, "remainder", &[a, b])?;
    let (x, y) = (numeric(cx, &operands[0])?, numeric(cx, &operands[1])?);
    let rest = p::binary(cx, &ops::REM, &x, &y)?;
    let zero = p::broadcast_to(cx, &p::scalar_like(&rest, 0.0), rest.shape())?;
    let inexact = p::binary(cx, &ops::NE, &rest, &zero)?;
    let rest_negative = p::binary(cx, &ops::LT, &rest, &zero)?;
    let divisor_negative = p::binary(cx, &ops::LT, &y, &zero)?;
    let differ = p::binary(cx, &ops::NE, &rest_negative, &divisor_negative)?;
    let wrap = p::binary(cx, &ops::AND, &differ, &inexact)?;
    let wrapped = p::binary(cx, &ops::ADD, &rest, &y)?;
    p::select(cx, &wrap, &wrapped, &rest)
}

/// Quotient and remainder of floats, as `_float_divmod` in jax.numpy.
fn float_divmod(cx: &Context<'_>, x: &Tile, y: &Tile) -> PyResult<(Tile, Tile)> {
    let rest = p::binary(cx, &ops::REM, x, y)?;
    let quotient = p::binary(cx, &ops::DIV, &p::binary(cx, &ops::SUB, x, &rest)?, y)?;
    let signs = p::binary(cx, &ops::NE, &p::unary(cx, &ops::SIGN, y)?, &p::unary(cx, &ops::SIGN, &rest)?)?;
    let zero = p::broadcast_to(cx, &p::scalar_like(&rest, 0.0), rest.shape())?;
    let inexact = p::binary(cx, &ops::NE, &rest, &zero)?;
    let wrap = p::binary(cx, &ops::AND, &signs, &inexact)?;
    let one = p::broadcast_to(cx, &p::scalar_like(&quotient, 1.0), quotient.shape())?;
    let quotient = p::select(cx, &wrap, &p::binary(cx, &ops::SUB, &quotient, &one)?, &quotient)?;
    let rest = p::select(cx, &wrap, &p::binary(cx, &ops::ADD, &rest, y)?, &rest)?;
    let rounded = cx.bind(&ops::ROUND, &[&quotient], Attributes::none().with("rounding", Attribute::Int(0)))?;
    Ok((rounded, rest))
}

/// `a ** b`. A known integer exponent becomes repeated multiplication, as in JAX.
pub fn power(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    if let Tile::Concrete { array, weak: true } = b
        && b.rank() == 0
        && array.dtype().is_integer()
        && cx.rules == Rules::Jax
        && let Some(exponent) = array.item().and_then(|s| s.as_int())
    {
        return integer_power(cx, a, exponent as i64);
    }
    let operands = convert::promote(cx, "power", &[a, b])?;
    let (x, y) = (numeric(cx, &operands[0])?, numeric(cx, &operands[1])?);
    if x.dtype().is_float() {
        return p::binary(cx, &ops::POW, &x, &y);
    }
    integer_power_by_squaring(cx, &x, &y)
}

/// `a ** n` for a known `n`.
pub fn integer_power(cx: &Context<'_>, a: &Tile, exponent: i64) -> PyResult<Tile> {
    let x = numeric(cx, a)?;
    if exponent == 2 {
        // jax.numpy turns x**2 into x * x (lax.square).
        return p::unary(cx, &ops::SQUARE, &x);
    }
    if exponent < 0 && !x.dtype().is_float() {
        let message = format!("Integers cannot be raised to negative powers, got integer_pow({}, {exponent})", p::type_text(&x.ty()));
        return Err(cx.interp.type_error(message));
    }
    cx.bind(&ops::INTEGER_POW, &[&x], Attributes::none().with("y", Attribute::Int(exponent)))
}

/// Integer bases with integer exponents: six rounds of square and multiply, as `_pow_int_int` in jax.numpy.
fn integer_power_by_squaring(cx: &Context<'_>, x: &Tile, y: &Tile) -> PyResult<Tile> {
    let one = p::broadcast_to(cx, &p::scalar_like(x, 1.0), x.shape())?;
    let zero = p::broadcast_to(cx, &p::scalar_like(y, 0.0), y.shape())?;
    let unit = p::broadcast_to(cx, &p::scalar_like(y, 1.0), y.shape())?;
    let (mut base, mut exponent) = (x.clone(), y.clone());
    let (one_for_negative, start) = (p::binary(cx, &ops::LT, y, &zero)?, one.clone());
    let none = p::broadcast_to(cx, &p::scalar_like(x, 0.0), x.shape())?;
    let mut result = p::select(cx, &one_for_negative, &none, &start)?;
    for _ in 0..6 {
        let bit = p::binary(cx, &ops::AND, &exponent, &unit)?;
        let odd = p::binary(cx, &ops::NE, &bit, &zero)?;
        let times = p::select(cx, &odd, &base, &one)?;
        result = p::binary(cx, &ops::MUL, &result, &times)?;
        exponent = p::binary(cx, &ops::SHIFT_RIGHT_LOGICAL, &exponent, &unit)?;
        base = p::binary(cx, &ops::MUL, &base, &base)?;
    }
    Ok(result)
}

/// `a >> b`: arithmetic for signed, logical for unsigned.
pub fn right_shift(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, "right_shift", &[a, b])?;
    let op = if operands[0].dtype().kind() == Kind::Unsigned {
        &ops::SHIFT_RIGHT_LOGICAL
    } else {
        &ops::SHIFT_RIGHT_ARITHMETIC
    };
    p::binary(cx, op, &operands[0], &operands[1])
}

/// `&`, `|`, `^` on integers and booleans.
fn bitwise(cx: &Context<'_>, name: &str, op: &'static OpDef, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::promote(cx, name, &[a, b])?;
    if operands[0].dtype().is_float() {
        let message = format!(
            "{name} does not accept dtype {} at position 0. Accepted dtypes at position 0 are subtypes of bool, integer.",
            operands[0].dtype().name()
        );
        return Err(cx.interp.type_error(message));
    }
    p::binary(cx, op, &operands[0], &operands[1])
}

/// Booleans as int32, anything else as it is.
fn numeric(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if x.dtype() == DType::Bool { p::convert(cx, x, convert::default_int(cx), false) } else { Ok(x.clone()) }
}

/// `-x`
pub fn negative(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if x.dtype() == DType::Bool {
        let message = "neg does not accept dtype bool. Accepted dtypes are subtypes of number.";
        return Err(cx.interp.type_error(message.to_string()));
    }
    p::unary(cx, &ops::NEG, x)
}

/// `~x`
pub fn invert(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if x.dtype().is_float() {
        let message = format!("not does not accept dtype {}. Accepted dtypes are subtypes of bool, integer.", x.dtype().name());
        return Err(cx.interp.type_error(message));
    }
    p::unary(cx, &ops::NOT, x)
}

/// `abs(x)`
pub fn absolute(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    match x.dtype().kind() {
        Kind::Bool | Kind::Unsigned => Ok(x.clone()),
        _ => p::unary(cx, &ops::ABS, x),
    }
}
