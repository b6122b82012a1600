//! lax-level operations on tiles: thin, typed wrappers over [`Context::bind`], skipping what would change nothing.
//! They promote nothing: shapes and dtypes must already agree.

use crate::context::Context;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, OpDef, TensorType, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::{Array, DType, Kind, Scalar, Shape};

fn ints(values: impl IntoIterator<Item = usize>) -> Attribute {
    Attribute::Ints(values.into_iter().map(|v| v as i64).collect())
}

/// An elementwise op of one operand.
pub fn unary(cx: &Context<'_>, op: &'static OpDef, x: &Tile) -> PyResult<Tile> {
    cx.bind(op, &[x], Attributes::none())
}

/// An elementwise op of two operands with equal dtype and shape.
pub fn binary(cx: &Context<'_>, op: &'static OpDef, a: &Tile, b: &Tile) -> PyResult<Tile> {
    cx.bind(op, &[a, b], Attributes::none())
}

/// Converts the elements; nothing is done where dtype and weakness agree.
pub fn convert(cx: &Context<'_>, x: &Tile, dtype: DType, weak: bool) -> PyResult<Tile> {
    if x.dtype() == dtype && x.weak() == weak {
        return Ok(x.clone());
    }
    if let (Tile::Concrete { array, .. }, true) = (x, x.dtype() == dtype) {
        return Ok(Tile::Concrete { array: array.clone(), weak });
    }
    // A Python scalar becomes a constant of the right dtype at once, as in JAX: no op is staged for it.
    if let (Tile::Concrete { array, weak: true }, 0) = (x, x.rank())
        && let Ok(array) = pallas_tensor::ops::convert(array, dtype)
    {
        return Ok(Tile::Concrete { array, weak });
    }
    let attributes = Attributes::none().with("dtype", Attribute::DType(dtype)).with("weak", Attribute::Bool(weak));
    cx.bind(&ops::CONVERT_ELEMENT_TYPE, &[x], attributes)
}

/// A scalar constant.
pub fn scalar(dtype: DType, value: Scalar) -> Tile {
    Tile::concrete(Array::scalar(dtype, value))
}

/// Zero of a dtype: false, 0, 0.0, the key of zeros.
pub fn zero_scalar(dtype: DType) -> Scalar {
    match dtype.kind() {
        Kind::Bool => Scalar::Bool(false),
        Kind::Float => Scalar::Float(0.0),
        Kind::Key => Scalar::Key([0, 0]),
        Kind::Signed | Kind::Unsigned => Scalar::Int(0),
    }
}

/// A scalar constant of `like`'s dtype.
pub fn scalar_like(like: &Tile, value: f64) -> Tile {
    let scalar = if like.dtype().is_float() { Scalar::Float(value) } else { Scalar::Int(value as i128) };
    Tile::Concrete { array: Array::scalar(like.dtype(), scalar), weak: like.weak() }
}

/// A Python float as an operand: weakly typed, so that it takes the other operand's dtype.
pub fn weak(value: f64) -> Tile {
    Tile::Concrete { array: Array::scalar(DType::F32, Scalar::Float(value)), weak: true }
}

/// A Python number as an operand beside `like`: an int beside integers, a float beside floats, weakly typed.
pub fn scalar_like_weak(like: &Tile, value: f64) -> Tile {
    if like.dtype().is_float() {
        return weak(value);
    }
    Tile::Concrete { array: Array::scalar(DType::I32, Scalar::Int(value as i128)), weak: true }
}

/// A tile of one value.
pub fn full(cx: &Context<'_>, shape: &Shape, dtype: DType, value: Scalar) -> PyResult<Tile> {
    broadcast_to(cx, &scalar(dtype, value), shape)
}

/// `0, 1, 2, ...` along `axis`.
pub fn iota(cx: &Context<'_>, dtype: DType, shape: &Shape, axis: usize) -> PyResult<Tile> {
    let attributes = Attributes::none()
        .with("dtype", Attribute::DType(dtype))
        .with("shape", ints(shape.iter().copied()))
        .with("axis", Attribute::Int(axis as i64));
    cx.bind(&ops::IOTA, &[], attributes)
}

/// Broadcasts with numpy's rule: dimensions align at the end, extents of 1 repeat. Shapes must be compatible.
pub fn broadcast_to(cx: &Context<'_>, x: &Tile, shape: &Shape) -> PyResult<Tile> {
    if x.shape() == shape {
        return Ok(x.clone());
    }
    let offset = shape.len().saturating_sub(x.rank());
    broadcast_in_dim(cx, x, shape, &(offset..shape.len()).collect::<Vec<_>>())
}

/// Broadcasts dimension `i` of `x` to dimension `dims[i]` of `shape`.
pub fn broadcast_in_dim(cx: &Context<'_>, x: &Tile, shape: &Shape, dims: &[usize]) -> PyResult<Tile> {
    let attributes =
        Attributes::none().with("shape", ints(shape.iter().copied())).with("dims", ints(dims.iter().copied()));
    cx.bind(&ops::BROADCAST_IN_DIM, &[x], attributes)
}

/// The same elements in another shape of equal size.
pub fn reshape(cx: &Context<'_>, x: &Tile, shape: &Shape) -> PyResult<Tile> {
    if x.shape() == shape {
        return Ok(x.clone());
    }
    cx.bind(&ops::RESHAPE, &[x], Attributes::none().with("shape", ints(shape.iter().copied())))
}

/// Dimension `i` of the result is dimension `permutation[i]` of `x`.
pub fn transpose(cx: &Context<'_>, x: &Tile, permutation: &[usize]) -> PyResult<Tile> {
    if permutation.iter().enumerate().all(|(i, &p)| i == p) {
        return Ok(x.clone());
    }
    cx.bind(&ops::TRANSPOSE, &[x], Attributes::none().with("permutation", ints(permutation.iter().copied())))
}

/// Drops dimensions of extent 1.
pub fn squeeze(cx: &Context<'_>, x: &Tile, axes: &[usize]) -> PyResult<Tile> {
    if axes.is_empty() {
        return Ok(x.clone());
    }
    cx.bind(&ops::SQUEEZE, &[x], Attributes::none().with("axes", ints(axes.iter().copied())))
}

/// Puts dimensions of extent 1 in, so that they stand at `axes` of the result.
pub fn expand_dims(cx: &Context<'_>, x: &Tile, axes: &[usize]) -> PyResult<Tile> {
    if axes.is_empty() {
        return Ok(x.clone());
    }
    let rank = x.rank() + axes.len();
    let kept: Vec<usize> = (0..rank).filter(|d| !axes.contains(d)).collect();
    let mut shape: Vec<usize> = vec![1; rank];
    for (&dim, &extent) in kept.iter().zip(x.shape().iter()) {
        shape[dim] = extent;
    }
    broadcast_in_dim(cx, x, &Shape::from(shape.as_slice()), &kept)
}

/// `x[start:limit:stride]` in every dimension.
pub fn slice(cx: &Context<'_>, x: &Tile, start: &[usize], limit: &[usize], strides: &[usize]) -> PyResult<Tile> {
    let whole = start.iter().all(|&s| s == 0)
        && strides.iter().all(|&s| s == 1)
        && limit.iter().zip(x.shape().iter()).all(|(l, d)| l == d);
    if whole {
        return Ok(x.clone());
    }
    let attributes = Attributes::none()
        .with("start", ints(start.iter().copied()))
        .with("limit", ints(limit.iter().copied()))
        .with("strides", ints(strides.iter().copied()));
    cx.bind(&ops::SLICE, &[x], attributes)
}

/// A reduction over `axes`.
pub fn reduce(cx: &Context<'_>, op: &'static OpDef, x: &Tile, axes: &[usize]) -> PyResult<Tile> {
    cx.bind(op, &[x], Attributes::none().with("axes", ints(axes.iter().copied())))
}

/// `where(which, on_true, on_false)`; all of one shape.
pub fn select(cx: &Context<'_>, which: &Tile, on_true: &Tile, on_false: &Tile) -> PyResult<Tile> {
    cx.bind(&ops::SELECT_N, &[which, on_false, on_true], Attributes::none())
}

/// Tiles one after the other along `axis`.
pub fn concatenate(cx: &Context<'_>, tiles: &[&Tile], axis: usize) -> PyResult<Tile> {
    cx.bind(&ops::CONCATENATE, tiles, Attributes::none().with("axis", Attribute::Int(axis as i64)))
}

/// A generalised matrix product. Contracting and batch dimensions as in `lax.dot_general`.
pub fn dot_general(
    cx: &Context<'_>,
    lhs: &Tile,
    rhs: &Tile,
    contracting: (&[usize], &[usize]),
    batch: (&[usize], &[usize]),
    dtype: DType,
) -> PyResult<Tile> {
    let lists = |(a, b): (&[usize], &[usize])| {
        Attribute::IntLists(vec![a.iter().map(|&d| d as i64).collect(), b.iter().map(|&d| d as i64).collect()])
    };
    let mut attributes = Attributes::none()
        .with("contracting", lists(contracting))
        .with("batch", lists(batch))
        .with("dtype", Attribute::DType(dtype));
    if let Some(precision) = &*cx.state.precision.borrow() {
        attributes = attributes.with("precision", Attribute::Str(precision.clone()));
    }
    cx.bind(&ops::DOT_GENERAL, &[lhs, rhs], attributes)
}

/// Joins a type for messages.
pub fn type_text(ty: &TensorType) -> String {
    crate::errors::type_text(ty)
}
