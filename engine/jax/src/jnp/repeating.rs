//! Repetition and rearrangement along an axis: repeat, tile, roll, resize, insert, delete, differences. Follows
//! jax/_src/numpy/lax_numpy.py.

use super::arithmetic;
use super::call::{self, functions, given, operand, result};
use super::compose;
use super::joining;
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};

functions! { JAX_ROWS NUMPY_ROWS
    "repeat" "(a, repeats, axis=None, *, total_repeat_length=None, out_sharding=None)" "Repeats elements." repeat;
    "tile" "(A, reps)" "Repeats a whole array." tile;
    "roll" "(a, shift, axis=None)" "Shifts elements around, the last ones to the front." roll;
    "resize" "(a, new_shape)" "The elements, repeated as needed, in another shape." resize;
    "delete" "(arr, obj, axis=None, *, assume_unique_indices=False)" "An array without some positions." delete;
    "insert" "(arr, obj, values, axis=None)" "An array with values put in before a position." insert;
    "diff" "(a, n=1, axis=-1, prepend=None, append=None)" "Differences of neighbours." diff;
    "ediff1d" "(ary, to_end=None, to_begin=None)" "Differences of neighbours in one dimension." ediff1d;
    "gradient" "(f, *varargs, axis=None, edge_order=None)" "Central differences." gradient;
    "trapezoid" "(y, x=None, dx=1.0, axis=-1)" "Integral by the trapezoidal rule." trapezoid;
}

/// The operand flattened if no axis is given.
fn along(cx: &Context<'_>, x: Tile, axis: &Value) -> PyResult<(Tile, usize)> {
    match given(axis) {
        Some(axis) => {
            let axis = convert::axis(cx, axis, x.rank())?;
            Ok((x, axis))
        }
        None => Ok((p::reshape(cx, &x, &Shape::from([x.shape().size()]))?, 0)),
    }
}

/// Every element along `axis` `count` times.
pub fn repeat_each(cx: &Context<'_>, x: &Tile, axis: usize, count: usize) -> PyResult<Tile> {
    let mut wide = x.shape().to_vec();
    wide.insert(axis + 1, count);
    let dims: Vec<usize> = (0..wide.len()).filter(|&dim| dim != axis + 1).collect();
    let wide = p::broadcast_in_dim(cx, x, &Shape::from(wide), &dims)?;
    let mut shape = x.shape().clone();
    shape[axis] = shape[axis].saturating_mul(count);
    p::reshape(cx, &wide, &shape)
}

fn repeat(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, repeats, axis, total, _] = args.take();
    let (x, axis) = along(cx, operand(cx, &x, "repeat")?, &axis)?;
    let repeats = match &repeats {
        Value::List(_) | Value::Tuple(_) => super::creation::array_from(cx, &repeats, None)?,
        value => call::operand_at(cx, value, "repeat", 1)?,
    };
    let size = x.shape()[axis];
    let total = given(&total).map(|total| cx.interp.to_usize(total)).transpose()?;
    let Some(total) = total else {
        let what = "When jit-compiling jnp.repeat, the total number of repeats must be static. To fix this, either \
                    specify a static value for `repeats`, or pass a static value to `total_repeat_length`.";
        let Some(counts) = call::concrete(cx, &repeats, what)? else {
            return Ok(call::data_dependent(cx, "repeat"));
        };
        let counts: Vec<i64> =
            counts.iter_scalars().filter_map(Scalar::as_int).map(|count| i64::try_from(count).unwrap_or(0)).collect();
        if counts.iter().any(|&count| count < 0) {
            return Err(cx.interp.value_error("repeats may not contain negative values."));
        }
        if let [count] = counts.as_slice() {
            return result(cx, repeat_each(cx, &x, axis, count.unsigned_abs() as usize)?);
        }
        if counts.len() != size {
            return Err(cx.interp.value_error(match cx.rules {
                Rules::Jax => format!(
                    "operands could not be broadcast together with remapped shapes [original->remapped]: ({},)  and \
                     requested shape ({size},)",
                    counts.len()
                ),
                Rules::Numpy => {
                    format!("operands could not be broadcast together with shape ({size},) ({},)", counts.len())
                }
            }));
        }
        // Known counts: the slices one after the other.
        let mut parts = Vec::new();
        for (index, &count) in counts.iter().enumerate() {
            if count > 0 {
                let line = compose::slice_axis(cx, &x, axis, index, index + 1)?;
                let mut shape = line.shape().clone();
                shape[axis] = count.unsigned_abs() as usize;
                parts.push(p::broadcast_to(cx, &line, &shape)?);
            }
        }
        if parts.is_empty() {
            return result(cx, compose::slice_axis(cx, &x, axis, 0, 0)?);
        }
        return result(cx, joining::concatenate_tiles(cx, &parts, axis as i64, None)?);
    };
    result(cx, repeat_to_length(cx, &x, axis, &repeats, total)?)
}

/// Counts that may be traced, and a known total: positions by a running sum of block starts.
fn repeat_to_length(cx: &Context<'_>, x: &Tile, axis: usize, repeats: &Tile, total: usize) -> PyResult<Tile> {
    let size = x.shape()[axis];
    if total == 0 || size == 0 {
        return compose::slice_axis(cx, x, axis, 0, 0);
    }
    let flat = p::reshape(cx, repeats, &Shape::from([repeats.shape().size()]))?;
    let counts = p::broadcast_to(cx, &p::convert(cx, &flat, DType::I32, false)?, &Shape::from([size]))?;
    let zero = p::full(cx, &Shape::from([1]), DType::I32, Scalar::Int(0))?;
    let exclusive = if size > 1 {
        p::concatenate(cx, &[&zero, &compose::slice_axis(cx, &counts, 0, 0, size - 1)?], 0)?
    } else {
        zero
    };
    let sum = |tile: &Tile| cx.bind(&ops::CUMSUM, &[tile], Attributes::none().with("axis", Attribute::Int(0)));
    let starts = sum(&exclusive)?;
    let empty = p::full(cx, &Shape::from([total]), DType::I32, Scalar::Int(0))?;
    let ones = p::full(cx, &Shape::from([size]), DType::I32, Scalar::Int(1))?;
    let marks = compose::scatter(cx, &empty, &ones, &[0], &[&starts], "add")?;
    let positions = compose::with_constant(cx, &ops::SUB, &sum(&marks)?, 1.0)?;
    compose::gather(cx, x, &[axis], &[&positions], "clip")
}

fn tile(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "tile")?;
    let reps = call::int_sequence(cx, args.get(1))?;
    let reps = reps
        .iter()
        .map(|&rep| {
            usize::try_from(rep)
                .map_err(|_| cx.interp.value_error(format!("negative dimensions are not allowed: {rep}")))
        })
        .collect::<PyResult<Vec<_>>>()?;
    result(cx, tile_repeated(cx, &x, &reps)?)
}

/// The whole array repeated along each dimension.
pub fn tile_repeated(cx: &Context<'_>, x: &Tile, reps: &[usize]) -> PyResult<Tile> {
    let rank = x.rank().max(reps.len());
    let reps: Vec<usize> = std::iter::repeat_n(1, rank - reps.len()).chain(reps.iter().copied()).collect();
    let x = p::expand_dims(cx, x, &(0..rank - x.rank()).collect::<Vec<_>>())?;
    // (reps[0], shape[0], reps[1], shape[1], ...), then pairs become one.
    let wide: Shape = reps.iter().zip(x.shape().iter()).flat_map(|(&rep, &dim)| [rep, dim]).collect();
    let dims: Vec<usize> = (0..rank).map(|dim| 2 * dim + 1).collect();
    let shape: Shape = reps.iter().zip(x.shape().iter()).map(|(&rep, &dim)| rep.saturating_mul(dim)).collect();
    if shape == *x.shape() {
        return Ok(x);
    }
    let wide = p::broadcast_in_dim(cx, &x, &wide, &dims)?;
    p::reshape(cx, &wide, &shape)
}

fn roll(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, shift, axis] = args.take();
    let original = operand(cx, &x, "roll")?;
    let flat = given(&axis).is_none();
    let x = if flat { p::reshape(cx, &original, &Shape::from([original.shape().size()]))? } else { original.clone() };
    let axes = match given(&axis) {
        None => vec![0],
        Some(axis) => call::int_sequence(cx, axis)?
            .into_iter()
            .map(|axis| convert::normalize_axis(cx, axis, x.rank()))
            .collect::<PyResult<Vec<_>>>()?,
    };
    let dynamic = call::try_operand(cx, &shift)?.filter(|tile| tile.is_traced());
    let tile = match dynamic {
        Some(shift) => roll_dynamic(cx, &x, &shift, &axes, false)?,
        None => roll_static(cx, &x, &call::int_sequence(cx, &shift)?, &axes)?,
    };
    result(cx, p::reshape(cx, &tile, original.shape())?)
}

fn roll_static(cx: &Context<'_>, x: &Tile, shifts: &[i64], axes: &[usize]) -> PyResult<Tile> {
    let count = shifts.len().max(axes.len());
    if (shifts.len() != count && shifts.len() != 1) || (axes.len() != count && axes.len() != 1) {
        return Err(cx.interp.value_error(
            "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg 0 and arg 1.",
        ));
    }
    let mut tile = x.clone();
    for index in 0..count {
        let shift = shifts[if shifts.len() == 1 { 0 } else { index }];
        let axis = axes[if axes.len() == 1 { 0 } else { index }];
        let size = tile.shape()[axis];
        if size == 0 {
            continue;
        }
        let start = shift.wrapping_neg().rem_euclid(size as i64).unsigned_abs() as usize;
        let back = compose::slice_axis(cx, &tile, axis, start, size)?;
        if start == 0 {
            tile = back;
            continue;
        }
        let front = compose::slice_axis(cx, &tile, axis, 0, start)?;
        tile = p::concatenate(cx, &[&back, &front], axis)?;
    }
    Ok(tile)
}

/// A traced shift: a slice of the doubled array. `rotates` says that it is one op of the machine, as `pltpu.roll` is.
pub(crate) fn roll_dynamic(cx: &Context<'_>, x: &Tile, shift: &Tile, axes: &[usize], rotates: bool) -> PyResult<Tile> {
    if shift.rank() > 1 {
        return Err(cx.interp.value_error("'shift' and 'axis' arguments to roll must be scalars or 1D arrays"));
    }
    let shifts = if shift.rank() == 0 { 1 } else { shift.shape()[0] };
    let mut tile = x.clone();
    for index in 0..shifts.max(axes.len()) {
        let shift = if shift.rank() == 0 {
            shift.clone()
        } else {
            compose::take_axis(cx, shift, 0, if shifts == 1 { 0 } else { index })?
        };
        let axis = axes[if axes.len() == 1 { 0 } else { index }];
        let size = tile.shape()[axis];
        let size_tile = compose::integer_scalar(DType::I32, size.max(1) as i128);
        let shift = arithmetic::remainder(cx, &p::convert(cx, &shift, DType::I32, false)?, &size_tile)?;
        let start = p::binary(cx, &ops::SUB, &size_tile, &shift)?;
        let doubled = p::concatenate(cx, &[&tile, &tile], axis)?;
        let zero = compose::integer_scalar(DType::I32, 0);
        let starts: Vec<&Tile> = (0..tile.rank()).map(|dim| if dim == axis { &start } else { &zero }).collect();
        let operands: Vec<&Tile> = std::iter::once(&doubled).chain(starts).collect();
        let sizes = Attribute::Ints(tile.shape().iter().map(|&dim| dim as i64).collect());
        let attributes = Attributes::none().with("sizes", sizes);
        let attributes = if rotates { attributes.with("rotates", Attribute::Bool(true)) } else { attributes };
        tile = cx.bind(&ops::DYNAMIC_SLICE, &operands, attributes)?;
    }
    Ok(tile)
}

fn resize(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "resize")?;
    let shape = convert::shape(cx, args.get(1))?;
    let (size, wanted) = (x.shape().size(), shape.size());
    let flat = p::reshape(cx, &x, &Shape::from([size]))?;
    if size == 0 || wanted == 0 {
        return result(cx, p::full(cx, &shape, x.dtype(), Scalar::Int(0))?);
    }
    let tiled = tile_repeated(cx, &flat, &[wanted.div_ceil(size)])?;
    let tile = p::reshape(cx, &compose::slice_axis(cx, &tiled, 0, 0, wanted)?, &shape)?;
    result(cx, tile)
}

/// Known positions along an axis of a given size: an int, a slice, integers or a mask.
fn known_positions(cx: &Context<'_>, obj: &Value, size: usize, name: &str) -> PyResult<Option<Vec<usize>>> {
    if let Value::Slice(_) = obj {
        let range =
            Value::Range(std::rc::Rc::new(pallas_python::value::Range { start: 0, stop: size as i64, step: 1 }));
        let picked = cx.interp.get_item(&range, obj)?;
        return cx
            .interp
            .collect(&picked)?
            .iter()
            .map(|v| cx.interp.to_usize(v))
            .collect::<PyResult<Vec<_>>>()
            .map(Some);
    }
    let tile = match obj {
        Value::List(_) | Value::Tuple(_) => {
            super::creation::array_from(&Context { rules: Rules::Numpy, ..cx.clone() }, obj, None)?
        }
        obj => call::operand_at(cx, obj, name, 1)?,
    };
    let what = format!("'obj' array argument of jnp.{name}()");
    let Some(array) = call::concrete(cx, &tile, &what)? else { return Ok(None) };
    if array.dtype() == DType::Bool {
        let mask = array.iter_scalars().enumerate().filter(|(_, s)| s.as_bool() == Some(true)).map(|(i, _)| i);
        return Ok(Some(mask.collect()));
    }
    if !array.dtype().is_integer() && array.size() > 0 {
        let message = format!("np.{name}(arr, obj): got obj.dtype={}; must be integer or bool.", array.dtype().name());
        return Err(cx.interp.value_error(message));
    }
    array
        .iter_scalars()
        .filter_map(Scalar::as_int)
        .map(|index| {
            let signed = size as i128;
            if !(-signed..=signed).contains(&index) {
                let message = format!("index {index} is out of bounds for axis 0 with size {size}");
                return Err(cx.interp.index_error(message));
            }
            Ok(if index < 0 { (index + signed) as usize } else { index as usize })
        })
        .collect::<PyResult<Vec<_>>>()
        .map(Some)
}

fn delete(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, obj, axis, _unique] = args.take();
    let (x, axis) = along(cx, operand(cx, &x, "delete")?, &axis)?;
    let size = x.shape()[axis];
    if let Ok(Some(index)) = cx.interp.as_index(&obj) {
        let index = convert::normalize_axis(cx, index.to_i64().unwrap_or(i64::MAX), size)?;
        let parts = [compose::slice_axis(cx, &x, axis, 0, index)?, compose::slice_axis(cx, &x, axis, index + 1, size)?];
        return result(cx, joining::concatenate_tiles(cx, &parts, axis as i64, None)?);
    }
    let Some(gone) = known_positions(cx, &obj, size, "delete")? else { return Ok(call::data_dependent(cx, "delete")) };
    let kept: Vec<i64> = (0..size).filter(|index| !gone.contains(index)).map(|index| index as i64).collect();
    let index = compose::integers(cx, DType::I32, &kept)?;
    result(cx, compose::gather(cx, &x, &[axis], &[&index], "clip")?)
}

fn insert(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, obj, values, axis] = args.take();
    let (x, axis) = along(cx, operand(cx, &x, "insert")?, &axis)?;
    let size = x.shape()[axis];
    let values = match &values {
        Value::List(_) | Value::Tuple(_) => super::creation::array_from(cx, &values, None)?,
        value => call::operand_at(cx, value, "insert", 2)?,
    };
    let single = matches!(cx.interp.as_index(&obj), Ok(Some(_)));
    let Some(mut places) = known_positions(cx, &obj, size, "insert")? else {
        return Ok(call::data_dependent(cx, "insert"));
    };
    let values = p::convert(cx, &values, x.dtype(), x.weak())?;
    let missing = x.rank().saturating_sub(values.rank());
    let mut values = p::expand_dims(cx, &values, &(0..missing).collect::<Vec<_>>())?;
    if places.len() == 1 {
        if single {
            values = super::shaping::move_axes(cx, &values, &[0], &[axis])?;
        }
        places = vec![places[0]; values.shape()[axis].max(1)];
    }
    let mut shape = x.shape().clone();
    shape[axis] = places.len();
    let values = super::shaping::broadcast_checked(cx, &values, &shape)?;
    // Slices of the operand and of the values in turn, in the order of the places; equal places keep their order.
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&index| places[index]);
    let mut parts = Vec::new();
    let mut done = 0;
    for index in order {
        parts.push(compose::slice_axis(cx, &x, axis, done, places[index])?);
        parts.push(compose::slice_axis(cx, &values, axis, index, index + 1)?);
        done = places[index];
    }
    parts.push(compose::slice_axis(cx, &x, axis, done, size)?);
    result(cx, joining::concatenate_tiles(cx, &parts, axis as i64, None)?)
}

/// Differences of neighbours along an axis, once.
fn difference(cx: &Context<'_>, x: &Tile, axis: usize) -> PyResult<Tile> {
    let size = x.shape()[axis];
    let after = compose::slice_axis(cx, x, axis, 1.min(size), size)?;
    let before = compose::slice_axis(cx, x, axis, 0, size.saturating_sub(1))?;
    let op = if x.dtype() == DType::Bool { &ops::NE } else { &ops::SUB };
    p::binary(cx, op, &after, &before)
}

fn diff(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, n, axis, prepend, append] = args.take();
    let x = operand(cx, &x, "diff")?;
    let n = call::integer(cx, &n, 1)?;
    if n < 0 {
        return Err(cx.interp.value_error(format!("order must be non-negative but got {n}")));
    }
    if x.rank() == 0 {
        return Err(cx.interp.value_error("diff requires input that is at least one dimensional"));
    }
    let axis = convert::axis(cx, &axis, x.rank())?;
    let edge = |value: &Value| -> PyResult<Option<Tile>> {
        let Some(value) = given(value) else { return Ok(None) };
        let tile = operand(cx, value, "diff")?;
        if tile.rank() > 0 {
            return Ok(Some(tile));
        }
        let mut shape = x.shape().clone();
        shape[axis] = 1;
        p::broadcast_to(cx, &tile, &shape).map(Some)
    };
    let parts: Vec<Tile> = [edge(&prepend)?, Some(x.clone()), edge(&append)?].into_iter().flatten().collect();
    let mut tile = if parts.len() > 1 { joining::concatenate_tiles(cx, &parts, axis as i64, None)? } else { x };
    for _ in 0..n {
        tile = difference(cx, &tile, axis)?;
    }
    result(cx, tile)
}

fn ediff1d(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, to_end, to_begin] = args.take();
    let x = operand(cx, &x, "ediff1d")?;
    let x = p::reshape(cx, &x, &Shape::from([x.shape().size()]))?;
    let edge = |value: &Value| -> PyResult<Option<Tile>> {
        let Some(value) = given(value) else { return Ok(None) };
        let tile = p::convert(cx, &operand(cx, value, "ediff1d")?, x.dtype(), x.weak())?;
        p::reshape(cx, &tile, &Shape::from([tile.shape().size()])).map(Some)
    };
    let parts: Vec<Tile> =
        [edge(&to_begin)?, Some(difference(cx, &x, 0)?), edge(&to_end)?].into_iter().flatten().collect();
    result(cx, joining::concatenate_tiles(cx, &parts, 0, None)?)
}

fn gradient(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [f, spacing, axis, _edge_order] = args.take();
    let x = super::elementwise::inexact(cx, &operand(cx, &f, "gradient")?)?;
    let spacing = call::operands(cx, &cx.interp.collect(&spacing)?, "gradient")?;
    let axes = match given(&axis) {
        None => (0..x.rank()).collect(),
        Some(axis) => convert::axes(cx, axis, x.rank())?,
    };
    if axes.iter().any(|&axis| x.shape()[axis] < 2) {
        return Err(cx.interp.value_error(
            "Shape of array too small to calculate a numerical gradient, at least 2 elements are required.",
        ));
    }
    if !spacing.is_empty() && spacing.len() != 1 && spacing.len() != axes.len() {
        return Err(cx.interp.type_error(format!("Invalid number of spacing arguments {}", spacing.len())));
    }
    if spacing.iter().any(|step| step.rank() > 0) {
        return Err(cx.interp.not_implemented_error("gradient over coordinates is not supported here"));
    }
    let mut gradients = Vec::new();
    for (index, &axis) in axes.iter().enumerate() {
        let size = x.shape()[axis];
        let cut = |start: usize, limit: usize| compose::slice_axis(cx, &x, axis, start, limit);
        let first = p::binary(cx, &ops::SUB, &cut(1, 2)?, &cut(0, 1)?)?;
        let last = p::binary(cx, &ops::SUB, &cut(size - 1, size)?, &cut(size - 2, size - 1)?)?;
        let inner = p::binary(cx, &ops::SUB, &cut(2, size)?, &cut(0, size - 2)?)?;
        let inner = compose::with_constant(cx, &ops::MUL, &inner, 0.5)?;
        let mut parts = vec![first, inner, last];
        if let Some(step) = spacing.get(if spacing.len() == 1 { 0 } else { index }) {
            for part in &mut parts {
                *part = arithmetic::true_divide(cx, part, step)?;
            }
        }
        gradients.push(joining::concatenate_tiles(cx, &parts, axis as i64, None)?);
    }
    if gradients.len() == 1 {
        return result(cx, gradients.remove(0));
    }
    match cx.rules {
        Rules::Jax => call::result_list(cx, gradients),
        Rules::Numpy => call::results(cx, gradients),
    }
}

fn trapezoid(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [y, x, dx, axis] = args.take();
    let y = super::elementwise::inexact(cx, &operand(cx, &y, "trapezoid")?)?;
    let axis = convert::axis(cx, &axis, y.rank())?;
    let size = y.shape()[axis];
    let upper = compose::slice_axis(cx, &y, axis, 1.min(size), size)?;
    let lower = compose::slice_axis(cx, &y, axis, 0, size.saturating_sub(1))?;
    let steps = match given(&x) {
        Some(x) => {
            let x = super::elementwise::inexact(cx, &operand(cx, x, "trapezoid")?)?;
            let along = if x.rank() == 1 { 0 } else { axis };
            let steps = difference(cx, &x, along)?;
            if x.rank() == 1 { p::broadcast_in_dim(cx, &steps, upper.shape(), &[axis])? } else { steps }
        }
        None => operand(cx, &dx, "trapezoid")?,
    };
    let sums = p::binary(cx, &ops::ADD, &upper, &lower)?;
    let areas = compose::with_constant(cx, &ops::MUL, &arithmetic::multiply(cx, &steps, &sums)?, 0.5)?;
    let options = super::reductions::Options::over(Some(vec![axis]), false);
    result(cx, super::reductions::reduce(cx, &super::reductions::SUM, &areas, &options)?)
}
