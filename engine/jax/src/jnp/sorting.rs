//! Sorting and what is made of it: `argsort`, `lexsort`, `partition`, sets. Follows jax/_src/numpy/sorting.py and
//! setops.py. NaN sorts last.

use super::call::{self, functions, given, operand, result, results};
use super::compose;
use super::joining;
use super::searching;
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};

functions! { JAX_ROWS NUMPY_ROWS
    "sort" "(a, axis=-1, kind=None, order=None, *, stable=True, descending=False)" "The elements in order along an axis." sort;
    "argsort" "(a, axis=-1, kind=None, order=None, *, stable=True, descending=False, dtype=None)" "The positions of the elements in order along an axis." argsort;
    "lexsort" "(keys, axis=-1)" "The positions in the order of several keys, the last one first." lexsort;
    "partition" "(a, kth, axis=-1)" "The elements with the k-th in its sorted place." partition;
    "argpartition" "(a, kth, axis=-1)" "The positions of a partition." argpartition;
    "unique" "(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, size=None, fill_value=None, sorted=True)" "The distinct elements in order." unique;
    "unique_values" "(x, /, *, size=None, fill_value=None)" "The distinct elements in order." unique_values;
    "union1d" "(ar1, ar2, *, size=None, fill_value=None)" "The distinct elements of both." union1d;
    "intersect1d" "(ar1, ar2, assume_unique=False, return_indices=False, *, size=None, fill_value=None)" "The distinct elements that both have." intersect1d;
    "setdiff1d" "(ar1, ar2, assume_unique=False, *, size=None, fill_value=None)" "The distinct elements of the first that the second has not." setdiff1d;
    "setxor1d" "(ar1, ar2, assume_unique=False, *, size=None, fill_value=None)" "The distinct elements that only one has." setxor1d;
}

/// The operand flattened if the axis is `None`.
fn along(cx: &Context<'_>, x: Tile, axis: &Value) -> PyResult<(Tile, usize)> {
    match given(axis) {
        Some(axis) => {
            let axis = convert::axis(cx, axis, x.rank())?;
            Ok((x, axis))
        }
        None => Ok((p::reshape(cx, &x, &Shape::from([x.shape().size()]))?, 0)),
    }
}

fn refuse_kind(cx: &Context<'_>, kind: &Value, order: &Value, name: &str) -> PyResult<()> {
    if cx.rules == Rules::Numpy {
        return Ok(());
    }
    if given(kind).is_some() {
        return Err(cx.interp.type_error(format!(
            "'kind' argument to {name} is not supported. Use stable=True or stable=False to specify sort stability."
        )));
    }
    if given(order).is_some() {
        return Err(cx.interp.type_error(format!("'order' argument to {name} is not supported.")));
    }
    Ok(())
}

/// Sorted along an axis.
pub fn sort_tile(cx: &Context<'_>, x: &Tile, axis: usize, descending: bool) -> PyResult<Tile> {
    let sorted = compose::sort(cx, &[x], axis, 1)?.remove(0);
    if descending { compose::reverse(cx, &sorted, &[axis]) } else { Ok(sorted) }
}

/// Positions in order along an axis; equal elements keep theirs.
pub fn argsort_tile(cx: &Context<'_>, x: &Tile, axis: usize, descending: bool) -> PyResult<Tile> {
    let mut keys = x.clone();
    let mut positions = p::iota(cx, convert::default_int(cx), x.shape(), axis)?;
    if descending {
        keys = compose::reverse(cx, &keys, &[axis])?;
        positions = compose::reverse(cx, &positions, &[axis])?;
    }
    let sorted = compose::sort(cx, &[&keys, &positions], axis, 1)?.swap_remove(1);
    if descending { compose::reverse(cx, &sorted, &[axis]) } else { Ok(sorted) }
}

fn sort(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, axis, kind, order, _stable, descending] = args.take();
    let x = operand(cx, &x, "sort")?;
    refuse_kind(cx, &kind, &order, "sort")?;
    let (x, axis) = along(cx, x, &axis)?;
    result(cx, sort_tile(cx, &x, axis, call::flag(cx, &descending)?)?)
}

fn argsort(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, axis, kind, order, _stable, descending, dtype] = args.take();
    let x = operand(cx, &x, "argsort")?;
    refuse_kind(cx, &kind, &order, "argsort")?;
    let (x, axis) = along(cx, x, &axis)?;
    let positions = argsort_tile(cx, &x, axis, call::flag(cx, &descending)?)?;
    let dtype = call::dtype(cx, &dtype)?.unwrap_or(positions.dtype());
    result(cx, p::convert(cx, &positions, dtype, false)?)
}

fn lexsort(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let keys = call::operands(cx, &cx.interp.collect(args.get(0))?, "lexsort")?;
    let Some(first) = keys.first() else {
        return Err(cx.interp.type_error("need sequence of keys with len > 0 in lexsort"));
    };
    if keys.iter().any(|key| key.shape() != first.shape()) {
        return Err(cx.interp.value_error("all keys need to be the same shape"));
    }
    let dtype = convert::default_int(cx);
    if first.rank() == 0 {
        return result(cx, p::full(cx, &Shape::scalar(), dtype, Scalar::Int(0))?);
    }
    let axis = convert::axis(cx, args.get(1), first.rank())?;
    let positions = p::iota(cx, dtype, first.shape(), axis)?;
    let operands: Vec<&Tile> = keys.iter().rev().chain([&positions]).collect();
    let mut sorted = compose::sort(cx, &operands, axis, keys.len())?;
    result(cx, sorted.pop().unwrap_or(positions))
}

/// A sorted array is partitioned at every position.
fn partition(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (x, axis) = along(cx, operand(cx, args.get(0), "partition")?, args.get(2))?;
    convert::axis(cx, args.get(1), x.shape()[axis])?;
    result(cx, sort_tile(cx, &x, axis, false)?)
}

fn argpartition(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (x, axis) = along(cx, operand(cx, args.get(0), "argpartition")?, args.get(2))?;
    convert::axis(cx, args.get(1), x.shape()[axis])?;
    result(cx, argsort_tile(cx, &x, axis, false)?)
}

/// The distinct elements of a known array, and where they are.
struct Distinct {
    values: Tile,
    /// Position of the first of each.
    first: Vec<i64>,
    /// For each element, which distinct one it is.
    inverse: Vec<i64>,
    counts: Vec<i64>,
}

/// What the distinct elements of `x` are; `None` where analysis does not have the data.
fn distinct(cx: &Context<'_>, x: &Tile, equal_nan: bool, what: &str) -> PyResult<Option<Distinct>> {
    let size = x.shape().size();
    let flat = p::reshape(cx, x, &Shape::from([size]))?;
    let Some(array) = call::concrete(cx, &flat, what)?.cloned() else { return Ok(None) };
    // Outside traces the sort is computed at once; inside, `array` is a constant and sorted outside, too.
    let order = pallas_tensor::ops::argsort(&array, 0, false, DType::I64)
        .map_err(|error| cx.interp.type_error(error.to_string()))?;
    let order = order.into_elements::<i64>().unwrap_or_default();
    let same = |a: usize, b: usize| match (array.get(a), array.get(b)) {
        (Some(Scalar::Float(a)), Some(Scalar::Float(b))) => a == b || equal_nan && a.is_nan() && b.is_nan(),
        (a, b) => a == b,
    };
    let mut distinct = Distinct { values: flat.clone(), first: Vec::new(), inverse: vec![0; size], counts: Vec::new() };
    let mut previous = None;
    for index in order.into_iter().filter_map(|index| usize::try_from(index).ok()) {
        if previous.is_none_or(|previous| !same(previous, index)) {
            distinct.first.push(index as i64);
            distinct.counts.push(0);
        }
        previous = Some(index);
        if let Some(count) = distinct.counts.last_mut() {
            *count += 1;
        }
        distinct.inverse[index] = distinct.first.len() as i64 - 1;
    }
    let places = compose::integers(cx, convert::default_int(cx), &distinct.first)?;
    distinct.values = compose::gather(cx, &flat, &[0], &[&places], "clip")?;
    Ok(Some(distinct))
}

const UNIQUE_SIZE: &str = "The error arose in jnp.unique(). To make jnp.unique() compatible with JIT and other transforms, \
                           you can specify a concrete value for the ``size`` argument, which will determine the output size.";

fn unique(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, index, inverse, counts, axis, equal_nan, size, fill, _sorted] = args.take();
    let x = operand(cx, &x, "unique")?;
    if given(&axis).is_some() && x.rank() != 1 {
        return Err(cx.interp.not_implemented_error("unique along an axis of a matrix is not supported here"));
    }
    let equal_nan = equal_nan.is_unset() || call::flag(cx, &equal_nan)?;
    let Some(mut found) = distinct(cx, &x, equal_nan, UNIQUE_SIZE)? else {
        return Ok(call::data_dependent(cx, "unique"));
    };
    resize(cx, &mut found, &size, &fill)?;
    let dtype = convert::default_int(cx);
    let mut out = vec![found.values.clone()];
    if call::flag(cx, &index)? {
        out.push(compose::integers(cx, dtype, &found.first)?);
    }
    if call::flag(cx, &inverse)? {
        let flat = compose::integers(cx, dtype, &found.inverse)?;
        out.push(p::reshape(cx, &flat, x.shape())?);
    }
    if call::flag(cx, &counts)? {
        out.push(compose::integers(cx, dtype, &found.counts)?);
    }
    if out.len() == 1 { result(cx, out.remove(0)) } else { results(cx, out) }
}

/// Cuts or fills up to `size`, with `fill` or the smallest element.
fn resize(cx: &Context<'_>, found: &mut Distinct, size: &Value, fill: &Value) -> PyResult<()> {
    let Some(size) = given(size) else { return Ok(()) };
    let size = cx.interp.to_usize(size)?;
    let count = found.values.shape()[0];
    if size <= count {
        found.values = compose::slice_axis(cx, &found.values, 0, 0, size)?;
    } else {
        let fill = match given(fill) {
            Some(fill) => p::convert(cx, &operand(cx, fill, "unique")?, found.values.dtype(), false)?,
            None if count > 0 => compose::take_axis(cx, &found.values, 0, 0)?,
            None => p::scalar(found.values.dtype(), Scalar::Int(0)),
        };
        found.values = super::padding::pad_tile(cx, &found.values, &fill, &[(0, size - count)])?;
    }
    let first = found.first.first().copied().unwrap_or(0);
    found.first.resize(size, first);
    found.counts.resize(size, 0);
    Ok(())
}

fn unique_values(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, size, fill] = args.take();
    let x = operand(cx, &x, "unique_values")?;
    let Some(mut found) = distinct(cx, &x, false, UNIQUE_SIZE)? else {
        return Ok(call::data_dependent(cx, "unique_values"));
    };
    resize(cx, &mut found, &size, &fill)?;
    result(cx, found.values)
}

/// Two operands, flattened and with one dtype.
fn both(cx: &Context<'_>, args: &Arguments, name: &str) -> PyResult<(Tile, Tile)> {
    let x = operand(cx, args.get(0), name)?;
    let y = call::operand_at(cx, args.get(1), name, 1)?;
    let operands = convert::promote_dtypes(cx, &[&x, &y])?;
    let flat = |tile: &Tile| p::reshape(cx, tile, &Shape::from([tile.shape().size()]));
    Ok((flat(&operands[0])?, flat(&operands[1])?))
}

/// The distinct elements of `x` for which `keep` holds.
fn filtered(
    cx: &Context<'_>,
    x: &Tile,
    name: &str,
    keep: impl Fn(&Tile) -> PyResult<Tile>,
    size: &Value,
    fill: &Value,
) -> PyResult<Value> {
    let what = format!("The error arose in {name}()");
    let Some(found) = distinct(cx, x, true, &what)? else { return Ok(call::data_dependent(cx, name)) };
    let mask = keep(&found.values)?;
    let Some(mask) = mask.array().cloned() else { return Ok(call::data_dependent(cx, name)) };
    let places: Vec<i64> = mask
        .iter_scalars()
        .enumerate()
        .filter(|(_, scalar)| scalar.as_bool() == Some(true))
        .map(|(index, _)| index as i64)
        .collect();
    let places = compose::integers(cx, convert::default_int(cx), &places)?;
    let values = compose::gather(cx, &found.values, &[0], &[&places], "clip")?;
    let mut kept = Distinct { values, first: Vec::new(), inverse: Vec::new(), counts: Vec::new() };
    resize(cx, &mut kept, size, fill)?;
    result(cx, kept.values)
}

fn union1d(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (x, y) = both(cx, &args, "union1d")?;
    let joined = joining::concatenate_tiles(cx, &[x, y], 0, None)?;
    let Some(mut found) = distinct(cx, &joined, true, "The error arose in union1d()")? else {
        return Ok(call::data_dependent(cx, "union1d"));
    };
    resize(cx, &mut found, args.get(2), args.get(3))?;
    result(cx, found.values)
}

fn intersect1d(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (x, y) = both(cx, &args, "intersect1d")?;
    if call::flag(cx, args.get(3))? {
        return Err(cx.interp.not_implemented_error("return_indices of intersect1d is not supported here"));
    }
    filtered(cx, &x, "intersect1d", |values| searching::among(cx, values, &y, false), args.get(4), args.get(5))
}

fn setdiff1d(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (x, y) = both(cx, &args, "setdiff1d")?;
    filtered(cx, &x, "setdiff1d", |values| searching::among(cx, values, &y, true), args.get(3), args.get(4))
}

fn setxor1d(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (x, y) = both(cx, &args, "setxor1d")?;
    let joined = joining::concatenate_tiles(cx, &[x.clone(), y.clone()], 0, None)?;
    let keep = |values: &Tile| -> PyResult<Tile> {
        let (in_x, in_y) = (searching::among(cx, values, &x, false)?, searching::among(cx, values, &y, false)?);
        p::binary(cx, &pallas_ir::ops::NE, &in_x, &in_y)
    };
    filtered(cx, &joined, "setxor1d", keep, args.get(3), args.get(4))
}
