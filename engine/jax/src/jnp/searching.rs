//! Finding elements: `searchsorted`, `nonzero`, `where`, `take`, membership. What depends on values is computed where
//! the values are known, or to a `size` that the caller gives. Follows jax/_src/numpy/lax_numpy.py and setops.py.

use super::arithmetic;
use super::call::{self, functions, given, operand, result, results};
use super::compose::{self, with_constant};
use super::reductions::{self as r, Options};
use crate::context::{Context, Rules};
use crate::convert;
use crate::indexing;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};

functions! { JAX_ROWS NUMPY_ROWS
    "where" "(condition, x=None, y=None, /, *, size=None, fill_value=None)" "Elements of x where the condition holds, else of y." where_;
    "nonzero" "(a, *, size=None, fill_value=None)" "Positions of the elements that are not zero, per dimension." nonzero;
    "flatnonzero" "(a, *, size=None, fill_value=None)" "Positions of the elements that are not zero, in one dimension." flatnonzero;
    "argwhere" "(a, *, size=None, fill_value=None)" "Positions of the elements that are not zero, as rows." argwhere;
    "searchsorted" "(a, v, side='left', sorter=None, *, method='scan')" "Where values would be put into a sorted array." searchsorted;
    "take" "(a, indices, axis=None, out=None, mode=None, unique_indices=False, indices_are_sorted=False, fill_value=None)" "Elements at positions." take;
    "take_along_axis" "(arr, indices, axis=-1, mode=None, fill_value=None)" "Elements at positions along an axis, one for each index." take_along_axis;
    "select" "(condlist, choicelist, default=0)" "For each element the choice of the first condition that holds." select;
    "choose" "(a, choices, out=None, mode='raise')" "For each element the choice with its number." choose;
    "extract" "(condition, arr, *, size=None, fill_value=0)" "The elements where a condition holds." extract;
    "compress" "(condition, a, axis=None, *, size=None, fill_value=0, out=None)" "The slices where a condition holds." compress;
    "isin" "(element, test_elements, assume_unique=False, invert=False, *, method='auto')" "Whether each element is among others." isin;
    "unravel_index" "(indices, shape)" "Flat positions as positions per dimension." unravel_index;
    "ravel_multi_index" "(multi_index, dims, mode='raise', order='C', *, dtype=None)" "Positions per dimension as flat positions." ravel_multi_index;
}

/// The elements at `place` along the last axis `axis`; `place` has the shape of the other dimensions.
pub fn pick_last(cx: &Context<'_>, x: &Tile, axis: usize, place: &Tile) -> PyResult<Tile> {
    let mut indices = Vec::new();
    for dim in 0..axis {
        indices.push(p::iota(cx, place.dtype(), place.shape(), dim)?);
    }
    indices.push(place.clone());
    let axes: Vec<usize> = (0..=axis).collect();
    compose::gather(cx, x, &axes, &indices.iter().collect::<Vec<_>>(), "clip")
}

/// `a < b` in the order of sorting, where NaN comes last.
fn sorts_before(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let less = p::binary(cx, &ops::LT, a, b)?;
    if !a.dtype().is_float() {
        return Ok(less);
    }
    let number = p::unary(cx, &ops::NOT, &compose::is_nan(cx, a)?)?;
    let before_nan = p::binary(cx, &ops::AND, &number, &compose::is_nan(cx, b)?)?;
    p::binary(cx, &ops::OR, &less, &before_nan)
}

/// Where each query would be put into the sorted array: before (`left`) or after equal elements. Bisection, all queries
/// in step.
pub fn search(cx: &Context<'_>, sorted: &Tile, query: &Tile, left: bool) -> PyResult<Tile> {
    let operands = convert::promote_dtypes(cx, &[sorted, query])?;
    let (sorted, query) = (&operands[0], &operands[1]);
    let dtype = if cx.rules == Rules::Numpy { DType::I64 } else { DType::I32 };
    let count = sorted.shape()[0];
    let mut low = p::full(cx, query.shape(), dtype, Scalar::Int(0))?;
    if count == 0 {
        return Ok(low);
    }
    let mut high = p::full(cx, query.shape(), dtype, Scalar::Int(count as i128))?;
    for _ in 0..=count.ilog2() {
        let middle = with_constant(cx, &ops::SHIFT_RIGHT_LOGICAL, &p::binary(cx, &ops::ADD, &low, &high)?, 1.0)?;
        let element = compose::gather(cx, sorted, &[0], &[&middle], "clip")?;
        let beyond = if left {
            sorts_before(cx, &element, query)?
        } else {
            p::unary(cx, &ops::NOT, &sorts_before(cx, query, &element)?)?
        };
        let open = p::binary(cx, &ops::LT, &low, &high)?;
        let up = p::binary(cx, &ops::AND, &open, &beyond)?;
        let next = with_constant(cx, &ops::ADD, &middle, 1.0)?;
        high = p::select(cx, &beyond, &high, &middle)?;
        low = p::select(cx, &up, &next, &low)?;
    }
    Ok(low)
}

fn searchsorted(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [a, v, side, sorter, _method] = args.take();
    let mut sorted = operand(cx, &a, "searchsorted")?;
    let query = call::operand_at(cx, &v, "searchsorted", 1)?;
    if sorted.rank() != 1 {
        return Err(cx.interp.value_error("a should be 1-dimensional"));
    }
    if let Some(sorter) = given(&sorter) {
        let sorter = call::operand_at(cx, sorter, "searchsorted", 2)?;
        sorted = indexing::take(cx, &sorted, &sorter, Some(0), None)?;
    }
    let left = match &*cx.interp.to_str(&side)? {
        "left" => true,
        "right" => false,
        other => {
            let message = format!("{other:?} is an invalid value for keyword 'side'");
            return Err(cx.interp.value_error(message));
        }
    };
    result(cx, search(cx, &sorted, &query, left)?)
}

fn where_(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [condition, x, y, size, fill] = args.take();
    if given(&x).is_none() && given(&y).is_none() {
        let condition = operand(cx, &condition, "where")?;
        return nonzero_of(cx, &condition, &size, &fill);
    }
    let condition = operand(cx, &condition, "where")?;
    if cx.rules == Rules::Numpy && (given(&x).is_none() || given(&y).is_none()) {
        return Err(cx.interp.value_error("either both or neither of x and y should be given"));
    }
    let x = call::operand_at(cx, &x, "where", 1)?;
    let y = call::operand_at(cx, &y, "where", 2)?;
    result(cx, compose::choose(cx, &condition, &x, &y)?)
}

fn nonzero(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, size, fill] = args.take();
    let x = operand(cx, &x, "nonzero")?;
    nonzero_of(cx, &x, &size, &fill)
}

/// A tuple with the positions along each dimension.
pub fn nonzero_of(cx: &Context<'_>, x: &Tile, size: &Value, fill: &Value) -> PyResult<Value> {
    if x.rank() == 0 {
        return Err(cx.interp.value_error(
            "Calling nonzero on 0d arrays is not allowed. Use jnp.atleast_1d(scalar).nonzero() instead.",
        ));
    }
    match positions(cx, x, size, fill)? {
        Some(tiles) => results(cx, tiles),
        None => Ok(call::data_dependent(cx, "nonzero")),
    }
}

/// Positions along each dimension; `None` where analysis does not have the data.
fn positions(cx: &Context<'_>, x: &Tile, size: &Value, fill: &Value) -> PyResult<Option<Vec<Tile>>> {
    if let Some(size) = given(size) {
        let size = cx.interp.to_usize(size)?;
        return positions_to_size(cx, x, size, fill).map(Some);
    }
    let what = "The size argument of jnp.nonzero must be statically specified to use jnp.nonzero within JAX \
                transformations.";
    let Some(array) = call::concrete(cx, x, what)? else { return Ok(None) };
    let strides = x.shape().strides();
    let flat: Vec<usize> =
        array.iter_scalars().enumerate().filter(|(_, s)| s.as_bool() == Some(true)).map(|(index, _)| index).collect();
    let dtype = convert::default_int(cx);
    (0..x.rank())
        .map(|dim| {
            let along: Vec<i64> =
                flat.iter().map(|index| (index / strides[dim].max(1) % x.shape()[dim].max(1)) as i64).collect();
            compose::integers(cx, dtype, &along)
        })
        .collect::<PyResult<Vec<_>>>()
        .map(Some)
}

/// `size` positions, filled up with `fill` (0): running counts say where the n-th element stands.
fn positions_to_size(cx: &Context<'_>, x: &Tile, size: usize, fill: &Value) -> PyResult<Vec<Tile>> {
    let dtype = convert::default_int(cx);
    let total = x.shape().size();
    if total == 0 || size == 0 {
        return (0..x.rank()).map(|_| p::full(cx, &Shape::from([size]), dtype, Scalar::Int(0))).collect();
    }
    let mask = p::reshape(cx, &compose::as_bool(cx, x)?, &Shape::from([total]))?;
    let cumsum = |tile: &Tile| -> PyResult<Tile> {
        let tile = p::convert(cx, tile, dtype, false)?;
        cx.bind(&ops::CUMSUM, &[&tile], Attributes::none().with("axis", Attribute::Int(0)))
    };
    let zeros = p::full(cx, &Shape::from([size]), dtype, Scalar::Int(0))?;
    let ones = p::full(cx, &Shape::from([total]), dtype, Scalar::Int(1))?;
    let counts = compose::scatter(cx, &zeros, &ones, &[0], &[&cumsum(&mask)?], "add")?;
    let flat = cumsum(&counts)?;
    let found = r::reduce(cx, &r::SUM, &mask, &Options { dtype: Some(dtype), ..Options::default() })?;
    let place = compose::positions(cx, dtype, size)?;
    let missing = p::binary(cx, &ops::GE, &place, &p::broadcast_to(cx, &found, place.shape())?)?;
    let fills: Vec<Option<Tile>> = match given(fill) {
        None => vec![None; x.rank()],
        Some(Value::Tuple(items)) => {
            items.iter().map(|item| operand(cx, item, "nonzero").map(Some)).collect::<PyResult<_>>()?
        }
        Some(value) => vec![Some(operand(cx, value, "nonzero")?); x.rank()],
    };
    let strides = x.shape().strides();
    (0..x.rank())
        .map(|dim| {
            let outer = with_constant(cx, &ops::DIV, &flat, strides[dim].max(1) as f64)?;
            let along = with_constant(cx, &ops::REM, &outer, x.shape()[dim] as f64)?;
            match fills.get(dim).cloned().flatten() {
                Some(fill) => compose::choose(cx, &missing, &fill, &along),
                None => Ok(along),
            }
        })
        .collect()
}

fn flatnonzero(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, size, fill] = args.take();
    let x = operand(cx, &x, "flatnonzero")?;
    let flat = p::reshape(cx, &x, &Shape::from([x.shape().size()]))?;
    match positions(cx, &flat, &size, &fill)? {
        Some(mut tiles) => result(cx, tiles.remove(0)),
        None => Ok(call::data_dependent(cx, "flatnonzero")),
    }
}

fn argwhere(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, size, fill] = args.take();
    let x = operand(cx, &x, "argwhere")?;
    let wide = super::shaping::at_least_rank(cx, &x, 1)?;
    let Some(tiles) = positions(cx, &wide, &size, &fill)? else { return Ok(call::data_dependent(cx, "argwhere")) };
    let rows = super::joining::stack_tiles(cx, &tiles, 1)?;
    let rows = if x.rank() == 0 { compose::slice_axis(cx, &rows, 1, 0, 0)? } else { rows };
    result(cx, rows)
}

/// Positions given as an array or a nested list (numpy).
fn index_operand(cx: &Context<'_>, value: &Value, name: &str) -> PyResult<Tile> {
    call::operand_at(cx, value, name, 1)
}

fn mode_text(cx: &Context<'_>, mode: &Value) -> PyResult<Option<String>> {
    given(mode).map(|mode| cx.interp.to_str(mode).map(|text| text.to_string())).transpose()
}

fn take(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, indices, axis, out, mode, ..]: [Value; 8] = args.take();
    call::refuse_out(cx, &out, "take")?;
    let x = operand(cx, &x, "take")?;
    let indices = index_operand(cx, &indices, "take")?;
    let axis = given(&axis).map(|axis| cx.interp.to_i64(axis)).transpose()?;
    let mode = mode_text(cx, &mode)?;
    result(cx, indexing::take(cx, &x, &indices, axis, mode.as_deref())?)
}

fn take_along_axis(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, indices, axis, mode, _fill] = args.take();
    let x = operand(cx, &x, "take_along_axis")?;
    let indices = index_operand(cx, &indices, "take_along_axis")?;
    let axis = given(&axis).map(|axis| cx.interp.to_i64(axis)).transpose()?;
    let mode = mode_text(cx, &mode)?;
    result(cx, indexing::take_along_axis(cx, &x, &indices, axis, mode.as_deref())?)
}

fn select(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [conditions, choices, default] = args.take();
    let conditions = call::operands(cx, &cx.interp.collect(&conditions)?, "select")?;
    let choices = call::operands(cx, &cx.interp.collect(&choices)?, "select")?;
    if conditions.len() != choices.len() {
        return Err(cx.interp.value_error(format!(
            "condlist must have length equal to choicelist ({} vs {})",
            conditions.len(),
            choices.len()
        )));
    }
    if conditions.is_empty() {
        return Err(cx.interp.value_error("condlist must be non-empty"));
    }
    let default = operand(cx, &default, "select")?;
    let all: Vec<&Tile> = std::iter::once(&default).chain(&choices).collect();
    let all = convert::promote_dtypes(cx, &all)?;
    let mut chosen = all[0].clone();
    for (condition, choice) in conditions.iter().zip(&all[1..]).rev() {
        chosen = compose::choose(cx, condition, choice, &chosen)?;
    }
    result(cx, chosen)
}

fn choose(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [index, choices, out, mode] = args.take();
    call::refuse_out(cx, &out, "choose")?;
    let index = operand(cx, &index, "choose")?;
    if !index.dtype().is_integer() {
        return Err(cx.interp.value_error("`a` array must be integer typed"));
    }
    let choices = call::operands(cx, &cx.interp.collect(&choices)?, "choose")?;
    let count = compose::integer_scalar(index.dtype(), choices.len() as i128);
    let index = match &*cx.interp.to_str(&mode)? {
        "wrap" => arithmetic::remainder(cx, &index, &count)?,
        "clip" => {
            let zero = compose::integer_scalar(index.dtype(), 0);
            let last = compose::integer_scalar(index.dtype(), choices.len() as i128 - 1);
            super::elementwise::clip(cx, &index, Some(&zero), Some(&last))?
        }
        "raise" => {
            let what = "The error occurred because jnp.choose was jit-compiled with mode='raise'. Use mode='wrap' or \
                        mode='clip' instead.";
            if let Some(array) = call::concrete(cx, &index, what)?
                && array.iter_scalars().any(|s| s.as_int().is_none_or(|i| i < 0 || i >= choices.len() as i128))
            {
                return Err(cx.interp.value_error("invalid entry in choice array"));
            }
            index
        }
        other => {
            let message = format!("mode='{other}' not understood. Must be 'raise', 'wrap', or 'clip'");
            return Err(cx.interp.value_error(message));
        }
    };
    let choices = convert::promote_dtypes(cx, &choices.iter().collect::<Vec<_>>())?;
    let Some(mut chosen) = choices.last().cloned() else {
        return Err(cx.interp.value_error("choose needs at least one choice"));
    };
    for (number, choice) in choices.iter().enumerate().rev().skip(1) {
        let here = with_constant(cx, &ops::EQ, &index, number as f64)?;
        chosen = compose::choose(cx, &here, choice, &chosen)?;
    }
    let shape = Shape::broadcast(&[index.shape(), chosen.shape()]).unwrap_or_else(|| chosen.shape().clone());
    result(cx, p::broadcast_to(cx, &chosen, &shape)?)
}

fn extract(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [condition, x, size, fill] = args.take();
    compressed(cx, &condition, &x, &Value::None, &size, &fill)
}

fn compress(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [condition, x, axis, size, fill, out] = args.take();
    call::refuse_out(cx, &out, "compress")?;
    compressed(cx, &condition, &x, &axis, &size, &fill)
}

fn compressed(
    cx: &Context<'_>,
    condition: &Value,
    x: &Value,
    axis: &Value,
    size: &Value,
    fill: &Value,
) -> PyResult<Value> {
    let condition = match condition {
        Value::List(_) | Value::Tuple(_) => super::creation::array_from(cx, condition, None)?,
        value => operand(cx, value, "compress")?,
    };
    let condition = p::reshape(cx, &condition, &Shape::from([condition.shape().size()]))?;
    let x = call::operand_at(cx, x, "compress", 1)?;
    let (x, axis) = match given(axis) {
        Some(axis) => (x.clone(), convert::axis(cx, axis, x.rank())?),
        None => (p::reshape(cx, &x, &Shape::from([x.shape().size()]))?, 0),
    };
    let extent = Value::from(x.shape()[axis]);
    let beyond = if given(size).is_some() { &extent } else { &Value::None };
    let Some(mut places) = positions(cx, &condition, size, beyond)? else {
        return Ok(call::data_dependent(cx, "compress"));
    };
    let places = places.remove(0);
    let picked = compose::gather(cx, &x, &[axis], &[&places], "clip")?;
    if given(size).is_none() {
        return result(cx, picked);
    }
    let missing = with_constant(cx, &ops::GE, &places, x.shape()[axis] as f64)?;
    let mut dims = vec![1; picked.rank()];
    dims[axis] = places.shape()[0];
    let missing = p::broadcast_in_dim(cx, &missing, &Shape::from(dims.as_slice()), &[axis])?;
    let fill = p::convert(cx, &operand(cx, fill, "compress")?, x.dtype(), x.weak())?;
    result(cx, compose::choose(cx, &missing, &fill, &picked)?)
}

/// Whether each element is among the others: every pair is compared.
pub fn among(cx: &Context<'_>, x: &Tile, others: &Tile, invert: bool) -> PyResult<Tile> {
    let operands = convert::promote_dtypes(cx, &[x, others])?;
    let (x, others) = (&operands[0], &operands[1]);
    let flat = p::reshape(cx, others, &Shape::from([others.shape().size()]))?;
    let wide: Shape = x.shape().iter().copied().chain([flat.shape()[0]]).collect();
    let dims: Vec<usize> = (0..x.rank()).collect();
    let left = p::broadcast_in_dim(cx, x, &wide, &dims)?;
    let right = p::broadcast_in_dim(cx, &flat, &wide, &[x.rank()])?;
    let options = Options::over(Some(vec![x.rank()]), false);
    if invert {
        r::reduce(cx, &r::ALL, &p::binary(cx, &ops::NE, &left, &right)?, &options)
    } else {
        r::reduce(cx, &r::ANY, &p::binary(cx, &ops::EQ, &left, &right)?, &options)
    }
}

fn isin(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, others, _unique, invert, _method] = args.take();
    let x = operand(cx, &x, "isin")?;
    let others = call::operand_at(cx, &others, "isin", 1)?;
    result(cx, among(cx, &x, &others, call::flag(cx, &invert)?)?)
}

fn unravel_index(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let mut rest = operand(cx, args.get(0), "unravel_index")?;
    let shape = convert::shape(cx, args.get(1))?;
    let mut out = Vec::new();
    for &extent in shape.iter().rev() {
        let size = Tile::Concrete {
            array: pallas_tensor::Array::scalar(rest.dtype(), Scalar::Int(extent as i128)),
            weak: true,
        };
        let (quotient, index) = arithmetic::divmod(cx, &rest, &size)?;
        rest = quotient;
        out.push(index);
    }
    out.reverse();
    // Positions past the end are the last, those before the beginning the first.
    let beyond = with_constant(cx, &ops::GT, &rest, 0.0)?;
    let before = with_constant(cx, &ops::LT, &rest, -1.0)?;
    let clamped = out
        .iter()
        .zip(shape.iter())
        .map(|(index, &extent)| {
            let inside = compose::choose(cx, &before, &call::constant_like(cx, index, 0.0)?, index)?;
            compose::choose(cx, &beyond, &call::constant_like(cx, index, extent as f64 - 1.0)?, &inside)
        })
        .collect::<PyResult<Vec<_>>>()?;
    results(cx, clamped)
}

fn ravel_multi_index(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [indices, dims, mode, order, dtype] = args.take();
    let indices = call::operands(cx, &cx.interp.collect(&indices)?, "ravel_multi_index")?;
    let shape = convert::shape(cx, &dims)?;
    if indices.len() != shape.rank() {
        return Err(cx.interp.value_error(format!("len(multi_index)={} != len(dims)={}", indices.len(), shape.rank())));
    }
    let dtype = call::dtype(cx, &dtype)?.unwrap_or(convert::default_int(cx));
    let column_major = &*cx.interp.to_str(&order)? == "F";
    let mode = cx.interp.to_str(&mode)?;
    let strides: Vec<usize> = if column_major {
        (0..shape.rank()).map(|dim| shape[..dim].iter().product()).collect()
    } else {
        shape.strides().to_vec()
    };
    let mut flat = compose::integer_scalar(dtype, 0);
    for ((index, &extent), stride) in indices.iter().zip(shape.iter()).zip(strides) {
        if !index.dtype().is_integer() {
            return Err(cx.interp.type_error("only int indices permitted"));
        }
        let size = compose::integer_scalar(index.dtype(), extent as i128);
        let index = match &*mode {
            "wrap" => arithmetic::remainder(cx, index, &size)?,
            "clip" => {
                let zero = compose::integer_scalar(index.dtype(), 0);
                let last = compose::integer_scalar(index.dtype(), extent as i128 - 1);
                super::elementwise::clip(cx, index, Some(&zero), Some(&last))?
            }
            "raise" => {
                let what = "The error occurred because ravel_multi_index was jit-compiled with mode='raise'. Use \
                            mode='wrap' or mode='clip' instead.";
                if let Some(array) = call::concrete(cx, index, what)?
                    && array.iter_scalars().any(|s| s.as_int().is_none_or(|i| i < 0 || i >= extent as i128))
                {
                    return Err(cx.interp.value_error("invalid entry in coordinates array"));
                }
                index.clone()
            }
            _ => index.clone(),
        };
        let scaled = with_constant(cx, &ops::MUL, &p::convert(cx, &index, dtype, false)?, stride as f64)?;
        flat = arithmetic::add(cx, &flat, &scaled)?;
    }
    result(cx, flat)
}
