//! Elementwise ops of several operands.

use super::diagonal::{add, compare, div, integer_pow, mul, square, sub};
use super::{Derivative, Point, full_like, instantiate, sum, zeros_like};
use crate::context::Context;
use crate::primitive::{self, select, unary};
use crate::tile::Tile;
use pallas_ir::{Attributes, OpDef, ops};
use pallas_python::raise::PyResult;

/// What `g` becomes on its way through operand 0 or 1.
type Partial = fn(&Context<'_>, &Point<'_>, &Tile) -> PyResult<Tile>;

/// The two partial derivatives of an op of two operands.
fn partials(name: &str) -> Option<[Partial; 2]> {
    Some(match name {
        "add" => [|_, _, g| Ok(g.clone()), |_, _, g| Ok(g.clone())],
        "sub" => [|_, _, g| Ok(g.clone()), |cx, _, g| unary(cx, &ops::NEG, g)],
        "mul" => [|cx, at, g| mul(cx, g, &at.operands[1]), |cx, at, g| mul(cx, &at.operands[0], g)],
        "rem" => [
            |_, _, g| Ok(g.clone()),
            |cx, at, g| {
                let ratio = div(cx, &at.operands[0], &at.operands[1])?;
                let whole = unary(cx, &ops::FLOOR, &unary(cx, &ops::ABS, &ratio)?)?;
                mul(cx, &unary(cx, &ops::NEG, g)?, &mul(cx, &unary(cx, &ops::SIGN, &ratio)?, &whole)?)
            },
        ],
        "max" | "min" => [|cx, at, g| balanced(cx, at, g, 0), |cx, at, g| balanced(cx, at, g, 1)],
        "atan2" => [
            |cx, at, g| mul(cx, g, &div(cx, &at.operands[1], &radius(cx, at)?)?),
            |cx, at, g| mul(cx, g, &div(cx, &unary(cx, &ops::NEG, &at.operands[0])?, &radius(cx, at)?)?),
        ],
        "pow" => [power_base, power_exponent],
        "div" => [
            |cx, at, g| div(cx, g, &at.operands[1]),
            |cx, at, g| {
                let scaled = mul(cx, &unary(cx, &ops::NEG, g)?, &at.operands[0])?;
                mul(cx, &scaled, &integer_pow(cx, &at.operands[1], -2)?)
            },
        ],
        _ => return None,
    })
}

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Derivative)> {
    let pairs = ["add", "sub", "mul", "div", "rem", "max", "min", "atan2", "pow"];
    let pairs = pairs.into_iter().map(|name| (name, Derivative::General(pair_forward, pair_reverse)));
    pairs.chain([
        ("select_n", Derivative::General(select_forward, select_reverse)),
        ("clamp", Derivative::General(clamp_forward, clamp_reverse)),
    ])
}

fn pair_forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let Some(partials) = partials(at.op.name) else { return Ok(vec![None]) };
    if let ("sub", [Some(a), Some(b)]) = (at.op.name, tangents) {
        return Ok(vec![Some(sub(cx, a, b)?)]);
    }
    let mut total = None;
    for (partial, tangent) in partials.iter().zip(tangents) {
        if let Some(tangent) = tangent {
            total = sum(cx, total, Some(partial(cx, at, tangent)?))?;
        }
    }
    Ok(vec![total])
}

fn pair_reverse(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let (Some(partials), Some(Some(g))) = (partials(at.op.name), cotangents.first()) else {
        return Ok(vec![None, None]);
    };
    if let ("div", [_, true]) = (at.op.name, wanted) {
        // Transposition meets the factors of the second partial from the other end.
        let power = integer_pow(cx, &at.operands[1], -2)?;
        let scaled = mul(cx, &mul(cx, g, &power)?, &at.operands[0])?;
        let first = if wanted[0] { Some(partials[0](cx, at, g)?) } else { None };
        return Ok(vec![first, Some(unary(cx, &ops::NEG, &scaled)?)]);
    }
    partials
        .iter()
        .zip(wanted)
        .map(|(partial, &wanted)| if wanted { partial(cx, at, g).map(Some) } else { Ok(None) })
        .collect()
}

/// `1` where only this operand is the result, `1/2` where both are, else `0` (`_balanced_eq`).
fn balanced(cx: &Context<'_>, at: &Point<'_>, g: &Tile, which: usize) -> PyResult<Tile> {
    let (x, y, z) = (&at.operands[which], &at.operands[1 - which], &at.results[0]);
    let [zero, one, two] = [full_like(cx, z, 0.0)?, full_like(cx, z, 1.0)?, full_like(cx, z, 2.0)?];
    let top = select(cx, &compare(cx, &ops::EQ, x, z)?, &one, &zero)?;
    let bottom = select(cx, &compare(cx, &ops::EQ, y, z)?, &two, &one)?;
    mul(cx, g, &div(cx, &top, &bottom)?)
}

fn radius(cx: &Context<'_>, at: &Point<'_>) -> PyResult<Tile> {
    add(cx, &square(cx, &at.operands[0])?, &square(cx, &at.operands[1])?)
}

/// Zeros replaced by ones (`_replace_zero`).
fn without_zero(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let zero = compare(cx, &ops::EQ, x, &full_like(cx, x, 0.0)?)?;
    select(cx, &zero, &full_like(cx, x, 1.0)?, x)
}

fn power_base(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let x = &at.operands[0];
    let integer = !at.operands[1].dtype().is_float();
    let y = primitive::convert(cx, &at.operands[1], x.dtype(), x.weak())?;
    let less = primitive::binary(cx, &ops::POW, x, &sub(cx, &y, &full_like(cx, &y, 1.0)?)?)?;
    if !integer {
        return mul(cx, g, &mul(cx, &y, &less)?);
    }
    let zero = full_like(cx, &y, 0.0)?;
    let slope = mul(cx, &without_zero(cx, &y)?, &less)?;
    mul(cx, g, &select(cx, &compare(cx, &ops::EQ, &y, &zero)?, &zero, &slope)?)
}

fn power_exponent(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let log = unary(cx, &ops::LOG, &without_zero(cx, &at.operands[0])?)?;
    mul(cx, g, &mul(cx, &log, &at.results[0])?)
}

fn select_forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let mut operands = vec![at.operands[0].clone()];
    for (tangent, case) in tangents[1..].iter().zip(&at.operands[1..]) {
        operands.push(instantiate(cx, tangent.clone(), case)?);
    }
    let operands: Vec<&Tile> = operands.iter().collect();
    Ok(vec![Some(cx.bind(&ops::SELECT_N, &operands, Attributes::none())?)])
}

fn select_reverse(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let mut given = vec![None; at.operands.len()];
    let Some(Some(g)) = cotangents.first() else { return Ok(given) };
    let zero = zeros_like(cx, g)?;
    for (index, slot) in given.iter_mut().enumerate().skip(1).filter(|(index, _)| wanted[*index]) {
        let cases: Vec<&Tile> = (1..at.operands.len()).map(|case| if case == index { g } else { &zero }).collect();
        let operands: Vec<&Tile> = std::iter::once(&at.operands[0]).chain(cases).collect();
        *slot = Some(cx.bind(&ops::SELECT_N, &operands, Attributes::none())?);
    }
    Ok(given)
}

/// Where the result of a clamp is operand `which`: low bound, value, high bound.
fn clamped(cx: &Context<'_>, at: &Point<'_>, which: usize) -> PyResult<Tile> {
    let shape = at.results[0].shape();
    let spread = |index: usize| primitive::broadcast_to(cx, &at.operands[index], shape);
    let (low, x, high) = (spread(0)?, spread(1)?, spread(2)?);
    let both = |a: Tile, b: Tile| primitive::binary(cx, &ops::AND, &a, &b);
    let test = |op: &'static OpDef, a: &Tile, b: &Tile| compare(cx, op, a, b);
    match which {
        0 => both(test(&ops::GT, &low, &x)?, test(&ops::LT, &low, &high)?),
        1 => both(test(&ops::GT, &x, &low)?, test(&ops::LT, &x, &high)?),
        _ => test(&ops::LT, &high, &x),
    }
}

fn clamp_forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let mut total = None;
    for (which, tangent) in tangents.iter().enumerate() {
        let Some(tangent) = tangent else { continue };
        let tangent = primitive::broadcast_to(cx, tangent, at.results[0].shape())?;
        let zero = zeros_like(cx, &tangent)?;
        total = sum(cx, total, Some(select(cx, &clamped(cx, at, which)?, &tangent, &zero)?))?;
    }
    Ok(vec![total])
}

fn clamp_reverse(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let mut given = vec![None; 3];
    let Some(Some(g)) = cotangents.first() else { return Ok(given) };
    for (which, slot) in given.iter_mut().enumerate().filter(|(which, _)| wanted[*which]) {
        let part = select(cx, &clamped(cx, at, which)?, g, &zeros_like(cx, g)?)?;
        let scalar = at.operands[which].rank() < part.rank();
        let axes: Vec<usize> = (0..part.rank()).collect();
        *slot = Some(if scalar { primitive::reduce(cx, &ops::REDUCE_SUM, &part, &axes)? } else { part });
    }
    Ok(given)
}
