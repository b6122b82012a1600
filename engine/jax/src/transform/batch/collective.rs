//! Ops that see the other lanes. Over the axis that is mapped they become ops on all lanes; over another axis they stay,
//! with their dimensions moved up by one. What every lane gets alike has no lanes.

use super::structural::{again, replaced};
use super::{Axis, Call, Lane, Rule};
use crate::context::Context;
use crate::errors;
use crate::jnp::shaping::move_axes;
use crate::pallas::scalars;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, OpData, ops};
use pallas_python::raise::{Diagnosis, PyResult};
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
        all_come(cx, call)?;
        return Ok(vec![rewrite(cx, call)?]);
    }
    let attributes = dims.iter().fold(call.attributes.clone(), |attributes, name| {
        replaced(&attributes, name, Attribute::Int(call.attributes.int(name).unwrap_or(0) + 1))
    });
    again(cx, call, attributes)
}

/// That no device stays away: the others would wait for it for ever. Known is what follows from the numbers of devices, and
/// what a run has computed by then.
fn all_come(cx: &Context<'_>, call: &Call<'_>) -> PyResult<()> {
    // No device waits for another to say that an array may differ.
    let Some(present) = call.present.as_ref().filter(|_| call.op.name != "pvary") else { return Ok(()) };
    let Some(known) = scalars::exactly(&present.devices) else { return Ok(()) };
    let comes = |device: usize| known.get(device).and_then(Scalar::as_bool).unwrap_or(true);
    let (here, away): (Vec<usize>, Vec<usize>) = (0..known.size()).partition(|&device| comes(device));
    if here.is_empty() || away.is_empty() {
        return Ok(());
    }
    let axis = call.axis.name.as_deref().unwrap_or_default();
    let message = format!(
        "collective mismatch: {} wait{} in {} over axis '{axis}' for {}, which take{} another branch or leave{} the loop before",
        devices(&here),
        if here.len() == 1 { "s" } else { "" },
        call.op.name,
        devices(&away),
        if away.len() == 1 { "s" } else { "" },
        if away.len() == 1 { "s" } else { "" },
    );
    Err(cx.interp.error_with(
        &errors::jax_runtime(cx.interp),
        message,
        Diagnosis {
            code: "PL423",
            span: (call.span.end > call.span.start).then_some(call.span),
            labels: vec![(present.parted, "devices go different ways here".to_string())],
            help: Some(
                "let all devices come to every collective, in the same order: take it out of the branch, and choose among values \
                 (`jnp.where`) behind it"
                    .to_string(),
            ),
            ..Diagnosis::default()
        },
    ))
}

/// `device 3`, `devices 0, 1, 2`
fn devices(numbers: &[usize]) -> String {
    let listed: Vec<String> = numbers.iter().map(usize::to_string).collect();
    format!("device{} {}", if numbers.len() == 1 { "" } else { "s" }, listed.join(", "))
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
