//! Named axes: what `vmap(axis_name=...)` and `shard_map` map over while they trace, and which collectives ask for.
//!
//! The number of a lane is a parameter of the traced function, so that asking for it is no operation. Under `shard_map` it
//! is also known which values may differ from shard to shard ("varying"): sums of what is equal everywhere, and the
//! derivatives by it, depend on that.

use super::batch::Lane;
use super::flow::{self, Dependent};
use crate::context::Context;
use crate::primitive;
use crate::tile::{Tile, Traced};
use crate::trace::Trace;
use pallas_ir::{Attributes, Function, OpData, TensorType, ValueId};
use pallas_python::raise::PyResult;
use pallas_tensor::{DType, Scalar, Shape};
use std::rc::Rc;

/// A named axis that is being mapped over.
#[derive(Clone)]
pub struct NamedAxis {
    /// Its name.
    pub name: Rc<str>,
    /// How many lanes there are.
    pub size: usize,
    /// The trace of the function that is mapped.
    pub trace: Rc<Trace>,
    /// The lane's number: a parameter of the trace.
    pub lane: Tile,
    /// Of shards: which values may differ from shard to shard. `None` for the lanes of `vmap`.
    pub shards: Option<Shards>,
}

/// What is known of an axis of shards.
#[derive(Clone)]
pub struct Shards {
    /// The parameters that may differ from shard to shard; `None` where nobody asks (`check_vma=False`).
    pub varying: Option<Rc<[ValueId]>>,
}

impl NamedAxis {
    /// The parameters that may differ, where it is asked.
    pub fn varying(&self) -> Option<&[ValueId]> {
        self.shards.as_ref()?.varying.as_deref()
    }
}

/// The type of a lane's number.
pub fn lane_type() -> TensorType {
    TensorType::scalar(DType::I32)
}

/// Axes that functions inside may ask for, while it lasts.
pub struct Entered<'a> {
    cx: &'a Context<'a>,
    count: usize,
}

/// Makes axes known; the innermost last.
pub fn enter<'a>(cx: &'a Context<'a>, axes: Vec<NamedAxis>) -> Entered<'a> {
    let count = axes.len();
    cx.state.axes.borrow_mut().extend(axes);
    Entered { cx, count }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut axes = self.cx.state.axes.borrow_mut();
        let left = axes.len().saturating_sub(self.count);
        axes.truncate(left);
    }
}

/// The innermost axis of this name.
pub fn find(cx: &Context<'_>, name: &str) -> Option<NamedAxis> {
    cx.state.axes.borrow().iter().rev().find(|axis| *axis.name == *name).cloned()
}

/// The numbers of the lanes, as an argument for the parameter that stands for them. Nothing is computed for a parameter
/// that nobody uses.
pub fn lane_numbers(cx: &Context<'_>, function: &Function, param: ValueId, size: usize) -> PyResult<Lane> {
    let used = function.ops.iter().any(|op| op.operands.contains(&param))
        || function.regions.iter().any(|region| region.yields.contains(&param));
    if !used {
        return Ok(Lane::shared(primitive::scalar(DType::I32, Scalar::Int(0))));
    }
    Ok(Lane::batched(primitive::iota(cx, DType::I32, &Shape::from([size]), 0)?))
}

/// Operands of an op over a named axis as values of the trace that maps over it, or of one inside; `None` where nothing
/// has to be done. What comes from outside is equal in all lanes and becomes a further parameter.
pub fn anchored(cx: &Context<'_>, operands: &[&Tile], attributes: &Attributes) -> Option<Vec<Tile>> {
    let axis = find(cx, attributes.str("axis_name")?)?;
    let place = position(cx, &axis.trace);
    let inside = |tile: &Tile| matches!(tile, Tile::Traced(traced) if position(cx, &traced.trace) >= place);
    if place.is_none() || operands.iter().all(|tile| inside(tile)) {
        return None;
    }
    let anchor = |tile: &&Tile| match inside(tile) {
        true => Some((*tile).clone()),
        false => axis.trace.tile(axis.trace.lift(tile)),
    };
    operands.iter().map(anchor).collect()
}

/// The lanes of the axes that a kernel asks for: a launch belongs to the trace of these, whatever it is given.
pub fn asked_for(cx: &Context<'_>, kernel: &Function) -> Vec<Tile> {
    let names = kernel.ops.iter().filter_map(|op| match op.op.kind {
        pallas_ir::OpKind::Agent(_) => op.attributes.str("names"),
        _ if op.op.name == pallas_ir::ops::AXIS_INDEX.name => op.attributes.str("axis"),
        _ => None,
    });
    names.flat_map(|names| names.split(',')).filter_map(|name| find(cx, name)).map(|axis| axis.lane).collect()
}

/// How deep a trace lies among the open ones.
fn position(cx: &Context<'_>, trace: &Rc<Trace>) -> Option<usize> {
    cx.state.traces.borrow().iter().position(|open| Rc::ptr_eq(open, trace))
}

/// The values of a function that may differ along an axis if `seeds` do.
pub fn varying(function: &Function, axis: &str, seeds: impl IntoIterator<Item = ValueId>) -> Dependent {
    let over = |op: &OpData| op.attributes.str("axis_name") == Some(axis);
    let made = function.ops.iter().filter(|op| over(op) && op.op.name == "pvary").flat_map(|op| op.results.to_vec());
    let seeds: Vec<ValueId> = seeds.into_iter().chain(made).collect();
    flow::dependent(function, seeds, &|op, _| !(over(op) && makes_equal(op.op.name)))
}

/// Whether an op over an axis gives all lanes the same.
fn makes_equal(op: &str) -> bool {
    matches!(op, "psum" | "psum_invariant" | "pmax" | "pmin")
}

/// Whether the innermost shards check along which axes values vary (`check_vma`).
pub fn asks_what_varies(cx: &Context<'_>) -> bool {
    let axes = cx.state.axes.borrow();
    axes.iter().rev().find_map(|axis| axis.shards.as_ref()).is_some_and(|shards| shards.varying.is_some())
}

/// For each axis where it is asked: the values of `function` that may differ along it, given its arguments.
///
/// # Errors
/// `NotImplementedError` where it cannot be known yet.
pub fn varying_values(
    cx: &Context<'_>,
    function: &Function,
    arguments: &[Tile],
) -> PyResult<Vec<(Rc<str>, Dependent)>> {
    let axes: Vec<NamedAxis> = cx.state.axes.borrow().iter().filter(|axis| axis.varying().is_some()).cloned().collect();
    let mut found = Vec::with_capacity(axes.len());
    for axis in axes {
        let mut seeds = Vec::new();
        for (&param, argument) in function.params().iter().zip(arguments) {
            if varies(cx, &axis, argument)? {
                seeds.push(param);
            }
        }
        found.push((axis.name.clone(), varying(function, &axis.name, seeds)));
    }
    Ok(found)
}

/// Whether a tile may differ along an axis. Parameters of transformations inside are taken to.
///
/// # Errors
/// `NotImplementedError` for values of a loop or branch that is still open.
pub fn varies(cx: &Context<'_>, axis: &NamedAxis, tile: &Tile) -> PyResult<bool> {
    let Tile::Traced(Traced { trace, value, region, .. }) = tile else { return Ok(false) };
    if Rc::ptr_eq(trace, &axis.trace) {
        let seeds = axis.varying().unwrap_or_default().iter().copied();
        if !trace.is_body(*region) {
            return Err(cx.interp.not_implemented_error(
                "a derivative inside a loop or branch inside jax.shard_map, by a value of that loop or branch; the \
                 workbench does not provide this yet. Pass check_vma=False, and sum gradients with jax.lax.psum.",
            ));
        }
        return Ok(trace.with_function(|function| varying(function, &axis.name, seeds).contains(value)));
    }
    if position(cx, trace) < position(cx, &axis.trace) {
        return Ok(false);
    }
    match trace.lifted_as(*value) {
        Some(outer) => varies(cx, axis, &outer),
        None => Ok(true),
    }
}
