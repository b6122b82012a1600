//! Ranges and grids: `arange`, `linspace` and kin, `meshgrid`, `indices`. The formulas are those of
//! jax/_src/numpy/lax_numpy.py and array_creation.py (0.10.2), digit for digit; numpy's own under numpy's rules.

use super::call::{self, functions, given, result, results};
use super::compose;
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, Buffer, DType, OpError, Scalar, Shape, Steps};

functions! { JAX_ROWS NUMPY_ROWS
    "arange" "(start, stop=None, step=None, dtype=None, *, device=None, out_sharding=None)" "Evenly spaced values from start (0) to stop, excluded." arange;
    "linspace" "(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None)" "Evenly spaced values from start to stop." linspace;
    "logspace" "(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0)" "Values evenly spaced on a logarithmic scale, given by exponents." logspace;
    "geomspace" "(start, stop, num=50, endpoint=True, dtype=None, axis=0)" "Values evenly spaced on a logarithmic scale." geomspace;
    "meshgrid" "(*xi, copy=True, sparse=False, indexing='xy')" "Coordinate arrays from coordinate vectors." meshgrid;
    "indices" "(dimensions, dtype=None, sparse=False)" "For each dimension, the index of every element along it." indices;
    "ix_" "(*args)" "Index arrays that select a product of positions." ix;
    "vander" "(x, N=None, increasing=False)" "Powers of a vector as columns." vander;
}

/// A scalar argument whose value must be known; `None` where analysis does not know it.
pub(super) enum Known {
    Value(Scalar, DType, bool),
    Unknown,
}

pub(super) fn known(cx: &Context<'_>, value: &Value, name: &str, position: usize) -> PyResult<Known> {
    let Some(tile) = call::try_operand(cx, value)? else {
        let class = cx.interp.type_of(value);
        let shown = cx.interp.repr(&Value::Class(class))?;
        return Err(cx.interp.type_error(format!(
            "arange requires ndarray, scalar, or None arguments, got {shown} at position {position}."
        )));
    };
    let what = format!("It arose in the jnp.arange argument '{name}'");
    let Some(array) = call::concrete(cx, &tile, &what)? else { return Ok(Known::Unknown) };
    if tile.rank() != 0 {
        let shown = cx.interp.str(value)?;
        return Err(cx.interp.value_error(format!("jax.numpy.arange: arguments must be scalars; got {name}={shown}")));
    }
    Ok(array.get(0).map_or(Known::Unknown, |scalar| Known::Value(scalar, tile.dtype(), tile.weak())))
}

/// `arange(stop)`, `arange(start, stop)`, `arange(start, stop, step)`
fn arange(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [start, stop, step, dtype, ..]: [Value; 6] = args.take();
    let asked = call::dtype(cx, &dtype)?;
    let only_stop = given(&stop).is_none();
    let first_name = if only_stop && given(&step).is_none() { "stop" } else { "start" };
    let mut scalars: [Option<Scalar>; 3] = [None; 3];
    let mut types: Vec<(DType, bool)> = Vec::new();
    for (position, (value, name)) in [(&start, first_name), (&stop, "stop"), (&step, "step")].into_iter().enumerate() {
        let Some(value) = given(value) else { continue };
        match known(cx, value, name, position)? {
            Known::Unknown => return Ok(call::data_dependent(cx, "arange")),
            Known::Value(scalar, dtype, weak) => {
                scalars[position] = Some(scalar);
                types.push((dtype, weak));
            }
        }
    }
    let dtype = match asked {
        Some(dtype) => dtype,
        None => {
            let tiles: Vec<Tile> = types
                .iter()
                .map(|&(dtype, weak)| Tile::Concrete { array: Array::scalar(dtype, Scalar::Int(0)), weak })
                .collect();
            convert::common_dtype(cx, &tiles.iter().collect::<Vec<_>>())?.0
        }
    };
    let zero = Scalar::Int(0);
    let [first, second, step] = scalars;
    let (start, stop) = match (first, second) {
        (Some(stop), None) => (zero, stop),
        (start, stop) => (start.unwrap_or(zero), stop.unwrap_or(zero)),
    };
    let Some(size) = count(start, stop, step) else {
        return Err(match cx.rules {
            Rules::Jax => cx.interp.zero_division_error("division by zero"),
            Rules::Numpy => cx.interp.zero_division_error("division by zero"),
        });
    };
    if dtype == DType::Bool && cx.rules == Rules::Jax {
        return Err(cx.interp.type_error("iota does not accept dtype bool. Accepted dtypes are subtypes of number."));
    }
    let bytes = pallas_ir::TensorType::new(dtype, Shape::from([size]));
    cx.check_memory(&[bytes.into()])?;
    if cx.rules == Rules::Numpy {
        return result(cx, numpy_range(cx, dtype, start, step.unwrap_or(Scalar::Int(1)), size)?);
    }
    let constant = |scalar: Scalar, dtype: DType| Tile::concrete(Array::scalar(dtype, scalar));
    let tile = match step {
        Some(step) => {
            // Narrow floats are computed in float32.
            let working = if dtype.is_float() && dtype.bits() < 32 { DType::F32 } else { dtype };
            let positions = compose::positions(cx, working, size)?;
            let shape = positions.shape().clone();
            let step = p::broadcast_to(cx, &constant(step, working), &shape)?;
            let start = p::broadcast_to(cx, &constant(start, working), &shape)?;
            let offsets = p::binary(cx, &ops::MUL, &step, &positions)?;
            let sum = p::binary(cx, &ops::ADD, &start, &offsets)?;
            p::convert(cx, &sum, dtype, false)?
        }
        None if start.as_f64() == Some(0.0) => compose::positions(cx, dtype, size)?,
        None => {
            let positions = compose::positions(cx, dtype, size)?;
            let start = p::broadcast_to(cx, &constant(start, dtype), positions.shape())?;
            p::binary(cx, &ops::ADD, &start, &positions)?
        }
    };
    result(cx, tile)
}

/// How many values a range has: `ceil((stop - start) / step)`. `None` for a step of zero.
pub(super) fn count(start: Scalar, stop: Scalar, step: Option<Scalar>) -> Option<usize> {
    let length = match (start, stop, step.unwrap_or(Scalar::Int(1))) {
        (Scalar::Int(start), Scalar::Int(stop), Scalar::Int(step)) => {
            if step == 0 {
                return None;
            }
            let span = stop - start;
            let count = span.div_euclid(step) + i128::from(span.rem_euclid(step) != 0) * if step > 0 { 1 } else { 0 };
            // For negative steps the Euclidean quotient is the ceiling already.
            return Some(usize::try_from(count.max(0)).unwrap_or(usize::MAX));
        }
        (start, stop, step) => {
            let (start, stop, step) = (start.as_f64()?, stop.as_f64()?, step.as_f64()?);
            if step == 0.0 {
                return None;
            }
            ((stop - start) / step).ceil()
        }
    };
    // NaN and negative lengths are empty; the cast saturates.
    Some(length.max(0.0) as usize)
}

/// numpy fills with `start + i * (second - start)`.
pub(super) fn numpy_range(cx: &Context<'_>, dtype: DType, start: Scalar, step: Scalar, size: usize) -> PyResult<Tile> {
    let integers = (start.as_int(), step.as_int());
    // The usual dtypes are filled without a scalar for every element.
    let fast = match (dtype, integers) {
        (DType::F32 | DType::F64, _) => {
            let start = start.as_f64().unwrap_or(0.0);
            let step = start + step.as_f64().unwrap_or(1.0) - start;
            Steps::floats(dtype, start, step)
                .map(|steps| pallas_tensor::deferring(|| pallas_tensor::stepped([size], steps)))
        }
        (DType::I32, (Some(start), Some(step))) if step != 0 => {
            let steps = Steps::Integers { start: start as i32, step: step as i32 };
            Some(pallas_tensor::deferring(|| pallas_tensor::stepped([size], steps)))
        }
        (DType::U32, (Some(start), Some(step))) if step != 0 => {
            let (start, step) = (start as u32, step as u32);
            Some(in_stretches(size, move |range| {
                Buffer::U32(range.map(|i| start.wrapping_add((i as u32).wrapping_mul(step))).collect())
            }))
        }
        (DType::I64, (Some(start), Some(step))) if step != 0 => {
            let (start, step) = (start as i64, step as i64);
            Some(in_stretches(size, move |range| {
                Buffer::I64(range.map(|i| start.wrapping_add((i as i64).wrapping_mul(step))).collect())
            }))
        }
        _ => None,
    };
    if let Some(array) = fast {
        return array.map(Tile::concrete).map_err(|error| cx.interp.value_error(error.to_string()));
    }
    let scalars: Vec<Scalar> = match integers {
        (Some(start), Some(step)) if !matches!(step, 0) && !dtype.is_float() => {
            (0..size as i128).map(|i| Scalar::Int(start + i * step)).collect()
        }
        _ => {
            let start = start.as_f64().unwrap_or(0.0);
            let second = start + step.as_f64().unwrap_or(1.0);
            (0..size).map(|i| Scalar::Float(start + i as f64 * (second - start))).collect()
        }
    };
    Array::from_scalars(dtype, [size], &scalars)
        .map(Tile::concrete)
        .map_err(|error| cx.interp.value_error(error.to_string()))
}

/// An array in one dimension, computed stretch by stretch.
fn in_stretches(
    size: usize,
    values: impl Fn(std::ops::Range<usize>) -> Buffer + Send + Sync + 'static,
) -> Result<Array, OpError> {
    let stretch = move |range: std::ops::Range<usize>| Array::new([range.len()], values(range));
    pallas_tensor::deferring(|| pallas_tensor::by_stretches([size], stretch))
}

/// Arguments that the spaced families share.
struct Spacing {
    start: Tile,
    stop: Tile,
    num: usize,
    endpoint: bool,
    dtype: DType,
    axis: i64,
}

impl Spacing {
    fn read(cx: &Context<'_>, name: &str, [start, stop, num, endpoint, dtype, axis]: [&Value; 6]) -> PyResult<Spacing> {
        let (start, stop) = (call::operand(cx, start, name)?, call::operand_at(cx, stop, name, 1)?);
        let num = call::integer(cx, num, 50)?;
        let Ok(num) = usize::try_from(num) else {
            let message = format!("Number of samples, {num}, must be non-negative.");
            return Err(cx.interp.value_error(message));
        };
        let dtype = match call::dtype(cx, dtype)? {
            Some(dtype) => dtype,
            None => {
                let (dtype, _) = convert::common_dtype(cx, &[&start, &stop])?;
                if dtype.is_float() { dtype } else { convert::default_float(cx) }
            }
        };
        let endpoint = endpoint.is_unset() || call::flag(cx, endpoint)?;
        Ok(Spacing { start, stop, num, endpoint, dtype, axis: call::integer(cx, axis, 0)? })
    }

    /// The dtype of the computation: `dtype`, if that is a float.
    fn working(&self, cx: &Context<'_>) -> DType {
        if self.dtype.is_float() { self.dtype } else { convert::default_float(cx) }
    }
}

/// `_linspace` in array_creation.py: the values and the step between them.
fn spaced(cx: &Context<'_>, spacing: &Spacing) -> PyResult<(Tile, Tile)> {
    let working = spacing.working(cx);
    let start = p::convert(cx, &spacing.start, working, false)?;
    let stop = p::convert(cx, &spacing.stop, working, false)?;
    let bounds = convert::broadcast(cx, "linspace", &[start.clone(), stop.clone()])?;
    let rank = bounds[0].rank();
    let axis = convert::normalize_axis(cx, spacing.axis, rank + 1)?;
    let (first, last) = (p::expand_dims(cx, &bounds[0], &[axis])?, p::expand_dims(cx, &bounds[1], &[axis])?);
    let divisions = if spacing.endpoint { spacing.num.saturating_sub(1) } else { spacing.num };
    let difference = p::binary(cx, &ops::SUB, &bounds[1], &bounds[0])?;
    if spacing.num > 1 {
        let delta = compose::divide_by(cx, &difference, divisions as f64)?;
        let values = if cx.rules == Rules::Numpy {
            numpy_steps(cx, spacing, &first, &delta, axis)?
        } else {
            interpolated(cx, &first, &last, axis, divisions)?
        };
        let values = if spacing.endpoint { p::concatenate(cx, &[&values, &last], axis)? } else { values };
        return Ok((values, delta));
    }
    let nan = p::full(cx, bounds[0].shape(), working, Scalar::Float(f64::NAN))?;
    if spacing.num == 1 {
        return Ok((first, if spacing.endpoint { nan } else { difference }));
    }
    let mut shape = first.shape().clone();
    shape[axis] = 0;
    Ok((p::full(cx, &shape, working, Scalar::Float(0.0))?, nan))
}

/// `start * (1 - i / n) + stop * (i / n)` along an axis. Compiled (that is, eagerly) XLA turns the division into a product
/// with the reciprocal, takes that to `stop`, and rounds the sum of the two products once less.
fn interpolated(cx: &Context<'_>, first: &Tile, last: &Tile, axis: usize, divisions: usize) -> PyResult<Tile> {
    let mut shape = first.shape().clone();
    shape[axis] = divisions;
    let wide = |tile: &Tile| p::broadcast_to(cx, tile, &shape);
    let mut line = Shape::from(vec![1; shape.rank()]);
    line[axis] = divisions;
    let position = p::iota(cx, first.dtype(), &line, axis)?;
    let compiled = cx.trace().is_none();
    let step = compose::divide_by(cx, &position, divisions as f64)?;
    let one = call::constant_like(cx, &step, 1.0)?;
    let rest = p::binary(cx, &ops::SUB, &one, &step)?;
    let head = p::binary(cx, &ops::MUL, &wide(first)?, &wide(&rest)?)?;
    if compiled {
        let slope = compose::divide_by(cx, last, divisions as f64)?;
        return compose::multiply_add(cx, &wide(&slope)?, &wide(&position)?, &head);
    }
    let tail = p::binary(cx, &ops::MUL, &wide(last)?, &wide(&step)?)?;
    p::binary(cx, &ops::ADD, &head, &tail)
}

/// numpy: `arange(n) * step + start`, all but the end point.
fn numpy_steps(cx: &Context<'_>, spacing: &Spacing, first: &Tile, delta: &Tile, axis: usize) -> PyResult<Tile> {
    let mut shape = first.shape().clone();
    shape[axis] = if spacing.endpoint { spacing.num - 1 } else { spacing.num };
    let steps = p::iota(cx, first.dtype(), &shape, axis)?;
    let delta = p::broadcast_to(cx, &p::expand_dims(cx, delta, &[axis])?, &shape)?;
    let first = p::broadcast_to(cx, first, &shape)?;
    p::binary(cx, &ops::ADD, &p::binary(cx, &ops::MUL, &steps, &delta)?, &first)
}

/// Values in the dtype that was asked for: integers are rounded down.
fn finish(cx: &Context<'_>, values: &Tile, dtype: DType) -> PyResult<Tile> {
    let values = if dtype.is_integer() { p::unary(cx, &ops::FLOOR, values)? } else { values.clone() };
    p::convert(cx, &values, dtype, false)
}

/// `linspace` on tiles, for histograms.
pub(super) fn linspace_of(cx: &Context<'_>, start: &Tile, stop: &Tile, num: usize, dtype: DType) -> PyResult<Tile> {
    let spacing = Spacing { start: start.clone(), stop: stop.clone(), num, endpoint: true, dtype, axis: 0 };
    let (values, _) = spaced(cx, &spacing)?;
    finish(cx, &values, dtype)
}

/// As [`linspace_of`] without the end point, along an axis, for padding by ramps.
pub(super) fn ramp(
    cx: &Context<'_>,
    start: &Tile,
    stop: &Tile,
    num: usize,
    dtype: DType,
    axis: usize,
) -> PyResult<Tile> {
    let spacing = Spacing { start: start.clone(), stop: stop.clone(), num, endpoint: false, dtype, axis: axis as i64 };
    let (values, _) = spaced(cx, &spacing)?;
    finish(cx, &values, dtype)
}

fn linspace(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [start, stop, num, endpoint, retstep, dtype, axis, _device] = args.take();
    let spacing = Spacing::read(cx, "linspace", [&start, &stop, &num, &endpoint, &dtype, &axis])?;
    let (values, step) = spaced(cx, &spacing)?;
    let values = finish(cx, &values, spacing.dtype)?;
    if call::flag(cx, &retstep)? { results(cx, [values, step]) } else { result(cx, values) }
}

fn logspace(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [start, stop, num, endpoint, base, dtype, axis] = args.take();
    let spacing = Spacing::read(cx, "logspace", [&start, &stop, &num, &endpoint, &dtype, &axis])?;
    let base = call::operand(cx, &base, "logspace")?;
    let tile = logarithmic(cx, &spacing, &base)?;
    result(cx, tile)
}

fn logarithmic(cx: &Context<'_>, spacing: &Spacing, base: &Tile) -> PyResult<Tile> {
    let (exponents, _) = spaced(cx, spacing)?;
    let powers = super::arithmetic::power(cx, base, &exponents)?;
    p::convert(cx, &powers, spacing.dtype, false)
}

fn geomspace(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [start, stop, num, endpoint, dtype, axis] = args.take();
    let mut spacing = Spacing::read(cx, "geomspace", [&start, &stop, &num, &endpoint, &dtype, &axis])?;
    let (dtype, working) = (spacing.dtype, spacing.working(cx));
    let start = p::convert(cx, &spacing.start, working, false)?;
    let stop = p::convert(cx, &spacing.stop, working, false)?;
    let sign = p::unary(cx, &ops::SIGN, &start)?;
    let positive = |tile: &Tile| -> PyResult<Tile> {
        let operands = convert::broadcast(cx, "geomspace", &[tile.clone(), sign.clone()])?;
        super::elementwise::log10(cx, &p::binary(cx, &ops::DIV, &operands[0], &operands[1])?)
    };
    (spacing.start, spacing.stop) = (positive(&start)?, positive(&stop)?);
    spacing.dtype = working;
    let base = p::scalar(working, Scalar::Float(10.0));
    let magnitudes = logarithmic(cx, &spacing, &base)?;
    let operands = convert::broadcast(cx, "geomspace", &[sign, magnitudes])?;
    let values = p::binary(cx, &ops::MUL, &operands[0], &operands[1])?;
    let tile = p::convert(cx, &values, dtype, false)?;
    result(cx, tile)
}

fn meshgrid(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [vectors, _copy, sparse, indexing] = args.take();
    let mut tiles = call::operands(cx, &cx.interp.collect(&vectors)?, "meshgrid")?;
    let sparse = call::flag(cx, &sparse)?;
    let xy = match &*cx.interp.to_str(&indexing)? {
        "xy" => tiles.len() >= 2,
        "ij" => false,
        other => {
            let message = format!("Valid values for indexing are 'xy' and 'ij', got {other}");
            return Err(cx.interp.value_error(message));
        }
    };
    if cx.rules == Rules::Numpy {
        tiles = tiles.iter().map(|t| p::reshape(cx, t, &Shape::from([t.shape().size()]))).collect::<PyResult<_>>()?;
    }
    if tiles.iter().any(|tile| tile.rank() != 1) {
        let shapes: Vec<String> = tiles.iter().map(|tile| tile.shape().to_string()).collect();
        let message = format!("Arguments to jax.numpy.meshgrid must be 1D, got shapes [{}]", shapes.join(", "));
        return Err(cx.interp.value_error(message));
    }
    if xy {
        tiles.swap(0, 1);
    }
    let extents: Vec<usize> = tiles.iter().map(|tile| tile.shape()[0]).collect();
    let mut grids = Vec::new();
    for (axis, tile) in tiles.iter().enumerate() {
        let mut shape = if sparse { vec![1; extents.len()] } else { extents.clone() };
        shape[axis] = extents[axis];
        grids.push(p::broadcast_in_dim(cx, tile, &Shape::from(shape.as_slice()), &[axis])?);
    }
    if xy {
        grids.swap(0, 1);
    }
    match cx.rules {
        Rules::Jax => call::result_list(cx, grids),
        Rules::Numpy => results(cx, grids),
    }
}

fn indices(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [dimensions, dtype, sparse] = args.take();
    let shape = convert::shape(cx, &dimensions)?;
    let dtype = call::dtype(cx, &dtype)?.unwrap_or(convert::default_int(cx));
    let sparse = call::flag(cx, &sparse)?;
    let mut grids = Vec::new();
    for (axis, &extent) in shape.iter().enumerate() {
        let position = compose::positions(cx, dtype, extent)?;
        let mut full = if sparse { Shape::from(vec![1; shape.rank()]) } else { shape.clone() };
        full[axis] = extent;
        grids.push(p::broadcast_in_dim(cx, &position, &full, &[axis])?);
    }
    if sparse {
        return results(cx, grids);
    }
    if grids.is_empty() {
        return result(cx, p::full(cx, &Shape::from([0]), dtype, Scalar::Int(0))?);
    }
    let tile = super::joining::stack_tiles(cx, &grids, 0)?;
    result(cx, tile)
}

fn ix(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let tiles = call::operands(cx, &cx.interp.collect(args.get(0))?, "ix")?;
    let rank = tiles.len();
    let mut out = Vec::new();
    for (axis, tile) in tiles.iter().enumerate() {
        if tile.rank() != 1 {
            let message = format!("Arguments to jax.numpy.ix_ must be 1-dimensional, got shape {}", tile.shape());
            return Err(cx.interp.value_error(message));
        }
        if tile.dtype() == DType::Bool {
            return Err(cx.interp.not_implemented_error("Boolean arguments to jax.numpy.ix_ are not implemented"));
        }
        let mut shape = vec![1; rank];
        shape[axis] = tile.shape()[0];
        out.push(p::broadcast_in_dim(cx, tile, &Shape::from(shape.as_slice()), &[axis])?);
    }
    results(cx, out)
}

fn vander(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, columns, increasing] = args.take();
    let x = call::operand(cx, &x, "vander")?;
    if x.rank() != 1 {
        return Err(cx.interp.value_error("x must be a one-dimensional array"));
    }
    let columns = call::integer(cx, &columns, x.shape()[0] as i64)?;
    let Ok(columns) = usize::try_from(columns) else { return Err(cx.interp.value_error("N must be nonnegative")) };
    let mut exponents = compose::positions(cx, x.dtype(), columns)?;
    if !call::flag(cx, &increasing)? {
        let last = call::constant_like(cx, &exponents, columns as f64 - 1.0)?;
        exponents = p::binary(cx, &ops::SUB, &last, &exponents)?;
    }
    let x = p::expand_dims(cx, &x, &[1])?;
    let exponents = p::expand_dims(cx, &exponents, &[0])?;
    let tile = super::arithmetic::power(cx, &x, &exponents)?;
    result(cx, tile)
}
