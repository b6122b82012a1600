//! Small compositions of lax operations that several families of `jax.numpy` share: `where`, comparisons with constants,
//! and arithmetic in the form that XLA gives it inside a compiled function. No argument parsing.

use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, OpDef, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::{Array, DType, Kind, Scalar, Shape};

/// `x op constant`, elementwise.
pub fn with_constant(cx: &Context<'_>, op: &'static OpDef, x: &Tile, constant: f64) -> PyResult<Tile> {
    let constant = super::call::constant_like(cx, x, constant)?;
    p::binary(cx, op, x, &constant)
}

/// `x != 0` for anything but booleans, which stay as they are.
pub fn as_bool(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if x.dtype() == DType::Bool {
        return Ok(x.clone());
    }
    // `lax._const` is weak beside weak scalars only.
    let zero = if x.rank() == 0 {
        super::call::constant_like(cx, x, 0.0)?
    } else {
        super::call::strong_constant_like(cx, x, 0.0)?
    };
    p::binary(cx, &ops::NE, x, &zero)
}

/// `jnp.where` of three arrays, as `_where` in jax/_src/numpy/util.py.
pub fn choose(cx: &Context<'_>, condition: &Tile, x: &Tile, y: &Tile) -> PyResult<Tile> {
    let condition = as_bool(cx, condition)?;
    let promoted = convert::promote_dtypes(cx, &[x, y])?;
    let [condition, x, y] = broadcast3(cx, "where", [&condition, &promoted[0], &promoted[1]])?;
    p::select(cx, &condition, &x, &y)
}

/// Three operands with one shape.
pub fn broadcast3(cx: &Context<'_>, function: &str, tiles: [&Tile; 3]) -> PyResult<[Tile; 3]> {
    let [a, b, c] = tiles.map(Tile::clone);
    let mut broadcast = convert::broadcast(cx, function, &[a, b, c])?.into_iter();
    // `broadcast` gives as many tiles as it gets.
    Ok(std::array::from_fn(|i| broadcast.next().unwrap_or_else(|| tiles[i].clone())))
}

/// `where(condition, x, constant)` in `x`'s own dtype.
pub fn or_constant(cx: &Context<'_>, condition: &Tile, x: &Tile, constant: f64) -> PyResult<Tile> {
    let constant = super::call::constant_like(cx, x, constant)?;
    p::select(cx, condition, x, &constant)
}

/// `x / constant` as XLA compiles it: floats are multiplied by the reciprocal (its algebraic simplifier does that to
/// every division by a constant inside a jitted function). Inside a trace the division is staged as JAX stages it; numpy
/// divides.
pub fn divide_by(cx: &Context<'_>, x: &Tile, constant: f64) -> PyResult<Tile> {
    if cx.rules == Rules::Numpy || cx.trace().is_some() || !x.dtype().is_float() {
        return with_constant(cx, &ops::DIV, x, constant);
    }
    with_constant(cx, &ops::MUL, x, reciprocal(x.dtype(), constant))
}

/// `a / b` with broadcasting, of one float dtype. XLA compiles a division by something broadcast as a multiplication by
/// its reciprocal, eagerly as well: `true_divide` is a compiled function of operands not yet broadcast. Inside a trace the
/// division is staged as JAX stages it.
pub fn divide(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    let operands = convert::broadcast(cx, "div", &[a.clone(), b.clone()])?;
    let repeated = b.shape().size() < operands[1].shape().size();
    if !repeated || cx.rules == Rules::Numpy || cx.trace().is_some() || !matches!(b.dtype(), DType::F32 | DType::F64) {
        return p::binary(cx, &ops::DIV, &operands[0], &operands[1]);
    }
    let one = super::call::constant_like(cx, b, 1.0)?;
    let reciprocal = p::binary(cx, &ops::DIV, &one, b)?;
    let reciprocal = p::broadcast_to(cx, &reciprocal, operands[0].shape())?;
    p::binary(cx, &ops::MUL, &operands[0], &reciprocal)
}

/// The sum of squares over axes, each square added with one rounding where XLA's fusion does so: eagerly, in `float32`,
/// over few elements (the order of longer sums is the reduction's own).
pub fn sum_of_squares(cx: &Context<'_>, x: &Tile, axes: &[usize]) -> PyResult<Tile> {
    const UNROLLED: usize = 32;
    let count: usize = axes.iter().map(|&axis| x.shape()[axis]).product();
    let plain = cx.trace().is_some() || cx.rules == Rules::Numpy || x.dtype() != DType::F32;
    if plain || count == 0 || count > UNROLLED {
        return p::reduce(cx, &ops::REDUCE_SUM, &p::unary(cx, &ops::SQUARE, x)?, axes);
    }
    let kept: Vec<usize> = (0..x.rank()).filter(|axis| !axes.contains(axis)).collect();
    let order: Vec<usize> = axes.iter().chain(&kept).copied().collect();
    let rest = x.shape().without_axes(axes);
    let wide: Shape = std::iter::once(count).chain(rest.iter().copied()).collect();
    let lines = p::reshape(cx, &p::transpose(cx, x, &order)?, &wide)?;
    let mut total = p::full(cx, &rest, DType::F32, Scalar::Float(0.0))?;
    for index in 0..count {
        let line = take_axis(cx, &lines, 0, index)?;
        total = multiply_add(cx, &line, &line, &total)?;
    }
    Ok(total)
}

/// `1 / constant` in the precision of `dtype`.
fn reciprocal(dtype: DType, constant: f64) -> f64 {
    match dtype {
        DType::F64 => 1.0 / constant,
        _ => (1.0f32 / constant as f32).into(),
    }
}

/// `a * b + c`, rounded once where XLA's fusion would contract it: eagerly, in `float32`. Inside a trace the two
/// operations are staged as JAX stages them.
pub fn multiply_add(cx: &Context<'_>, a: &Tile, b: &Tile, c: &Tile) -> PyResult<Tile> {
    if cx.trace().is_some() || cx.rules == Rules::Numpy || a.dtype() != DType::F32 {
        return p::binary(cx, &ops::ADD, &p::binary(cx, &ops::MUL, a, b)?, c);
    }
    // The product of two float32 is exact in float64.
    let wide = |x: &Tile| p::convert(cx, x, DType::F64, false);
    let product = p::binary(cx, &ops::MUL, &wide(a)?, &wide(b)?)?;
    let sum = p::binary(cx, &ops::ADD, &product, &wide(c)?)?;
    p::convert(cx, &sum, DType::F32, a.weak() && b.weak() && c.weak())
}

/// `isnan(x)`: `x != x` for floats, false for others.
pub fn is_nan(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    p::binary(cx, &ops::NE, x, x)
}

/// Rounds halves to even.
pub fn round_even(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    cx.bind(&ops::ROUND, &[x], Attributes::none().with("rounding", Attribute::Int(1)))
}

/// The positions `0, 1, ...` along the only dimension.
pub fn positions(cx: &Context<'_>, dtype: DType, count: usize) -> PyResult<Tile> {
    p::iota(cx, dtype, &Shape::from([count]), 0)
}

/// `x[start:limit]` along one axis.
pub fn slice_axis(cx: &Context<'_>, x: &Tile, axis: usize, start: usize, limit: usize) -> PyResult<Tile> {
    let mut starts = vec![0; x.rank()];
    let mut limits = x.shape().to_vec();
    starts[axis] = start;
    limits[axis] = limit;
    p::slice(cx, x, &starts, &limits, &vec![1; x.rank()])
}

/// `x[position]` along one axis, which goes away.
pub fn take_axis(cx: &Context<'_>, x: &Tile, axis: usize, position: usize) -> PyResult<Tile> {
    p::squeeze(cx, &slice_axis(cx, x, axis, position, position + 1)?, &[axis])
}

/// Reverses along axes.
pub fn reverse(cx: &Context<'_>, x: &Tile, axes: &[usize]) -> PyResult<Tile> {
    if axes.is_empty() {
        return Ok(x.clone());
    }
    let axes = axes.iter().map(|&axis| axis as i64).collect();
    cx.bind(&ops::REV, &[x], Attributes::none().with("axes", Attribute::Ints(axes)))
}

/// Elements at index tiles along `axes` (increasing), out-of-bounds as `mode` (`clip` or `fill`) says.
pub fn gather(cx: &Context<'_>, x: &Tile, axes: &[usize], indices: &[&Tile], mode: &str) -> PyResult<Tile> {
    let attributes = Attributes::none()
        .with("axes", Attribute::Ints(axes.iter().map(|&axis| axis as i64).collect()))
        .with("mode", Attribute::Str(mode.into()));
    let operands: Vec<&Tile> = std::iter::once(x).chain(indices.iter().copied()).collect();
    cx.bind(&ops::GATHER, &operands, attributes)
}

/// `x` with `updates` combined in (`set`, `add`, ...) at index tiles along `axes`.
pub fn scatter(
    cx: &Context<'_>,
    x: &Tile,
    updates: &Tile,
    axes: &[usize],
    indices: &[&Tile],
    combine: &str,
) -> PyResult<Tile> {
    let attributes = Attributes::none()
        .with("axes", Attribute::Ints(axes.iter().map(|&axis| axis as i64).collect()))
        .with("mode", Attribute::Str("fill".into()))
        .with("combine", Attribute::Str(combine.into()));
    let operands: Vec<&Tile> = [x, updates].into_iter().chain(indices.iter().copied()).collect();
    cx.bind(&ops::SCATTER, &operands, attributes)
}

/// Indices counted from the end made positive, as JAX does before every gather.
pub fn wrap_negative(cx: &Context<'_>, index: &Tile, extent: usize) -> PyResult<Tile> {
    if index.dtype().kind() == Kind::Unsigned {
        return Ok(index.clone());
    }
    let negative = with_constant(cx, &ops::LT, index, 0.0)?;
    let wrapped = with_constant(cx, &ops::ADD, index, extent as f64)?;
    p::select(cx, &negative, &wrapped, index)
}

/// Sorts operands together by the first `keys` of them.
pub fn sort(cx: &Context<'_>, operands: &[&Tile], axis: usize, keys: usize) -> PyResult<Vec<Tile>> {
    let attributes = Attributes::none()
        .with("axis", Attribute::Int(axis as i64))
        .with("num_keys", Attribute::Int(keys as i64))
        .with("stable", Attribute::Bool(true));
    Ok(cx.bind_all(&ops::SORT, operands, attributes)?.into_vec())
}

/// Bits as another dtype.
pub fn bitcast(cx: &Context<'_>, x: &Tile, dtype: DType) -> PyResult<Tile> {
    if x.dtype() == dtype {
        return Ok(x.clone());
    }
    cx.bind(&ops::BITCAST_CONVERT_TYPE, &[x], Attributes::none().with("dtype", Attribute::DType(dtype)))
}

/// A scalar of a dtype: exact for integers that `f64` cannot hold.
pub fn integer_scalar(dtype: DType, value: i128) -> Tile {
    Tile::concrete(Array::scalar(dtype, Scalar::Int(value)))
}

/// A one-dimensional array of integers, for indices known while tracing.
pub fn integers(cx: &Context<'_>, dtype: DType, values: &[i64]) -> PyResult<Tile> {
    let scalars: Vec<Scalar> = values.iter().map(|&value| Scalar::Int(value.into())).collect();
    Array::from_scalars(dtype, [values.len()], &scalars)
        .map(Tile::concrete)
        .map_err(|error| cx.interp.value_error(error.to_string()))
}
