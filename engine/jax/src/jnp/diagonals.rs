//! Diagonals: `diag`, `diagonal`, `trace`, and the positions of triangles. Follows jax/_src/numpy/lax_numpy.py.

use super::call::{self, functions, given, operand, result, results};
use super::compose;
use super::padding;
use super::reductions::{self as r, Options};
use super::shaping;
use super::triangles;
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
    "diag" "(v, k=0)" "A matrix with a diagonal, or the diagonal of a matrix." diag;
    "diagflat" "(v, k=0)" "A matrix with the flattened elements on a diagonal." diagflat;
    "diagonal" "(a, offset=0, axis1=0, axis2=1)" "The diagonal of matrices." diagonal;
    "trace" "(a, offset=0, axis1=0, axis2=1, dtype=None, out=None)" "The sum of a diagonal." trace;
    "diag_indices" "(n, ndim=2)" "The positions of a diagonal." diag_indices;
    "tril_indices" "(n, k=0, m=None)" "The positions of a lower triangle." |cx, args| triangle_indices(cx, args, true);
    "triu_indices" "(n, k=0, m=None)" "The positions of an upper triangle." |cx, args| triangle_indices(cx, args, false);
    "tril_indices_from" "(arr, k=0)" "The positions of the lower triangle of a matrix." |cx, args| triangle_indices_from(cx, args, true);
    "triu_indices_from" "(arr, k=0)" "The positions of the upper triangle of a matrix." |cx, args| triangle_indices_from(cx, args, false);
    "fill_diagonal" "(a, val, wrap=False, *, inplace=True)" "A matrix with another diagonal." fill_diagonal;
}

/// The diagonal over two axes, as the last axis of the result.
pub fn diagonal_of(cx: &Context<'_>, x: &Tile, offset: i64, axis1: usize, axis2: usize) -> PyResult<Tile> {
    let rank = x.rank();
    let x = shaping::move_axes(cx, x, &[axis1, axis2], &[rank - 2, rank - 1])?;
    let (rows, columns) = (x.shape()[rank - 2] as i64, x.shape()[rank - 1] as i64);
    let size = (rows + offset.min(0)).min(columns - offset.max(0)).max(0) as usize;
    let near = compose::positions(cx, DType::I32, size)?;
    let far = compose::with_constant(cx, &ops::ADD, &near, offset.abs() as f64)?;
    let (row, column) = if offset >= 0 { (&near, &far) } else { (&far, &near) };
    // The gathered axes are neighbours at the end: the result's diagonal is there, too.
    compose::gather(cx, &x, &[rank - 2, rank - 1], &[row, column], "clip")
}

/// A matrix with the vector on the diagonal `k`.
fn diagonal_matrix(cx: &Context<'_>, v: &Tile, k: i64) -> PyResult<Tile> {
    let size = v.shape()[0] + k.unsigned_abs() as usize;
    let zero = p::scalar_like(v, 0.0);
    let widths = [(k.min(0).unsigned_abs() as usize, k.max(0).unsigned_abs() as usize)];
    let padded = padding::pad_tile(cx, v, &zero, &widths)?;
    let shape = Shape::from([size, size]);
    let mask = triangles::index_mask(cx, size, size, k, &ops::EQ)?;
    let rows = p::broadcast_in_dim(cx, &padded, &shape, &[0])?;
    compose::or_constant(cx, &mask, &rows, 0.0)
}

fn diag(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let v = operand(cx, args.get(0), "diag")?;
    let k = call::integer(cx, args.get(1), 0)?;
    match v.rank() {
        1 => result(cx, diagonal_matrix(cx, &v, k)?),
        2 => result(cx, diagonal_of(cx, &v, k, 0, 1)?),
        _ => Err(cx.interp.value_error("diag input must be 1d or 2d")),
    }
}

fn diagflat(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let v = operand(cx, args.get(0), "diagflat")?;
    let v = p::reshape(cx, &v, &Shape::from([v.shape().size()]))?;
    let k = call::integer(cx, args.get(1), 0)?;
    result(cx, diagonal_matrix(cx, &v, k)?)
}

/// Two distinct axes of a matrix-like operand.
fn two_axes(cx: &Context<'_>, x: &Tile, axis1: &Value, axis2: &Value, name: &str) -> PyResult<(usize, usize)> {
    if x.rank() < 2 {
        return Err(cx.interp.value_error(match cx.rules {
            crate::context::Rules::Jax => format!("{name} requires an array of at least two dimensions."),
            crate::context::Rules::Numpy => "diag requires an array of at least two dimensions".to_string(),
        }));
    }
    let (first, second) = (convert::axis(cx, axis1, x.rank())?, convert::axis(cx, axis2, x.rank())?);
    if first == second {
        return Err(cx
            .interp
            .value_error(format!("axis1 and axis2 can not be same. axis1={first} and axis2={second}")));
    }
    Ok((first, second))
}

fn diagonal(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, offset, axis1, axis2] = args.take();
    let x = operand(cx, &x, "diagonal")?;
    let (axis1, axis2) = two_axes(cx, &x, &axis1, &axis2, "diagonal")?;
    result(cx, diagonal_of(cx, &x, call::integer(cx, &offset, 0)?, axis1, axis2)?)
}

fn trace(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, offset, axis1, axis2, dtype, out] = args.take();
    call::refuse_out(cx, &out, "trace")?;
    let x = operand(cx, &x, "trace")?;
    let (axis1, axis2) = two_axes(cx, &x, &axis1, &axis2, "trace")?;
    let rank = x.rank();
    let x = shaping::move_axes(cx, &x, &[axis1, axis2], &[rank - 2, rank - 1])?;
    let (rows, columns) = (x.shape()[rank - 2], x.shape()[rank - 1]);
    let mask = triangles::index_mask(cx, rows, columns, call::integer(cx, &offset, 0)?, &ops::EQ)?;
    let mask = p::broadcast_to(cx, &mask, x.shape())?;
    let kept = compose::or_constant(cx, &mask, &x, 0.0)?;
    let options = Options { dtype: call::dtype(cx, &dtype)?, ..Options::over(Some(vec![rank - 2, rank - 1]), false) };
    result(cx, r::reduce(cx, &r::SUM, &kept, &options)?)
}

fn diag_indices(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let n = cx.interp.to_usize(args.get(0))?;
    let ndim = usize::try_from(call::integer(cx, args.get(1), 2)?).unwrap_or(0);
    let index = compose::positions(cx, convert::default_int(cx), n)?;
    results(cx, vec![index; ndim])
}

fn triangle_indices(cx: &Context<'_>, args: Arguments, lower: bool) -> PyResult<Value> {
    let rows = cx.interp.to_usize(args.get(0))?;
    let k = call::integer(cx, args.get(1), 0)?;
    let columns = given(args.get(2)).map_or(Ok(rows), |m| cx.interp.to_usize(m))?;
    positions_of_triangle(cx, rows, columns, k, lower)
}

fn triangle_indices_from(cx: &Context<'_>, args: Arguments, lower: bool) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "tril_indices_from")?;
    let [rows, columns] = x.shape()[..] else {
        return Err(cx.interp.value_error("Only 2-D inputs are accepted"));
    };
    positions_of_triangle(cx, rows, columns, call::integer(cx, args.get(1), 0)?, lower)
}

fn positions_of_triangle(cx: &Context<'_>, rows: usize, columns: usize, k: i64, lower: bool) -> PyResult<Value> {
    let inside = |row: i64, column: i64| if lower { column <= row + k } else { column >= row + k };
    let mut along: [Vec<i64>; 2] = [Vec::new(), Vec::new()];
    for row in 0..rows as i64 {
        for column in (0..columns as i64).filter(|&column| inside(row, column)) {
            along[0].push(row);
            along[1].push(column);
        }
    }
    let dtype = convert::default_int(cx);
    let tiles = along
        .iter()
        .map(|values| call::stage(cx, compose::integers(cx, dtype, values)?))
        .collect::<PyResult<Vec<_>>>()?;
    results(cx, tiles)
}

fn fill_diagonal(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, value, _wrap, inplace] = args.take();
    let in_place = inplace.is_unset() || call::flag(cx, &inplace)?;
    if in_place && cx.rules == crate::context::Rules::Jax {
        return Err(cx.interp.not_implemented_error("JAX arrays are immutable, must use inplace=False"));
    }
    let tile = operand(cx, &x, "fill_diagonal")?;
    if tile.rank() != 2 {
        return Err(cx.interp.value_error("array must be at least 2-d"));
    }
    let (rows, columns) = (tile.shape()[0], tile.shape()[1]);
    let size = rows.min(columns);
    let value = p::convert(cx, &call::operand_at(cx, &value, "fill_diagonal", 1)?, tile.dtype(), false)?;
    let value = if value.rank() == 0 {
        p::broadcast_to(cx, &value, &Shape::from([size]))?
    } else {
        let flat = p::reshape(cx, &value, &Shape::from([value.shape().size()]))?;
        let count = flat.shape()[0].max(1);
        let tiled = super::repeating::tile_repeated(cx, &flat, &[size.div_ceil(count)])?;
        compose::slice_axis(cx, &tiled, 0, 0, size)?
    };
    let index = compose::positions(cx, DType::I32, size)?;
    let filled = compose::scatter(cx, &tile, &value, &[0, 1], &[&index, &index], "set")?;
    if in_place {
        cx.interp.set_item(&x, &Value::Ellipsis, convert::value(cx, filled))?;
        return Ok(Value::None);
    }
    result(cx, filled)
}
