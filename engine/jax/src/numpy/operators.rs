//! Operators of numpy arrays where numpy differs from the shared arithmetic: integers by zero, small powers, the cast back
//! of in-place operators.

use crate::context::Context;
use crate::jnp::{arithmetic, call, compose};
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::int::Int;
use pallas_python::raise::PyResult;
use pallas_syntax::ast::BinaryOp;
use pallas_tensor::{Array, DType, Kind, Scalar};

/// A Python int beside an array of integers takes the array's dtype, and must fit in it (NEP 50).
pub(super) fn python_int(cx: &Context<'_>, value: &Int, dtype: DType) -> PyResult<Tile> {
    let number = i128::try_from(value.to_big()).ok();
    let fits = number.zip(dtype.iinfo()).is_some_and(|(number, info)| (info.min..=info.max).contains(&number));
    match number.filter(|_| fits) {
        Some(number) => Ok(Tile::concrete(Array::scalar(dtype, Scalar::Int(number)))),
        None => Err(cx.interp.overflow_error(format!("Python integer {value} out of bounds for {}", dtype.name()))),
    }
}

/// numpy's `same_kind` casting: not from floats to integers, nor from integers to booleans.
pub(super) fn same_kind(from: DType, to: DType) -> bool {
    let rank = |dtype: DType| match dtype.kind() {
        Kind::Bool => 0,
        Kind::Unsigned => 1,
        Kind::Signed => 2,
        _ => 3,
    };
    rank(from) <= rank(to)
}

/// The ufunc behind an operator.
pub(super) fn ufunc_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "subtract",
        BinaryOp::Mult => "multiply",
        BinaryOp::Div => "divide",
        BinaryOp::FloorDiv => "floor_divide",
        BinaryOp::Mod => "remainder",
        BinaryOp::Pow => "power",
        BinaryOp::MatMult => "matmul",
        BinaryOp::LShift => "left_shift",
        BinaryOp::RShift => "right_shift",
        BinaryOp::BitAnd => "bitwise_and",
        BinaryOp::BitOr => "bitwise_or",
        BinaryOp::BitXor => "bitwise_xor",
    }
}

/// numpy's own cases of operators that the shared arithmetic computes as XLA does.
pub(super) fn compute(cx: &Context<'_>, op: BinaryOp, a: &Tile, b: &Tile) -> PyResult<Tile> {
    if op == BinaryOp::Pow {
        if let Some(result) = small_power(cx, a, b)? {
            return Ok(result);
        }
        let negative = b.array().is_some_and(|array| {
            array.dtype().is_integer() && array.iter_scalars().any(|s| s.as_int().is_some_and(|v| v < 0))
        });
        if negative && !a.dtype().is_float() {
            return Err(cx.interp.value_error("Integers to negative integer powers are not allowed."));
        }
    }
    let result = arithmetic::operator(cx, op, a, b)?;
    // Integer division by zero gives zero.
    if matches!(op, BinaryOp::FloorDiv | BinaryOp::Mod)
        && result.dtype().is_integer()
        && let Some(divisor) = b.array()
        && divisor.iter_scalars().any(|scalar| scalar.as_int() == Some(0))
    {
        let zero = call::constant_like(cx, b, 0.0)?;
        let is_zero = primitive::binary(cx, &ops::EQ, b, &zero)?;
        let none = call::constant_like(cx, &result, 0.0)?;
        return compose::choose(cx, &is_zero, &none, &result);
    }
    Ok(result)
}

/// Powers that numpy computes without `pow`: 2, 1, 0.5, -1 as Python numbers beside floats.
fn small_power(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Option<Tile>> {
    let Tile::Concrete { array, weak: true } = b else { return Ok(None) };
    if !a.dtype().is_float() || a.weak() || array.rank() > 0 {
        return Ok(None);
    }
    Ok(match array.item().and_then(Scalar::as_f64) {
        Some(2.0) => Some(arithmetic::multiply(cx, a, a)?),
        Some(1.0) => Some(a.clone()),
        Some(0.5) => Some(primitive::unary(cx, &ops::SQRT, a)?),
        Some(-1.0) => {
            let one = call::constant_like(cx, a, 1.0)?;
            Some(primitive::binary(cx, &ops::DIV, &one, a)?)
        }
        _ => None,
    })
}
