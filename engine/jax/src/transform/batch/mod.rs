//! Evaluates a traced function on lanes: many values of each parameter at once (jax/_src/interpreters/batching.py).
//!
//! The lanes of a tile always stand along its first dimension. The arguments of `vmap` are moved there and its results
//! back; JAX keeps them where they are and gets the same values.

mod collective;
mod control;
mod elementwise;
mod fetched;
mod indexing;
mod launch;
mod structural;

use super::eval::unsupported;
use super::flow::{self, Dependent};
use super::walk::{Env, Walker};
use crate::context::Context;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attributes, Function, OpData, OpDef, OpId, OpKind};
use pallas_python::raise::PyResult;
use pallas_syntax::Span;
use pallas_tensor::Shape;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

/// A value under `vmap`.
#[derive(Clone)]
pub struct Lane {
    /// The value; with its lanes along the first dimension if it has any.
    pub tile: Tile,
    /// Whether it has lanes. Without, every lane sees the same value.
    pub batched: bool,
}

/// What is mapped over.
#[derive(Clone)]
pub struct Axis {
    /// How many lanes there are.
    pub size: usize,
    /// What collectives call it.
    pub name: Option<Rc<str>>,
    /// Whether it is an axis of a mesh of devices.
    pub shards: bool,
}

/// What an op does to lanes. At least one operand has lanes, collectives excepted.
pub struct Call<'a> {
    /// The op.
    pub op: &'static OpDef,
    /// Its attributes.
    pub attributes: &'a Attributes,
    /// Its operands.
    pub operands: Vec<Lane>,
    /// What is mapped over.
    pub axis: &'a Axis,
    /// Which devices come to the op, where not all of them may.
    pub present: Option<Present>,
    /// The expression that made the op.
    pub span: Span,
}

/// A rule: the results of an op on lanes.
pub type Rule = fn(&Context<'_>, &Call<'_>) -> PyResult<Vec<Lane>>;

static RULES: LazyLock<HashMap<&'static str, Rule>> = LazyLock::new(|| {
    elementwise::rules().chain(structural::rules()).chain(indexing::rules()).chain(collective::rules()).collect()
});

/// Whether there is a rule for an op.
#[cfg(test)]
pub(super) fn has_rule(op: &str) -> bool {
    RULES.contains_key(op)
}

impl Lane {
    /// A value with lanes.
    pub fn batched(tile: Tile) -> Self {
        Lane { tile, batched: true }
    }

    /// A value that is the same in every lane.
    pub fn shared(tile: Tile) -> Self {
        Lane { tile, batched: false }
    }

    /// Number of dimensions in one lane.
    pub fn rank(&self) -> usize {
        self.tile.rank() - usize::from(self.batched)
    }

    /// Shape of one lane.
    pub fn shape(&self) -> Shape {
        self.tile.shape().iter().skip(usize::from(self.batched)).copied().collect()
    }

    /// The tile with lanes, copied into each if there were none.
    pub fn spread(&self, cx: &Context<'_>, size: usize) -> PyResult<Tile> {
        if self.batched {
            return Ok(self.tile.clone());
        }
        let shape: Shape = std::iter::once(size).chain(self.tile.shape().iter().copied()).collect();
        let dims: Vec<usize> = (1..=self.tile.rank()).collect();
        primitive::broadcast_in_dim(cx, &self.tile, &shape, &dims)
    }
}

/// Evaluates `function` on lanes.
///
/// # Errors
/// What its ops raise; `NotImplementedError` where an op has no rule.
pub fn batch(cx: &Context<'_>, function: &Function, arguments: Vec<Lane>, axis: &Axis) -> PyResult<Vec<Lane>> {
    let seeds: Vec<_> =
        function.params().iter().zip(&arguments).filter(|(_, lane)| lane.batched).map(|(&param, _)| param).collect();
    let named = axis.name.is_some();
    let mut lanes = flow::dependent(function, seeds, &|_, _| true);
    if named {
        // What a collective gives may differ from lane to lane whatever it is given.
        let own = |op: &&OpData| {
            collective::asks_for_lane(op, axis) || launch::asks_for_lane(op, axis) || launch::is_of_all(op, axis)
        };
        let asks = function.ops.iter().filter(own);
        let asked = asks.flat_map(|op| op.results.to_vec());
        lanes = flow::dependent(function, lanes.into_iter().chain(asked), &|_, _| true);
    }
    let mut env = Env::new(function);
    env.set_all(function.params(), arguments);
    Batch { axis, lanes, present: None }.region(cx, function, function.body, &mut env)
}

struct Batch<'a> {
    axis: &'a Axis,
    /// Values that may differ from lane to lane.
    lanes: Dependent,
    /// Which devices take the branch or go round the loop that is evaluated, where that differs.
    present: Option<Present>,
}

/// Devices that come somewhere.
#[derive(Clone)]
pub struct Present {
    /// A truth value for each.
    pub devices: Tile,
    /// The condition or loop where they went different ways last.
    pub parted: Span,
}

impl Walker for Batch<'_> {
    type Value = Lane;

    fn op(&mut self, cx: &Context<'_>, function: &Function, id: OpId, env: &mut Env<Lane>) -> PyResult<Vec<Lane>> {
        let op = function.op(id);
        let operands = env.all(cx, &op.operands)?;
        if let OpKind::Control(kind) = op.op.kind {
            return self.control(cx, function, op, kind, operands, env);
        }
        let is_launch = matches!(op.op.kind, OpKind::Launch);
        let collective = collective::is_over(op, self.axis)
            || launch::asks_for_lane(op, self.axis)
            || (is_launch && self.present.is_some());
        if !collective && operands.iter().all(|lane| !lane.batched) {
            return shared(cx, function, id, operands);
        }
        let span = place(function, op);
        let call = Call {
            op: op.op.0,
            attributes: &op.attributes,
            operands,
            axis: self.axis,
            present: self.present.clone(),
            span,
        };
        if is_launch {
            return launch::rule(cx, &call);
        }
        if let OpKind::Effect(_) = op.op.kind {
            return control::effect(cx, &call);
        }
        match RULES.get(op.op.name) {
            Some(rule) => rule(cx, &call),
            None => Err(unsupported(cx, "batching rule", op.op.name)),
        }
    }
}

/// The expression that made an op.
fn place(function: &Function, op: &OpData) -> Span {
    function.locations.get(op.location.0 as usize).map_or_else(Span::default, |place| place.span)
}

/// An op that no lane makes a difference to.
fn shared(cx: &Context<'_>, function: &Function, id: OpId, operands: Vec<Lane>) -> PyResult<Vec<Lane>> {
    let mut env = Env::new(function);
    env.set_all(&function.op(id).operands, operands.into_iter().map(|lane| lane.tile));
    let results = super::eval::Plain.op(cx, function, id, &mut env)?;
    Ok(results.into_iter().map(Lane::shared).collect())
}
