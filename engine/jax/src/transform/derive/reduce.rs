//! Reductions that are not sums.

use super::diagonal::{compare, div, mul, sub};
use super::structural::kept_dims;
use super::{Derivative, Point};
use crate::context::Context;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::Shape;

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Derivative)> {
    [
        ("reduce_max", Derivative::General(chosen_forward, chosen_reverse)),
        ("reduce_min", Derivative::General(chosen_forward, chosen_reverse)),
        ("reduce_prod", Derivative::General(product_forward, product_reverse)),
        ("cumlogsumexp", Derivative::General(running_forward, running_reverse)),
    ]
    .into_iter()
}

fn axes_of(at: &Point<'_>) -> Vec<usize> {
    at.attributes.ints("axes").unwrap_or_default().iter().map(|&axis| axis as usize).collect()
}

/// 1 where an element is the result, and how many such elements there are (`_reduce_chooser_jvp_rule`).
fn chosen(cx: &Context<'_>, at: &Point<'_>) -> PyResult<(Tile, Tile)> {
    let x = &at.operands[0];
    let axes = axes_of(at);
    let y = primitive::reshape(cx, &at.results[0], &kept_dims(x.shape(), &axes))?;
    let y = primitive::broadcast_to(cx, &y, x.shape())?;
    let places = primitive::convert(cx, &compare(cx, &ops::EQ, x, &y)?, x.dtype(), false)?;
    let counts = primitive::reduce(cx, &ops::REDUCE_SUM, &places, &axes)?;
    Ok((places, counts))
}

fn chosen_forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(g)) = tangents.first() else { return Ok(vec![None]) };
    let (places, counts) = chosen(cx, at)?;
    let total = primitive::reduce(cx, &ops::REDUCE_SUM, &mul(cx, g, &places)?, &axes_of(at))?;
    Ok(vec![Some(div(cx, &total, &counts)?)])
}

fn chosen_reverse(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    _wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(g)) = cotangents.first() else { return Ok(vec![None]) };
    let (places, counts) = chosen(cx, at)?;
    let share = spread(cx, &div(cx, g, &counts)?, at.operands[0].shape(), &axes_of(at))?;
    Ok(vec![Some(mul(cx, &share, &places)?)])
}

/// A reduced tile copied along the axes that were reduced.
fn spread(cx: &Context<'_>, g: &Tile, shape: &Shape, axes: &[usize]) -> PyResult<Tile> {
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).collect();
    primitive::broadcast_in_dim(cx, g, shape, &kept)
}

/// For each element the product of all the others: the running products from both ends, shifted by one.
fn others(cx: &Context<'_>, at: &Point<'_>) -> PyResult<Tile> {
    let x = &at.operands[0];
    let axes = axes_of(at);
    let kept: Vec<usize> = (0..x.rank()).filter(|axis| !axes.contains(axis)).collect();
    let order: Vec<usize> = kept.iter().chain(&axes).copied().collect();
    let moved = primitive::transpose(cx, x, &order)?;
    let count: usize = axes.iter().map(|&axis| x.shape()[axis]).product();
    let flat: Shape = kept.iter().map(|&axis| x.shape()[axis]).chain([count]).collect();
    let line = primitive::reshape(cx, &moved, &flat)?;
    let axis = flat.len() - 1;
    let running = |reverse: bool| {
        let attributes =
            Attributes::none().with("axis", Attribute::Int(axis as i64)).with("reverse", Attribute::Bool(reverse));
        let products = cx.bind(&ops::CUMPROD, &[&line], attributes)?;
        let (low, high) = if reverse { (-1, 1) } else { (1, -1) };
        let ends = |value: i64| {
            let mut values = vec![0; flat.len()];
            values[axis] = value;
            Attribute::Ints(values)
        };
        let one = primitive::convert(cx, &primitive::scalar_like(x, 1.0), x.dtype(), false)?;
        let attributes = Attributes::none()
            .with("low", ends(low))
            .with("high", ends(high))
            .with("interior", Attribute::Ints(vec![0; flat.len()]));
        cx.bind(&ops::PAD, &[&products, &one], attributes)
    };
    let product = mul(cx, &running(false)?, &running(true)?)?;
    let product = primitive::reshape(cx, &product, moved.shape())?;
    let mut back = vec![0; order.len()];
    for (place, &axis) in order.iter().enumerate() {
        back[axis] = place;
    }
    primitive::transpose(cx, &product, &back)
}

fn product_forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(g)) = tangents.first() else { return Ok(vec![None]) };
    let scaled = mul(cx, g, &others(cx, at)?)?;
    Ok(vec![Some(primitive::reduce(cx, &ops::REDUCE_SUM, &scaled, &axes_of(at))?)])
}

fn product_reverse(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    _wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(g)) = cotangents.first() else { return Ok(vec![None]) };
    let g = spread(cx, g, at.operands[0].shape(), &axes_of(at))?;
    Ok(vec![Some(mul(cx, &g, &others(cx, at)?)?)])
}

/// Running sums of `exp(x - m)` times a tangent over those of `exp(x - m)`, for the largest `m` of each line.
fn running_forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(g)) = tangents.first() else { return Ok(vec![None]) };
    let (weights, scale) = running_weights(cx, at)?;
    let total = cx.bind(&ops::CUMSUM, &[&mul(cx, g, &weights)?], at.attributes.clone())?;
    Ok(vec![Some(mul(cx, &total, &scale)?)])
}

fn running_reverse(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    _wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(g)) = cotangents.first() else { return Ok(vec![None]) };
    let (weights, scale) = running_weights(cx, at)?;
    let attributes = Attributes::none()
        .with("axis", Attribute::Int(at.attributes.int("axis").unwrap_or(0)))
        .with("reverse", Attribute::Bool(!at.attributes.flag("reverse")));
    let total = cx.bind(&ops::CUMSUM, &[&mul(cx, g, &scale)?], attributes)?;
    Ok(vec![Some(mul(cx, &total, &weights)?)])
}

/// `exp(x - m)` and `exp(m - y)`.
fn running_weights(cx: &Context<'_>, at: &Point<'_>) -> PyResult<(Tile, Tile)> {
    let (x, y) = (&at.operands[0], &at.results[0]);
    let axis = at.attributes.int("axis").unwrap_or(0) as usize;
    let most = primitive::reduce(cx, &ops::REDUCE_MAX, x, &[axis])?;
    let most = spread(cx, &most, x.shape(), &[axis])?;
    let difference = |a: &Tile, b: &Tile| primitive::unary(cx, &ops::EXP, &sub(cx, a, b)?);
    Ok((difference(x, &most)?, difference(&most, y)?))
}
