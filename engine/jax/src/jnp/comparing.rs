//! Comparisons of whole arrays: `isclose`, `allclose`, `array_equal`. Follows jax/_src/numpy/lax_numpy.py.

use super::arithmetic;
use super::call::{self, functions, operand, result};
use super::compose;
use super::elementwise;
use super::reductions::{self as r, Options};
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};

functions! { JAX_ROWS NUMPY_ROWS
    "isclose" "(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)" "Whether elements differ by less than tolerances." isclose;
    "allclose" "(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)" "Whether all elements differ by less than tolerances." allclose;
    "array_equal" "(a1, a2, equal_nan=False)" "Whether shapes and all elements are equal." array_equal;
    "array_equiv" "(a1, a2)" "Whether arrays are equal after broadcasting." array_equiv;
}

/// `|a - b| <= atol + rtol * |b|`, infinities only equal to themselves.
pub fn close(cx: &Context<'_>, a: &Tile, b: &Tile, rtol: &Tile, atol: &Tile, equal_nan: bool) -> PyResult<Tile> {
    let (a, b) = match cx.rules {
        Rules::Jax => elementwise::inexact_pair(cx, "sub", a, b)?,
        // numpy computes the difference in the dtype of the second operand or float64.
        Rules::Numpy => {
            let wide = |tile: &Tile| p::convert(cx, tile, DType::F64, false);
            elementwise::inexact_pair(cx, "sub", &wide(a)?, &wide(b)?)?
        }
    };
    let tolerance = |tile: &Tile| -> PyResult<Tile> {
        let tile = p::convert(cx, tile, a.dtype(), false)?;
        p::broadcast_to(cx, &tile, a.shape())
    };
    let (rtol, atol) = (tolerance(rtol)?, tolerance(atol)?);
    let distance = p::unary(cx, &ops::ABS, &p::binary(cx, &ops::SUB, &a, &b)?)?;
    let allowed = p::binary(cx, &ops::ADD, &atol, &p::binary(cx, &ops::MUL, &rtol, &p::unary(cx, &ops::ABS, &b)?)?)?;
    let near = p::binary(cx, &ops::LE, &distance, &allowed)?;
    let near = p::binary(cx, &ops::AND, &p::unary(cx, &ops::IS_FINITE, &b)?, &near)?;
    let out = p::binary(cx, &ops::OR, &p::binary(cx, &ops::EQ, &a, &b)?, &near)?;
    if !equal_nan {
        return Ok(out);
    }
    let both = p::binary(cx, &ops::AND, &compose::is_nan(cx, &a)?, &compose::is_nan(cx, &b)?)?;
    p::binary(cx, &ops::OR, &out, &both)
}

fn closeness(cx: &Context<'_>, args: &Arguments, name: &str) -> PyResult<Tile> {
    let a = operand(cx, args.get(0), name)?;
    let b = call::operand_at(cx, args.get(1), name, 1)?;
    let rtol = operand(cx, args.get(2), name)?;
    let atol = operand(cx, args.get(3), name)?;
    close(cx, &a, &b, &rtol, &atol, call::flag(cx, args.get(4))?)
}

fn isclose(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    result(cx, closeness(cx, &args, "isclose")?)
}

fn allclose(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let close = closeness(cx, &args, "allclose")?;
    verdict(cx, r::reduce(cx, &r::ALL, &close, &Options::default())?)
}

/// JAX gives a boolean array, numpy a Python bool.
fn verdict(cx: &Context<'_>, tile: Tile) -> PyResult<Value> {
    match (cx.rules, tile.array().and_then(|array| array.item())) {
        (Rules::Numpy, Some(scalar)) => Ok(Value::Bool(scalar.as_bool() == Some(true))),
        _ => result(cx, tile),
    }
}

/// An operand of `array_equal`: sequences, too.
fn loose(cx: &Context<'_>, value: &Value, position: usize) -> PyResult<Tile> {
    match value {
        Value::List(_) | Value::Tuple(_) => super::creation::array_from(cx, value, None),
        value => call::operand_at(cx, value, "array_equal", position),
    }
}

fn array_equal(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (a, b) = (loose(cx, args.get(0), 0)?, loose(cx, args.get(1), 1)?);
    if a.shape() != b.shape() {
        return verdict(cx, p::full(cx, &Shape::scalar(), DType::Bool, Scalar::Bool(false))?);
    }
    let mut equal = arithmetic::simple(cx, "eq", &ops::EQ, &a, &b)?;
    if call::flag(cx, args.get(2))? {
        let both = p::binary(cx, &ops::AND, &compose::is_nan(cx, &a)?, &compose::is_nan(cx, &b)?)?;
        equal = p::binary(cx, &ops::OR, &equal, &both)?;
    }
    verdict(cx, r::reduce(cx, &r::ALL, &equal, &Options::default())?)
}

fn array_equiv(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (a, b) = (loose(cx, args.get(0), 0)?, loose(cx, args.get(1), 1)?);
    if Shape::broadcast(&[a.shape(), b.shape()]).is_none() {
        return verdict(cx, p::full(cx, &Shape::scalar(), DType::Bool, Scalar::Bool(false))?);
    }
    let operands = convert::promote(cx, "eq", &[&a, &b])?;
    let equal = p::binary(cx, &ops::EQ, &operands[0], &operands[1])?;
    verdict(cx, r::reduce(cx, &r::ALL, &equal, &Options::default())?)
}
