//! Ops that take positions from operands. Positions that differ from lane to lane turn slices into gathers, with the
//! lane's own number as one more index.

use super::structural::with_lanes;
use super::{Call, Lane, Rule};
use crate::context::Context;
use crate::jnp::shaping::move_axes;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::{DType, Scalar, Shape};

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Rule)> {
    let rules: [(&str, Rule); 4] = [
        ("dynamic_slice", dynamic_slice),
        ("dynamic_update_slice", dynamic_update_slice),
        ("gather", gather),
        ("scatter", scatter),
    ];
    rules.into_iter()
}

fn sizes_of(values: &[i64]) -> Shape {
    values.iter().map(|&v| v as usize).collect()
}

/// For each dimension of an array of shape `extents`, the positions of a block of `sizes` at `starts`, clamped into the
/// array; each of the shape lanes, sizes.
fn positions(
    cx: &Context<'_>,
    starts: &[Lane],
    extents: &Shape,
    sizes: &Shape,
    lanes: usize,
) -> PyResult<(Tile, Vec<Tile>)> {
    let shape = with_lanes(lanes, sizes);
    let lane = primitive::iota(cx, DType::I32, &shape, 0)?;
    let mut found = Vec::with_capacity(starts.len());
    for (dim, start) in starts.iter().enumerate() {
        let last = extents[dim].saturating_sub(sizes[dim]);
        let start = primitive::convert(cx, &start.spread(cx, lanes)?, DType::I32, false)?;
        let bound = |value: usize| primitive::scalar(DType::I32, Scalar::Int(value as i128));
        let start = cx.bind(&ops::CLAMP, &[&bound(0), &start, &bound(last)], Attributes::none())?;
        let start = primitive::broadcast_in_dim(cx, &start, &shape, &[0])?;
        let offset = primitive::iota(cx, DType::I32, &shape, dim + 1)?;
        found.push(primitive::binary(cx, &ops::ADD, &start, &offset)?);
    }
    Ok((lane, found))
}

fn axes(count: usize) -> Attribute {
    Attribute::Ints((0..count as i64).collect())
}

fn dynamic_slice(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let (x, starts) = (&call.operands[0], &call.operands[1..]);
    let sizes = call.attributes.ints("sizes").unwrap_or_default();
    if starts.iter().all(|start| !start.batched) {
        let zero = start_zero(starts);
        let operands: Vec<&Tile> = [&x.tile, &zero].into_iter().chain(starts.iter().map(|lane| &lane.tile)).collect();
        let sizes = std::iter::once(call.axis.size as i64).chain(sizes.iter().copied()).collect();
        let attributes = Attributes::none().with("sizes", Attribute::Ints(sizes));
        return Ok(vec![Lane::batched(cx.bind(call.op, &operands, attributes)?)]);
    }
    let (lane, mut found) = positions(cx, starts, &x.shape(), &sizes_of(sizes), call.axis.size)?;
    if x.batched {
        found.insert(0, lane);
    }
    let operands: Vec<&Tile> = std::iter::once(&x.tile).chain(&found).collect();
    let attributes = Attributes::none().with("axes", axes(found.len())).with("mode", Attribute::Str("clip".into()));
    Ok(vec![Lane::batched(cx.bind(&ops::GATHER, &operands, attributes)?)])
}

/// A zero of the dtype that the other start indices have.
fn start_zero(starts: &[Lane]) -> Tile {
    let dtype = starts.first().map_or(DType::I32, |lane| lane.tile.dtype());
    primitive::scalar(dtype, Scalar::Int(0))
}

fn dynamic_update_slice(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let (x, update, starts) = (&call.operands[0], &call.operands[1], &call.operands[2..]);
    let size = call.axis.size;
    let (whole, part) = (x.spread(cx, size)?, update.spread(cx, size)?);
    if starts.iter().all(|start| !start.batched) {
        let zero = start_zero(starts);
        let operands: Vec<&Tile> =
            [&whole, &part, &zero].into_iter().chain(starts.iter().map(|lane| &lane.tile)).collect();
        return Ok(vec![Lane::batched(cx.bind(call.op, &operands, Attributes::none())?)]);
    }
    let (lane, found) = positions(cx, starts, &x.shape(), &update.shape(), size)?;
    let operands: Vec<&Tile> = [&whole, &part, &lane].into_iter().chain(&found).collect();
    let attributes = Attributes::none()
        .with("axes", axes(found.len() + 1))
        .with("mode", Attribute::Str("clip".into()))
        .with("combine", Attribute::Str("set".into()));
    Ok(vec![Lane::batched(cx.bind(&ops::SCATTER, &operands, attributes)?)])
}

/// The axes that are indexed, whether they are neighbours, and what stays around the shape of the indices.
struct Indexed {
    axes: Vec<i64>,
    neighbours: bool,
    /// Dimensions in front of the indices' shape in the result.
    before: usize,
}

impl Indexed {
    fn new(attributes: &Attributes) -> Self {
        let axes = attributes.ints("axes").unwrap_or_default().to_vec();
        let neighbours = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let before = if neighbours { axes.first().map_or(0, |&axis| axis as usize) } else { 0 };
        Indexed { axes, neighbours, before }
    }

    /// The attribute for an array whose lanes are indexed by their number, or left alone.
    fn shifted(&self, by_lane: bool) -> Attribute {
        let lane = by_lane.then_some(0);
        Attribute::Ints(lane.into_iter().chain(self.axes.iter().map(|axis| axis + 1)).collect())
    }
}

fn with(attributes: &Attributes, axes: Attribute) -> Attributes {
    let kept = attributes.0.iter().filter(|(name, _)| *name != "axes").cloned();
    Attributes(std::iter::once(("axes", axes)).chain(kept).collect())
}

/// Index operands with lanes, and the lane's number beside them.
fn by_lane(cx: &Context<'_>, indices: &[Lane], size: usize) -> PyResult<Vec<Tile>> {
    let mut tiles = indices.iter().map(|lane| lane.spread(cx, size)).collect::<PyResult<Vec<_>>>()?;
    if let Some(first) = tiles.first() {
        let number = primitive::iota(cx, first.dtype(), first.shape(), 0)?;
        tiles.insert(0, number);
    }
    Ok(tiles)
}

fn gather(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let (x, indices) = (&call.operands[0], &call.operands[1..]);
    let indexed = Indexed::new(call.attributes);
    let index_rank = indices.first().map_or(0, Lane::rank);
    let any = indices.iter().any(|lane| lane.batched);
    let bind = |x: &Tile, indices: &[Tile], axes: Attribute| {
        let operands: Vec<&Tile> = std::iter::once(x).chain(indices).collect();
        cx.bind(call.op, &operands, with(call.attributes, axes))
    };
    let (result, place) = match (x.batched, any) {
        (true, false) => {
            let indices: Vec<Tile> = indices.iter().map(|lane| lane.tile.clone()).collect();
            // Where the indices' shape goes to the front, the lanes come after it.
            (bind(&x.tile, &indices, indexed.shifted(false))?, if indexed.neighbours { 0 } else { index_rank })
        }
        (false, _) => {
            let indices = indices.iter().map(|lane| lane.spread(cx, call.axis.size)).collect::<PyResult<Vec<_>>>()?;
            (bind(&x.tile, &indices, Attribute::Ints(indexed.axes.clone()))?, indexed.before)
        }
        (true, true) => {
            let indices = by_lane(cx, indices, call.axis.size)?;
            let result = bind(&x.tile, &indices, indexed.shifted(true))?;
            return Ok(vec![Lane::batched(behind(cx, &result, &indexed, index_rank)?)]);
        }
    };
    Ok(vec![Lane::batched(move_axes(cx, &result, &[place], &[0])?)])
}

/// From lanes, indices, rest to lanes, before, indices, after.
fn behind(cx: &Context<'_>, result: &Tile, indexed: &Indexed, index_rank: usize) -> PyResult<Tile> {
    let source: Vec<usize> = (1..=index_rank).collect();
    let destination: Vec<usize> = source.iter().map(|dim| dim + indexed.before).collect();
    move_axes(cx, result, &source, &destination)
}

fn scatter(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let (x, updates, indices) = (&call.operands[0], &call.operands[1], &call.operands[2..]);
    let size = call.axis.size;
    let indexed = Indexed::new(call.attributes);
    let index_rank = indices.first().map_or(0, Lane::rank);
    let (x, mut updates) = (x.spread(cx, size)?, updates.spread(cx, size)?);
    let any = indices.iter().any(|lane| lane.batched);
    let (tiles, axes) = if any {
        let destination: Vec<usize> = (1..=index_rank).collect();
        let source: Vec<usize> = destination.iter().map(|dim| dim + indexed.before).collect();
        updates = move_axes(cx, &updates, &source, &destination)?;
        (by_lane(cx, indices, size)?, indexed.shifted(true))
    } else {
        if !indexed.neighbours {
            updates = move_axes(cx, &updates, &[0], &[index_rank])?;
        }
        (indices.iter().map(|lane| lane.tile.clone()).collect(), indexed.shifted(false))
    };
    let operands: Vec<&Tile> = [&x, &updates].into_iter().chain(&tiles).collect();
    Ok(vec![Lane::batched(cx.bind(call.op, &operands, with(call.attributes, axes))?)])
}
