//! Functions whose derivatives JAX defines itself, not by those of the ops they are made of
//! (`defjvp`, `defjvps` in jax/_src/nn/functions.py and jax/_src/lax/other.py).

use crate::context::Context;
use crate::primitive as p;
use crate::tile::Tile;
use crate::transform::custom::{TileFunction, native};
use crate::transform::derive::zeros_like;
use pallas_ir::{OpDef, ops};
use pallas_python::raise::PyResult;

/// A function of one tile whose tangent passes where `open` says so, and is zero elsewhere (`relu`, `relu6`).
pub fn gated(
    cx: &Context<'_>,
    name: &str,
    x: &Tile,
    body: TileFunction,
    open: fn(&Context<'_>, &Tile) -> PyResult<Tile>,
) -> PyResult<Tile> {
    let primal = body.clone();
    native(cx, name, std::slice::from_ref(x), body, move |cx, primals, tangents| {
        let tangent = p::select(cx, &open(cx, &primals[0])?, &tangents[0], &zeros_like(cx, &tangents[0])?)?;
        Ok((primal(cx, primals)?, tangent))
    })
}

/// Softmax along `axes`: the tangent is `y * (t - sum(y * t))`, the sum over what `masked` keeps.
pub fn softmax(
    cx: &Context<'_>,
    x: &Tile,
    axes: &[usize],
    body: TileFunction,
    masked: impl Fn(&Context<'_>, &Tile) -> PyResult<Tile> + 'static,
) -> PyResult<Tile> {
    let primal = body.clone();
    let axes = axes.to_vec();
    native(cx, "_softmax", std::slice::from_ref(x), body, move |cx, primals, tangents| {
        let y = primal(cx, primals)?;
        let product = p::binary(cx, &ops::MUL, &y, &tangents[0])?;
        let total = p::reduce(cx, &ops::REDUCE_SUM, &masked(cx, &product)?, &axes)?;
        let total = p::broadcast_to(cx, &p::expand_dims(cx, &total, &axes)?, y.shape())?;
        let rest = p::binary(cx, &ops::SUB, &tangents[0], &total)?;
        let tangent = p::binary(cx, &ops::MUL, &y, &rest)?;
        Ok((y, tangent))
    })
}

/// `log(exp(a) + exp(b))` to the base of `power`: each tangent is weighted by its operand's share of the sum.
pub fn log_add_exp(cx: &Context<'_>, a: &Tile, b: &Tile, power: &'static OpDef, body: TileFunction) -> PyResult<Tile> {
    let primal = body.clone();
    native(cx, "logaddexp", &[a.clone(), b.clone()], body, move |cx, primals, tangents| {
        let y = primal(cx, primals)?;
        let level = finite(cx, &y)?;
        let part = |index: usize| {
            let distance = p::binary(cx, &ops::SUB, &finite(cx, &primals[index])?, &level)?;
            p::binary(cx, &ops::MUL, &tangents[index], &p::unary(cx, power, &distance)?)
        };
        let tangent = p::binary(cx, &ops::ADD, &part(0)?, &part(1)?)?;
        Ok((y, tangent))
    })
}

/// Positive infinity replaced by zero (`_replace_inf`).
fn finite(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let infinity = p::broadcast_to(cx, &p::scalar_like(x, f64::INFINITY), x.shape())?;
    let infinite = p::binary(cx, &ops::EQ, x, &infinity)?;
    p::select(cx, &infinite, &zeros_like(cx, x)?, x)
}
