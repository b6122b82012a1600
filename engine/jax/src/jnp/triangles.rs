//! Matrices by the place of their elements: identity, triangles. Follows jax/_src/numpy/lax_numpy.py.

use super::call::{self, functions, given, result};
use super::compose;
use crate::context::Context;
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Shape};

functions! { JAX_ROWS NUMPY_ROWS
    "eye" "(N, M=None, k=0, dtype=None, *, device=None)" "Ones on a diagonal, zeros elsewhere." eye;
    "identity" "(n, dtype=None)" "The identity matrix." identity;
    "tri" "(N, M=None, k=0, dtype=None)" "Ones at and below a diagonal." tri;
    "tril" "(m, k=0)" "The lower triangle of matrices; zeros above it." tril;
    "triu" "(m, k=0)" "The upper triangle of matrices; zeros below it." triu;
}

/// A boolean matrix: `row + offset op column`.
pub(super) fn index_mask(
    cx: &Context<'_>,
    rows: usize,
    columns: usize,
    offset: i64,
    op: &'static pallas_ir::OpDef,
) -> PyResult<Tile> {
    let shape = Shape::from([rows, columns]);
    let row = p::iota(cx, DType::I32, &shape, 0)?;
    let row = compose::with_constant(cx, &ops::ADD, &row, offset as f64)?;
    let column = p::iota(cx, DType::I32, &shape, 1)?;
    p::binary(cx, op, &row, &column)
}

fn matrix_size(cx: &Context<'_>, rows: &Value, columns: &Value) -> PyResult<(usize, usize)> {
    let size = |value: &Value| -> PyResult<usize> {
        let size = cx.interp.to_i64(value)?;
        usize::try_from(size)
            .map_err(|_| cx.interp.value_error(format!("negative dimensions are not allowed, got {size}")))
    };
    let rows = size(rows)?;
    let columns = given(columns).map_or(Ok(rows), size)?;
    Ok((rows, columns))
}

fn eye(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [rows, columns, k, dtype, _device] = args.take();
    eye_of(cx, &rows, &columns, &k, &dtype)
}

fn identity(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [rows, dtype] = args.take();
    eye_of(cx, &rows, &Value::None, &Value::from(0i64), &dtype)
}

fn eye_of(cx: &Context<'_>, rows: &Value, columns: &Value, k: &Value, dtype: &Value) -> PyResult<Value> {
    let (rows, columns) = matrix_size(cx, rows, columns)?;
    let dtype = call::dtype(cx, dtype)?.unwrap_or(convert::default_float(cx));
    let mask = index_mask(cx, rows, columns, call::integer(cx, k, 0)?, &ops::EQ)?;
    let tile = p::convert(cx, &mask, dtype, false)?;
    result(cx, tile)
}

fn tri(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [rows, columns, k, dtype] = args.take();
    let (rows, columns) = matrix_size(cx, &rows, &columns)?;
    let dtype = call::dtype(cx, &dtype)?.unwrap_or(convert::default_float(cx));
    let mask = index_mask(cx, rows, columns, call::integer(cx, &k, 0)?, &ops::GE)?;
    let tile = p::convert(cx, &mask, dtype, false)?;
    result(cx, tile)
}

/// Zeroes one side of a diagonal.
fn triangle(cx: &Context<'_>, name: &str, args: Arguments, lower: bool) -> PyResult<Value> {
    let x = call::operand(cx, args.get(0), name)?;
    let k = call::integer(cx, args.get(1), 0)?;
    if x.rank() < 2 {
        return Err(cx.interp.value_error(format!("Argument to jax.numpy.{name} must be at least 2D")));
    }
    let tile = triangle_of(cx, &x, k, lower)?;
    result(cx, tile)
}

/// The lower (or upper) triangle of matrices.
pub(super) fn triangle_of(cx: &Context<'_>, x: &Tile, k: i64, lower: bool) -> PyResult<Tile> {
    let (rows, columns) = (x.shape()[x.rank() - 2], x.shape()[x.rank() - 1]);
    let mask = index_mask(cx, rows, columns, if lower { k } else { k - 1 }, &ops::GE)?;
    let mask = p::broadcast_to(cx, &mask, x.shape())?;
    let zeros = call::constant_like(cx, x, 0.0)?;
    if lower { p::select(cx, &mask, x, &zeros) } else { p::select(cx, &mask, &zeros, x) }
}

fn tril(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    triangle(cx, "tril", args, true)
}

fn triu(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    triangle(cx, "triu", args, false)
}
