//! Ops that see the other lanes. Over the axis that is mapped they become ops on all lanes; over another axis they stay,
//! with their dimensions moved up by one. What every lane gets alike has no lanes.

use super::structural::{again, replaced};
use super::{Axis, Call, Lane, Rule};
use crate::context::Context;
use crate::jnp::shaping::move_axes;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, OpData, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::{Scalar, Shape};

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Rule)> {
    let rules: [(&str, Rule); 9] = [
        ("psum", |cx, call| over(cx, call, &[], total)),
        ("psum_invariant", |cx, call| over(cx, call, &[], total)),
        ("pmax", |cx, call| over(cx, call, &[], |cx, call| extreme(cx, call, &ops::REDUCE_MAX))),
        ("pmin", |cx, call| over(cx, call, &[], |cx, call| extreme(cx, call, &ops::REDUCE_MIN))),
        ("pvary", |cx, call| over(cx, call, &[], |_, call| Ok(call.operands[0].clone()))),
        ("ppermute", |cx, call| over(cx, call, &[], permuted)),
        ("all_gather", |cx, call| over(cx, call, &["axis"], gathered)),
        ("reduce_scatter", |cx, call| over(cx, call, &["axis"], scattered)),
        ("all_to_all", |cx, call| over(cx, call, &["split_axis", "concat_axis"], exchanged)),
    ];
    rules.into_iter()
}

/// Whether an op talks across the axis that is mapped over.
pub(super) fn is_over(op: &OpData, axis: &Axis) -> bool {
    names(op.attributes.str("axis_name"), axis)
}

/// Whether an op gives each lane something of its own, whatever it is given.
pub(super) fn asks_for_lane(op: &OpData, axis: &Axis) -> bool {
    matches!(op.op.name, "ppermute" | "reduce_scatter" | "all_to_all") && is_over(op, axis)
}

fn names(asked: Option<&str>, axis: &Axis) -> bool {
    matches!((&axis.name, asked), (Some(name), Some(asked)) if **name == *asked)
}

type Rewrite = fn(&Context<'_>, &Call<'_>) -> PyResult<Lane>;

/// `rewrite` if the op is over the mapped axis; else the op again, with the dimensions in `dims` one higher.
fn over(cx: &Context<'_>, call: &Call<'_>, dims: &[&'static str], rewrite: Rewrite) -> PyResult<Vec<Lane>> {
    if names(call.attributes.str("axis_name"), call.axis) {
        return Ok(vec![rewrite(cx, call)?]);
    }
    let attributes = dims.iter().fold(call.attributes.clone(), |attributes, name| {
        replaced(&attributes, name, Attribute::Int(call.attributes.int(name).unwrap_or(0) + 1))
    });
    again(cx, call, attributes)
}

fn total(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Lane> {
    let x = &call.operands[0];
    if x.batched {
        return Ok(Lane::shared(p::reduce(cx, &ops::REDUCE_SUM, &x.tile, &[0])?));
    }
    let size = p::full(cx, x.tile.shape(), x.tile.dtype(), count(&x.tile, call.axis.size))?;
    Ok(Lane::shared(p::binary(cx, &ops::MUL, &x.tile, &size)?))
}

fn count(like: &Tile, size: usize) -> Scalar {
    if like.dtype().is_float() { Scalar::Float(size as f64) } else { Scalar::Int(size as i128) }
}

fn extreme(cx: &Context<'_>, call: &Call<'_>, op: &'static pallas_ir::OpDef) -> PyResult<Lane> {
    let x = &call.operands[0];
    Ok(Lane::shared(if x.batched { p::reduce(cx, op, &x.tile, &[0])? } else { x.tile.clone() }))
}

/// Lanes one after the other, each from its source; neighbours with neighbouring sources in one piece.
fn permuted(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Lane> {
    let size = call.axis.size;
    let x = call.operands[0].spread(cx, size)?;
    let mut sources: Vec<Option<usize>> = vec![None; size];
    for pair in call.attributes.int_lists("perm").unwrap_or_default() {
        if let [source, target] = pair[..]
            && let Some(slot) = sources.get_mut(target as usize)
        {
            *slot = Some(source as usize);
        }
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < size {
        let mut length = 1;
        let follows = |length: usize| match sources[at] {
            Some(first) => sources[at + length] == Some(first + length),
            None => sources[at + length].is_none(),
        };
        while at + length < size && follows(length) {
            length += 1;
        }
        pieces.push(match sources[at] {
            Some(first) => rows(cx, &x, first, first + length)?,
            None => {
                let shape: Shape = std::iter::once(length).chain(x.shape().iter().skip(1).copied()).collect();
                let zero = p::convert(cx, &p::scalar_like(&x, 0.0), x.dtype(), x.weak())?;
                p::broadcast_to(cx, &zero, &shape)?
            }
        });
        at += length;
    }
    match &pieces[..] {
        [whole] => Ok(Lane::batched(whole.clone())),
        _ => Ok(Lane::batched(p::concatenate(cx, &pieces.iter().collect::<Vec<_>>(), 0)?)),
    }
}

fn rows(cx: &Context<'_>, x: &Tile, from: usize, to: usize) -> PyResult<Tile> {
    let mut start = vec![0; x.rank()];
    let mut limit = x.shape().to_vec();
    (start[0], limit[0]) = (from, to);
    p::slice(cx, x, &start, &limit, &vec![1; x.rank()])
}

fn dimension(call: &Call<'_>, name: &str) -> usize {
    call.attributes.int(name).unwrap_or(0) as usize
}

/// `x` with dimensions `at` and `at + 1` joined.
fn joined(cx: &Context<'_>, x: &Tile, at: usize) -> PyResult<Tile> {
    let mut shape = x.shape().to_vec();
    let inner = shape.remove(at + 1);
    shape[at] *= inner;
    p::reshape(cx, x, &Shape::from(shape.as_slice()))
}

/// `x` with dimension `at` as `parts` parts.
fn parted(cx: &Context<'_>, x: &Tile, at: usize, parts: usize) -> PyResult<Tile> {
    let mut shape = x.shape().to_vec();
    shape[at] /= parts.max(1);
    shape.insert(at, parts);
    p::reshape(cx, x, &Shape::from(shape.as_slice()))
}

fn gathered(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Lane> {
    let axis = dimension(call, "axis");
    let all = move_axes(cx, &call.operands[0].spread(cx, call.axis.size)?, &[0], &[axis])?;
    Ok(Lane::shared(if call.attributes.flag("tiled") { joined(cx, &all, axis)? } else { all }))
}

fn scattered(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Lane> {
    let axis = dimension(call, "axis");
    let sum = total(cx, call)?.tile;
    let parts = if call.attributes.flag("tiled") { parted(cx, &sum, axis, call.axis.size)? } else { sum };
    Ok(Lane::batched(move_axes(cx, &parts, &[axis], &[0])?))
}

fn exchanged(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Lane> {
    let (split, concat) = (dimension(call, "split_axis"), dimension(call, "concat_axis"));
    let x = call.operands[0].spread(cx, call.axis.size)?;
    let tiled = call.attributes.flag("tiled");
    let parts = if tiled { parted(cx, &x, split + 1, call.axis.size)? } else { x };
    // The parts stand first now, one for each target; the lanes they come from second.
    let by_target = move_axes(cx, &parts, &[split + 1], &[0])?;
    let arrived = move_axes(cx, &by_target, &[1], &[concat + 1])?;
    Ok(Lane::batched(if tiled { joined(cx, &arrived, concat + 1)? } else { arrived }))
}
