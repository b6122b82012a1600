//! Ops that move elements: linear, so forward they are themselves, and backward the elements go back.

use super::{Derivative, Point, Reverse};
use crate::context::Context;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::Shape;

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Derivative)> {
    let rules: [(&str, Reverse); 10] = [
        ("broadcast_in_dim", |cx, at, g, _| one(cx, at, g, unbroadcast)),
        ("reshape", |cx, at, g, _| one(cx, at, g, |cx, at, g| primitive::reshape(cx, g, at.operands[0].shape()))),
        ("squeeze", |cx, at, g, _| one(cx, at, g, |cx, at, g| primitive::reshape(cx, g, at.operands[0].shape()))),
        ("transpose", |cx, at, g, _| one(cx, at, g, transpose_back)),
        ("rev", |cx, at, g, _| one(cx, at, g, |cx, at, g| cx.bind(at.op, &[g], at.attributes.clone()))),
        ("slice", |cx, at, g, _| one(cx, at, g, slice_back)),
        ("reduce_sum", |cx, at, g, _| one(cx, at, g, sum_back)),
        ("cumsum", |cx, at, g, _| one(cx, at, g, cumsum_back)),
        ("concatenate", concatenate_back),
        ("pad", pad_back),
    ];
    rules.into_iter().map(|(name, reverse)| (name, Derivative::Linear(reverse)))
}

/// What `g` becomes on its way back through a single operand.
type Back = fn(&Context<'_>, &Point<'_>, &Tile) -> PyResult<Tile>;

fn one(cx: &Context<'_>, at: &Point<'_>, g: &[Option<Tile>], back: Back) -> PyResult<Vec<Option<Tile>>> {
    match g.first() {
        Some(Some(g)) => Ok(vec![Some(back(cx, at, g)?)]),
        _ => Ok(vec![None]),
    }
}

fn sizes(attributes: &Attributes, name: &str) -> Vec<usize> {
    attributes.ints(name).unwrap_or_default().iter().map(|&v| v as usize).collect()
}

fn unbroadcast(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let from = at.operands[0].shape();
    let dims = sizes(at.attributes, "dims");
    let stretched: Vec<usize> = (0..g.rank())
        .filter(|&axis| match dims.iter().position(|&dim| dim == axis) {
            None => true,
            Some(operand) => from[operand] != g.shape()[axis],
        })
        .collect();
    let summed = if stretched.is_empty() { g.clone() } else { primitive::reduce(cx, &ops::REDUCE_SUM, g, &stretched)? };
    primitive::reshape(cx, &summed, from)
}

fn transpose_back(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let permutation = sizes(at.attributes, "permutation");
    let mut back = vec![0; permutation.len()];
    for (place, &axis) in permutation.iter().enumerate() {
        back[axis] = place;
    }
    primitive::transpose(cx, g, &back)
}

/// Surrounds a tile with zeros.
fn padded(cx: &Context<'_>, g: &Tile, low: Vec<i64>, high: Vec<i64>, interior: Vec<i64>) -> PyResult<Tile> {
    let zero = primitive::convert(cx, &primitive::scalar_like(g, 0.0), g.dtype(), false)?;
    let attributes = Attributes::none()
        .with("low", Attribute::Ints(low))
        .with("high", Attribute::Ints(high))
        .with("interior", Attribute::Ints(interior));
    cx.bind(&ops::PAD, &[g, &zero], attributes)
}

fn slice_back(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let start = at.attributes.ints("start").unwrap_or_default().to_vec();
    let strides = match at.attributes.ints("strides") {
        Some(strides) if !strides.is_empty() => strides.to_vec(),
        _ => vec![1; start.len()],
    };
    let extents = at.operands[0].shape();
    let high = (0..start.len())
        .map(|dim| {
            let count = g.shape()[dim] as i64;
            let covered = if count == 0 { 0 } else { (count - 1) * strides[dim] + 1 };
            extents[dim] as i64 - start[dim] - covered
        })
        .collect();
    padded(cx, g, start, high, strides.iter().map(|stride| stride - 1).collect())
}

fn sum_back(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let axes = sizes(at.attributes, "axes");
    let shape = at.operands[0].shape();
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).collect();
    primitive::broadcast_in_dim(cx, g, shape, &kept)
}

fn cumsum_back(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let attributes = Attributes::none()
        .with("axis", Attribute::Int(at.attributes.int("axis").unwrap_or(0)))
        .with("reverse", Attribute::Bool(!at.attributes.flag("reverse")));
    cx.bind(&ops::CUMSUM, &[g], attributes)
}

fn concatenate_back(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(g)) = cotangents.first() else { return Ok(vec![None; at.operands.len()]) };
    let axis = at.attributes.int("axis").unwrap_or(0) as usize;
    let mut from = 0;
    let mut given = Vec::with_capacity(at.operands.len());
    for (operand, &wanted) in at.operands.iter().zip(wanted) {
        let to = from + operand.shape()[axis];
        let mut start = vec![0; g.rank()];
        let mut limit: Vec<usize> = g.shape().to_vec();
        (start[axis], limit[axis]) = (from, to);
        given.push(if wanted { Some(primitive::slice(cx, g, &start, &limit, &vec![1; g.rank()])?) } else { None });
        from = to;
    }
    Ok(given)
}

fn pad_back(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(g)) = cotangents.first() else { return Ok(vec![None, None]) };
    let ints = |name: &str| at.attributes.ints(name).unwrap_or_default().to_vec();
    let (low, high, interior) = (ints("low"), ints("high"), ints("interior"));
    let negated = |values: &[i64]| values.iter().map(|value| -value).collect::<Vec<_>>();
    let inner = padded(cx, g, negated(&low), negated(&high), vec![0; low.len()])?;
    let strides: Vec<usize> = interior.iter().map(|&between| between as usize + 1).collect();
    let limit: Vec<usize> = inner.shape().to_vec();
    let x = primitive::slice(cx, &inner, &vec![0; limit.len()], &limit, &strides)?;
    let value = if wanted[1] {
        let all: Vec<usize> = (0..g.rank()).collect();
        let total = primitive::reduce(cx, &ops::REDUCE_SUM, g, &all)?;
        Some(primitive::binary(cx, &ops::SUB, &total, &primitive::reduce(cx, &ops::REDUCE_SUM, &x, &all)?)?)
    } else {
        None
    };
    Ok(vec![wanted[0].then_some(x), value])
}

/// A shape with some axes of extent 1.
pub(super) fn kept_dims(shape: &Shape, axes: &[usize]) -> Shape {
    shape.iter().enumerate().map(|(axis, &extent)| if axes.contains(&axis) { 1 } else { extent }).collect()
}
