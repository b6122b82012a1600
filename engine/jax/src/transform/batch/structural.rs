//! Ops with dimensions in their attributes: every dimension moves up by one to make room for the lanes.

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
    let axes = ["squeeze", "rev", "reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_and", "reduce_or"]
        .into_iter()
        .chain(["reduce_xor"])
        .map(|name| (name, shifted_axes as Rule));
    let axis = ["argmax", "argmin", "cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp", "concatenate", "sort"]
        .map(|name| (name, shifted_axis as Rule));
    let others: [(&str, Rule); 6] = [
        ("broadcast_in_dim", broadcast_in_dim),
        ("reshape", reshape),
        ("transpose", transpose),
        ("slice", slice),
        ("pad", pad),
        ("dot_general", dot_general),
    ];
    axes.chain(axis).chain(others)
}

/// Attributes with one replaced.
pub(super) fn replaced(attributes: &Attributes, name: &'static str, value: Attribute) -> Attributes {
    let mut attributes = attributes.clone();
    for (key, slot) in &mut attributes.0 {
        if *key == name {
            *slot = value.clone();
        }
    }
    attributes
}

fn ints(attributes: &Attributes, name: &str) -> Vec<i64> {
    attributes.ints(name).unwrap_or_default().to_vec()
}

fn prefixed(first: i64, rest: impl IntoIterator<Item = i64>) -> Attribute {
    Attribute::Ints(std::iter::once(first).chain(rest).collect())
}

/// The op again, on all operands with lanes.
pub(super) fn again(cx: &Context<'_>, call: &Call<'_>, attributes: Attributes) -> PyResult<Vec<Lane>> {
    let operands = call.operands.iter().map(|lane| lane.spread(cx, call.axis.size)).collect::<PyResult<Vec<_>>>()?;
    let operands: Vec<&Tile> = operands.iter().collect();
    Ok(cx.bind_all(call.op, &operands, attributes)?.into_iter().map(Lane::batched).collect())
}

/// Ops with `axes`.
fn shifted_axes(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let axes = ints(call.attributes, "axes").into_iter().map(|axis| axis + 1).collect();
    again(cx, call, replaced(call.attributes, "axes", Attribute::Ints(axes)))
}

/// Ops with `axis`.
fn shifted_axis(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let axis = call.attributes.int("axis").unwrap_or(0) + 1;
    again(cx, call, replaced(call.attributes, "axis", Attribute::Int(axis)))
}

fn broadcast_in_dim(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let shape = prefixed(call.axis.size as i64, ints(call.attributes, "shape"));
    let dims = prefixed(0, ints(call.attributes, "dims").into_iter().map(|dim| dim + 1));
    again(cx, call, replaced(&replaced(call.attributes, "shape", shape), "dims", dims))
}

fn reshape(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let shape = prefixed(call.axis.size as i64, ints(call.attributes, "shape"));
    again(cx, call, replaced(call.attributes, "shape", shape))
}

fn transpose(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let permutation = prefixed(0, ints(call.attributes, "permutation").into_iter().map(|dim| dim + 1));
    again(cx, call, replaced(call.attributes, "permutation", permutation))
}

fn slice(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let start = prefixed(0, ints(call.attributes, "start"));
    let limit = prefixed(call.axis.size as i64, ints(call.attributes, "limit"));
    let mut attributes = replaced(&replaced(call.attributes, "start", start), "limit", limit);
    let strides = ints(call.attributes, "strides");
    if !strides.is_empty() {
        attributes = replaced(&attributes, "strides", prefixed(1, strides));
    }
    again(cx, call, attributes)
}

/// Surroundings that differ from lane to lane are chosen by a mask, as lax does.
fn pad(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let attributes = ["low", "high", "interior"].iter().fold(call.attributes.clone(), |attributes, name| {
        let values = prefixed(0, ints(call.attributes, name));
        replaced(&attributes, name, values)
    });
    let x = call.operands[0].spread(cx, call.axis.size)?;
    let value = &call.operands[1];
    if !value.batched {
        return Ok(vec![Lane::batched(cx.bind(call.op, &[&x, &value.tile], attributes)?)]);
    }
    let zero = primitive::convert(cx, &primitive::scalar_like(&x, 0.0), x.dtype(), false)?;
    let padded = cx.bind(call.op, &[&x, &zero], attributes.clone())?;
    let inside = primitive::full(cx, x.shape(), DType::Bool, Scalar::Bool(true))?;
    let outside = primitive::scalar(DType::Bool, Scalar::Bool(false));
    let mask = cx.bind(call.op, &[&inside, &outside], attributes)?;
    let value = primitive::broadcast_in_dim(cx, &value.tile, padded.shape(), &[0])?;
    Ok(vec![Lane::batched(primitive::select(cx, &mask, &padded, &value)?)])
}

/// Lanes on both sides become a batch dimension, lanes on one side a free one (`_dot_batch_rule` of lax).
fn dot_general(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let lists = |name: &str| -> [Vec<i64>; 2] {
        match call.attributes.int_lists(name) {
            Some([a, b]) => [a.clone(), b.clone()],
            _ => [Vec::new(), Vec::new()],
        }
    };
    let shift = |dims: &[i64], by: bool| -> Vec<i64> { dims.iter().map(|&d| d + i64::from(by)).collect() };
    let [lhs, rhs] = [&call.operands[0], &call.operands[1]];
    let [contract_lhs, contract_rhs] = lists("contracting");
    let [batch_lhs, batch_rhs] = lists("batch");
    let contracting = vec![shift(&contract_lhs, lhs.batched), shift(&contract_rhs, rhs.batched)];
    let mut batch = vec![shift(&batch_lhs, lhs.batched), shift(&batch_rhs, rhs.batched)];
    if lhs.batched && rhs.batched {
        batch.iter_mut().for_each(|dims| dims.insert(0, 0));
    }
    let mut attributes = replaced(call.attributes, "contracting", Attribute::IntLists(contracting));
    attributes = match call.attributes.get("batch") {
        Some(_) => replaced(&attributes, "batch", Attribute::IntLists(batch)),
        None => attributes.with("batch", Attribute::IntLists(batch)),
    };
    let result = cx.bind(&ops::DOT_GENERAL, &[&lhs.tile, &rhs.tile], attributes)?;
    let place = match (lhs.batched, rhs.batched) {
        (true, true) => 0,
        (true, false) => batch_lhs.len(),
        _ => batch_lhs.len() + (lhs.rank() - contract_lhs.len() - batch_lhs.len()),
    };
    Ok(vec![Lane::batched(move_axes(cx, &result, &[place], &[0])?)])
}

/// `shape` with the lanes in front.
pub(super) fn with_lanes(size: usize, shape: &Shape) -> Shape {
    std::iter::once(size).chain(shape.iter().copied()).collect()
}
