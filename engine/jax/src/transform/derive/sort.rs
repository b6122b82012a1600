//! Sorting and the largest elements: tangents follow their elements.

use super::{Derivative, Point, zeros_like};
use crate::context::Context;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::DType;

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Derivative)> {
    [("sort", Derivative::General(sort_forward, sort_back)), ("top_k", Derivative::General(top_forward, top_back))]
        .into_iter()
}

/// For each element of the sorted tile the place it had along the axis.
fn origins(cx: &Context<'_>, at: &Point<'_>) -> PyResult<(Tile, usize)> {
    let axis = at.attributes.int("axis").unwrap_or(0) as usize;
    let number = primitive::iota(cx, DType::I32, at.operands[0].shape(), axis)?;
    let operands: Vec<&Tile> = at.operands.iter().chain([&number]).collect();
    let mut sorted = cx.bind_all(at.op, &operands, at.attributes.clone())?;
    let origins = sorted.pop().ok_or_else(|| cx.interp.runtime_error("sort gave nothing".to_string()))?;
    Ok((origins, axis))
}

/// Index operands for every dimension: the element's own place, and `along` in `axis`.
fn everywhere(cx: &Context<'_>, along: &Tile, axis: usize) -> PyResult<Vec<Tile>> {
    (0..along.rank())
        .map(|dim| if dim == axis { Ok(along.clone()) } else { primitive::iota(cx, DType::I32, along.shape(), dim) })
        .collect()
}

fn places(rank: usize, combine: Option<&str>) -> Attributes {
    let attributes = Attributes::none()
        .with("axes", Attribute::Ints((0..rank as i64).collect()))
        .with("mode", Attribute::Str("clip".into()));
    match combine {
        Some(combine) => attributes.with("combine", Attribute::Str(combine.into())),
        None => attributes,
    }
}

/// Elements of `x` at `along` in `axis`.
fn taken(cx: &Context<'_>, x: &Tile, along: &Tile, axis: usize) -> PyResult<Tile> {
    let indices = everywhere(cx, along, axis)?;
    let operands: Vec<&Tile> = std::iter::once(x).chain(&indices).collect();
    cx.bind(&ops::GATHER, &operands, places(along.rank(), None))
}

/// Zeros like `like` with `g` put at `along` in `axis`.
fn put_back(cx: &Context<'_>, like: &Tile, g: &Tile, along: &Tile, axis: usize) -> PyResult<Tile> {
    let indices = everywhere(cx, along, axis)?;
    let zeros = zeros_like(cx, like)?;
    let operands: Vec<&Tile> = [&zeros, g].into_iter().chain(&indices).collect();
    cx.bind(&ops::SCATTER, &operands, places(along.rank(), Some("add")))
}

fn sort_forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let (origins, axis) = origins(cx, at)?;
    tangents
        .iter()
        .map(|tangent| match tangent {
            Some(tangent) => taken(cx, tangent, &origins, axis).map(Some),
            None => Ok(None),
        })
        .collect()
}

fn sort_back(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let (origins, axis) = origins(cx, at)?;
    cotangents
        .iter()
        .zip(wanted)
        .zip(at.operands)
        .map(|((g, &wanted), operand)| match g {
            Some(g) if wanted => put_back(cx, operand, g, &origins, axis).map(Some),
            _ => Ok(None),
        })
        .collect()
}

fn top_forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let axis = at.operands[0].rank().saturating_sub(1);
    Ok(match tangents.first() {
        Some(Some(tangent)) => vec![Some(taken(cx, tangent, &at.results[1], axis)?), None],
        _ => vec![None, None],
    })
}

fn top_back(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    _wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let axis = at.operands[0].rank().saturating_sub(1);
    Ok(vec![match cotangents.first() {
        Some(Some(g)) => Some(put_back(cx, &at.operands[0], g, &at.results[1], axis)?),
        _ => None,
    }])
}
