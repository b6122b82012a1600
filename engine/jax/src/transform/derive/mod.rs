//! Derivatives: what a small change of the parameters does to the results (tangents, [`jvp`]), and what a weight on each
//! result says about each parameter (cotangents, [`vjp`]).
//!
//! The formulas, and the order of their operations, are those of JAX (`ad.defjvp`, `ad.deflinear` in jax/_src/lax), so
//! that the digits agree. Forward they are written on tangents; backward on cotangents, each op's rule undoing it
//! directly instead of transposing a linear program.

mod arithmetic;
mod collective;
mod control;
mod diagonal;
mod dot;
mod indexing;
mod jvp;
mod kernel;
mod pullback;
mod reduce;
mod running;
mod sort;
mod structural;
mod tape;

pub use jvp::{Dual, jvp};
pub use pullback::{Pullback, vjp};
pub use tape::check_linear;

use super::flow::{self, Dependent};
use crate::context::Context;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, Function, OpData, OpDef, OpKind, TensorType, Type, ValueId, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::Scalar;
use std::collections::HashMap;
use std::sync::LazyLock;

/// An op at a point. Values that a rule does not ask for may be types only.
pub struct Point<'a> {
    /// The op.
    pub op: &'static OpDef,
    /// Its attributes.
    pub attributes: &'a Attributes,
    /// Its operands.
    pub operands: &'a [Tile],
    /// Its results.
    pub results: &'a [Tile],
}

/// Tangents of the results from those of the operands; `None` for zero.
pub type Forward = fn(&Context<'_>, &Point<'_>, &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>>;

/// Cotangents of the operands from those of the results; only where wanted, `None` for zero.
pub type Reverse = fn(&Context<'_>, &Point<'_>, &[Option<Tile>], &[bool]) -> PyResult<Vec<Option<Tile>>>;

/// `f(g, x, y)`: a tangent or cotangent scaled element by element, for an op `y = op(x)`.
pub type Scale = fn(&Context<'_>, &Point<'_>, &Tile) -> PyResult<Tile>;

/// The derivative of an op.
#[derive(Clone, Copy)]
pub enum Derivative {
    /// Zero everywhere: comparisons, roundings, positions.
    Zero,
    /// One operand, element by element: each tangent is scaled by a number of its own.
    Diagonal {
        /// For tangents.
        forward: Scale,
        /// For cotangents: the same factors in the order in which JAX's transposition meets them.
        reverse: Scale,
    },
    /// The op itself, in all its float operands together.
    Linear(Reverse),
    /// Anything else.
    General(Forward, Reverse),
}

static RULES: LazyLock<HashMap<&'static str, Derivative>> = LazyLock::new(|| {
    diagonal::rules()
        .chain(arithmetic::rules())
        .chain(structural::rules())
        .chain(indexing::rules())
        .chain(reduce::rules())
        .chain(running::rules())
        .chain(dot::rules())
        .chain(sort::rules())
        .chain(collective::rules())
        .collect()
});

/// The derivative of an op; `None` where the workbench has none.
pub fn derivative(op: &OpDef) -> Option<Derivative> {
    RULES.get(op.name).copied()
}

/// Which values have a tangent if these parameters have one.
pub fn active(function: &Function, seeds: impl IntoIterator<Item = ValueId>) -> Dependent {
    flow::dependent(function, seeds, &|op, result| {
        let real = matches!(function.ty(result), Type::Tensor(ty) if ty.dtype.is_float());
        real && !stops(op)
    })
}

/// Whether no tangent comes through an op.
fn stops(op: &OpData) -> bool {
    matches!(op.op.kind, OpKind::Pure { .. }) && matches!(derivative(op.op.0), Some(Derivative::Zero))
}

/// Zeros of a type.
pub fn zeros(cx: &Context<'_>, ty: &TensorType) -> PyResult<Tile> {
    primitive::full(cx, &ty.shape, ty.dtype, Scalar::Float(0.0))
}

/// Zeros of a tile's type.
pub fn zeros_like(cx: &Context<'_>, like: &Tile) -> PyResult<Tile> {
    zeros(cx, &like.ty())
}

/// A number of a tile's dtype and shape.
pub fn full_like(cx: &Context<'_>, like: &Tile, value: f64) -> PyResult<Tile> {
    primitive::full(cx, like.shape(), like.dtype(), Scalar::Float(value))
}

/// A tangent, or zeros where there is none.
pub fn instantiate(cx: &Context<'_>, tangent: Option<Tile>, like: &Tile) -> PyResult<Tile> {
    match tangent {
        Some(tangent) => Ok(tangent),
        None => zeros_like(cx, like),
    }
}

/// The sum of what is there.
pub fn sum(cx: &Context<'_>, a: Option<Tile>, b: Option<Tile>) -> PyResult<Option<Tile>> {
    Ok(match (a, b) {
        (Some(a), Some(b)) => Some(add_any(cx, &a, &b)?),
        (a, b) => a.or(b),
    })
}

/// Two parts of one tangent or cotangent, summed: `add_any` in a jaxpr.
pub fn add_any(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    cx.bind(&ops::ADD, &[a, b], Attributes::none().with("any", Attribute::Bool(true)))
}

/// There is no derivative of an op.
pub fn undifferentiable(cx: &Context<'_>, op: &str) -> Box<pallas_python::Stop> {
    cx.interp.error(
        &cx.interp.types().not_implemented_error,
        format!("Differentiation rule for '{op}' not implemented (the workbench does not provide it yet)"),
    )
}
