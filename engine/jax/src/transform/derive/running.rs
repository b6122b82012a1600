//! Running products and extremes. Tangents are combined as the values are: pairs of a value and its tangent, by doubling
//! (jax/_src/lax/control_flow/loops.py differentiates its associative scan to the same end). The way back is that of the
//! tangents, traced.

use super::diagonal::{add, compare, div, mul};
use super::{Derivative, Point, full_like, vjp, zeros_like};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::primitive::{self, binary, select};
use crate::tile::Tile;
use crate::transform::stage::{Outcome, stage};
use pallas_ir::ops;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Derivative)> {
    ["cumprod", "cummax", "cummin"].into_iter().map(|name| (name, Derivative::General(forward, reverse)))
}

/// A value and its tangent.
type Pair = (Tile, Tile);

fn forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(tangent)) = tangents.first() else { return Ok(vec![None]) };
    let axis = at.attributes.int("axis").unwrap_or(0) as usize;
    let reverse = at.attributes.flag("reverse");
    let mut pair = (at.operands[0].clone(), tangent.clone());
    let extent = pair.0.shape()[axis];
    let mut distance = 1;
    while distance < extent {
        pair = doubled(cx, at.op.name, pair, axis, distance, reverse)?;
        distance *= 2;
    }
    Ok(vec![Some(pair.1)])
}

/// Each element combined with the one `distance` before it (after it, in reverse), where there is one.
fn doubled(cx: &Context<'_>, op: &str, pair: Pair, axis: usize, distance: usize, reverse: bool) -> PyResult<Pair> {
    let extent = pair.0.shape()[axis];
    let part = |tile: &Tile, from: usize, to: usize| {
        let mut start = vec![0; tile.rank()];
        let mut limit = tile.shape().to_vec();
        (start[axis], limit[axis]) = (from, to);
        primitive::slice(cx, tile, &start, &limit, &vec![1; tile.rank()])
    };
    let parts = |from: usize, to: usize| -> PyResult<Pair> { Ok((part(&pair.0, from, to)?, part(&pair.1, from, to)?)) };
    let (low, high) = (parts(0, extent - distance)?, parts(distance, extent)?);
    let (near, far, rest) =
        if reverse { (low, high, parts(extent - distance, extent)?) } else { (high, low, parts(0, distance)?) };
    let combined = combine(cx, op, &far, &near)?;
    let joined = |combined: &Tile, rest: &Tile| {
        let ordered = if reverse { [combined, rest] } else { [rest, combined] };
        primitive::concatenate(cx, &ordered, axis)
    };
    Ok((joined(&combined.0, &rest.0)?, joined(&combined.1, &rest.1)?))
}

fn combine(cx: &Context<'_>, op: &str, a: &Pair, b: &Pair) -> PyResult<Pair> {
    if op == "cumprod" {
        let tangent = add(cx, &mul(cx, &a.1, &b.0)?, &mul(cx, &a.0, &b.1)?)?;
        return Ok((mul(cx, &a.0, &b.0)?, tangent));
    }
    let value = binary(cx, if op == "cummax" { &ops::MAX } else { &ops::MIN }, &a.0, &b.0)?;
    let share = |x: &Tile, y: &Tile| {
        let (zero, one) = (full_like(cx, &value, 0.0)?, full_like(cx, &value, 1.0)?);
        let top = select(cx, &compare(cx, &ops::EQ, x, &value)?, &one, &zero)?;
        let bottom = select(cx, &compare(cx, &ops::EQ, y, &value)?, &full_like(cx, &value, 2.0)?, &one)?;
        div(cx, &top, &bottom)
    };
    let first = mul(cx, &a.1, &share(&a.0, &b.0)?)?;
    let second = mul(cx, &b.1, &share(&b.0, &a.0)?)?;
    let tangent = add(cx, &first, &second)?;
    Ok((value, tangent))
}

/// The way back through [`forward`], which is linear in the tangent.
fn reverse(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    _wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(cotangent)) = cotangents.first() else { return Ok(vec![None]) };
    let types = [at.operands[0].ty()];
    let outcome = stage(cx, "transpose", true, &types, |tiles| {
        let tangents: Vec<Option<Tile>> = tiles.into_iter().map(Some).collect();
        let results = forward(cx, at, &tangents)?;
        let values = results.into_iter().flatten().map(|tile| Value::object(ArrayObject { tile }));
        Ok(Value::tuple(values.collect::<Vec<_>>()))
    })?;
    let Outcome::Staged(staged) = outcome else { return Ok(vec![None]) };
    let mut arguments = vec![zeros_like(cx, &at.operands[0])?];
    arguments.extend(staged.lifted);
    let mut wanted = vec![false; arguments.len()];
    wanted[0] = true;
    let (_, back) = vjp(cx, staged.function, arguments, &wanted)?;
    let mut given = back.apply(cx, vec![Some(cotangent.clone())])?;
    given.truncate(1);
    Ok(given)
}
