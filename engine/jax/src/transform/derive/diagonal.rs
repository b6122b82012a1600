//! Elementwise functions of one operand, and ops whose derivative is zero everywhere.

use super::{Derivative, Point, Scale, full_like};
use crate::context::Context;
use crate::primitive::{binary, select, unary};
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, OpDef, ops};
use pallas_python::raise::PyResult;

/// Ops whose results do not change with small changes of the operands.
const ZERO: &[&str] = &[
    "sign",
    "floor",
    "ceil",
    "round",
    "is_finite",
    "not",
    "population_count",
    "clz",
    "and",
    "or",
    "xor",
    "shift_left",
    "shift_right_logical",
    "shift_right_arithmetic",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "bitcast_convert_type",
    "axis_index",
    "constant",
    "iota",
    "argmax",
    "argmin",
    "reduce_and",
    "reduce_or",
    "reduce_xor",
    "random_bits",
    "random_split",
    "random_fold_in",
    "random_seed",
    "random_wrap",
    "random_unwrap",
    "threefry2x32",
    "stop_gradient",
    "nextafter",
];

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Derivative)> {
    let same: [(&str, Scale); 26] = [
        ("neg", |cx, _, g| unary(cx, &ops::NEG, g)),
        ("abs", abs),
        ("exp", |cx, at, g| mul(cx, g, &at.results[0])),
        ("expm1", |cx, at, g| {
            let y = &at.results[0];
            mul(cx, g, &add(cx, y, &full_like(cx, y, 1.0)?)?)
        }),
        ("log", |cx, at, g| div(cx, g, &at.operands[0])),
        ("log1p", |cx, at, g| div(cx, g, &add(cx, &at.operands[0], &full_like(cx, g, 1.0)?)?)),
        ("sin", |cx, at, g| mul(cx, g, &unary(cx, &ops::COS, &at.operands[0])?)),
        ("cos", |cx, at, g| unary(cx, &ops::NEG, &mul(cx, g, &unary(cx, &ops::SIN, &at.operands[0])?)?)),
        ("tan", |cx, at, g| mul(cx, g, &add(cx, &full_like(cx, g, 1.0)?, &square(cx, &at.results[0])?)?)),
        ("asin", |cx, at, g| mul(cx, g, &unary(cx, &ops::RSQRT, &one_minus_square(cx, at)?)?)),
        ("acos", |cx, at, g| {
            let root = unary(cx, &ops::RSQRT, &one_minus_square(cx, at)?)?;
            mul(cx, g, &unary(cx, &ops::NEG, &root)?)
        }),
        ("atan", |cx, at, g| div(cx, g, &add(cx, &full_like(cx, g, 1.0)?, &square(cx, &at.operands[0])?)?)),
        ("sinh", |cx, at, g| mul(cx, g, &unary(cx, &ops::COSH, &at.operands[0])?)),
        ("cosh", |cx, at, g| mul(cx, g, &unary(cx, &ops::SINH, &at.operands[0])?)),
        ("asinh", |cx, at, g| {
            let inside = add(cx, &square(cx, &at.operands[0])?, &full_like(cx, g, 1.0)?)?;
            mul(cx, g, &unary(cx, &ops::RSQRT, &inside)?)
        }),
        ("acosh", |cx, at, g| {
            let inside = sub(cx, &square(cx, &at.operands[0])?, &full_like(cx, g, 1.0)?)?;
            mul(cx, g, &unary(cx, &ops::RSQRT, &inside)?)
        }),
        ("logistic", |cx, at, g| {
            let y = &at.results[0];
            mul(cx, g, &mul(cx, y, &sub(cx, &full_like(cx, y, 1.0)?, y)?)?)
        }),
        ("sqrt", |cx, at, g| mul(cx, g, &div(cx, &full_like(cx, g, 0.5)?, &at.results[0])?)),
        ("rsqrt", |cx, at, g| {
            let ratio = div(cx, &at.results[0], &at.operands[0])?;
            mul(cx, g, &mul(cx, &full_like(cx, g, -0.5)?, &ratio)?)
        }),
        ("cbrt", |cx, at, g| {
            let power = integer_pow(cx, &at.results[0], -2)?;
            mul(cx, g, &mul(cx, &full_like(cx, g, 1.0 / 3.0)?, &power)?)
        }),
        ("square", |cx, at, g| mul(cx, g, &mul(cx, &full_like(cx, g, 2.0)?, &at.operands[0])?)),
        ("integer_pow", power),
        ("digamma", |cx, at, g| mul(cx, g, &trigamma(cx, &at.operands[0])?)),
        ("lgamma", |cx, at, g| mul(cx, g, &unary(cx, &ops::DIGAMMA, &at.operands[0])?)),
        ("convert_element_type", |cx, at, g| {
            crate::primitive::convert(cx, g, at.results[0].dtype(), at.results[0].weak())
        }),
        ("reduce_precision", |cx, at, g| cx.bind(at.op, &[g], at.attributes.clone())),
    ];
    // Formulas of several factors: transposition takes them in the opposite order.
    let ordered: [(&str, Scale, Scale); 5] = [
        ("exp2", exp2_forward, |cx, at, g| {
            let scaled = mul(cx, &log_two(cx, g)?, g)?;
            mul(cx, &scaled, &at.results[0])
        }),
        ("tanh", tanh_forward, |cx, at, g| {
            let y = &at.results[0];
            let scaled = mul(cx, g, &sub(cx, &full_like(cx, y, 1.0)?, y)?)?;
            add(cx, &scaled, &mul(cx, &scaled, y)?)
        }),
        ("atanh", atanh, atanh_reverse),
        ("erf", |cx, at, g| erf(cx, at, g, TWO_OVER_ROOT_PI), |cx, at, g| erf_reverse(cx, at, g, TWO_OVER_ROOT_PI)),
        ("erfc", |cx, at, g| erf(cx, at, g, -TWO_OVER_ROOT_PI), |cx, at, g| erf_reverse(cx, at, g, -TWO_OVER_ROOT_PI)),
    ];
    let inverse: (&str, Scale, Scale) = ("erf_inv", erf_inv, erf_inv_reverse);
    let zero = ZERO.iter().map(|&name| (name, Derivative::Zero));
    let same = same.into_iter().map(|(name, scale)| {
        let reverse: Scale = if name == "convert_element_type" { convert_back } else { scale };
        (name, Derivative::Diagonal { forward: scale, reverse })
    });
    let ordered = ordered.into_iter().chain([inverse]);
    zero.chain(same).chain(ordered.map(|(name, forward, reverse)| (name, Derivative::Diagonal { forward, reverse })))
}

const TWO_OVER_ROOT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;

pub(super) fn add(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    binary(cx, &ops::ADD, a, b)
}

pub(super) fn sub(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    binary(cx, &ops::SUB, a, b)
}

pub(super) fn mul(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    binary(cx, &ops::MUL, a, b)
}

pub(super) fn div(cx: &Context<'_>, a: &Tile, b: &Tile) -> PyResult<Tile> {
    binary(cx, &ops::DIV, a, b)
}

pub(super) fn square(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    unary(cx, &ops::SQUARE, x)
}

/// `x ** y` for a known `y`.
pub(super) fn integer_pow(cx: &Context<'_>, x: &Tile, y: i64) -> PyResult<Tile> {
    cx.bind(&ops::INTEGER_POW, &[x], Attributes::none().with("y", Attribute::Int(y)))
}

/// Compares two tiles.
pub(super) fn compare(cx: &Context<'_>, op: &'static OpDef, a: &Tile, b: &Tile) -> PyResult<Tile> {
    binary(cx, op, a, b)
}

fn abs(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let x = &at.operands[0];
    let positive = compare(cx, &ops::GE, x, &full_like(cx, x, 0.0)?)?;
    select(cx, &positive, g, &unary(cx, &ops::NEG, g)?)
}

fn one_minus_square(cx: &Context<'_>, at: &Point<'_>) -> PyResult<Tile> {
    let x = &at.operands[0];
    sub(cx, &full_like(cx, x, 1.0)?, &square(cx, x)?)
}

fn power(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let (x, y) = (&at.operands[0], at.attributes.int("y").unwrap_or(0));
    match y {
        0 => full_like(cx, g, 0.0),
        1 => Ok(g.clone()),
        2 => mul(cx, g, &mul(cx, &full_like(cx, x, 2.0)?, x)?),
        _ => mul(cx, g, &mul(cx, &full_like(cx, x, y as f64)?, &integer_pow(cx, x, y - 1)?)?),
    }
}

fn convert_back(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    crate::primitive::convert(cx, g, at.operands[0].dtype(), at.operands[0].weak())
}

fn log_two(cx: &Context<'_>, like: &Tile) -> PyResult<Tile> {
    unary(cx, &ops::LOG, &full_like(cx, like, 2.0)?)
}

fn exp2_forward(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    mul(cx, &log_two(cx, g)?, &mul(cx, g, &at.results[0])?)
}

fn tanh_forward(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let y = &at.results[0];
    let sum = add(cx, g, &mul(cx, g, y)?)?;
    mul(cx, &sum, &sub(cx, &full_like(cx, y, 1.0)?, y)?)
}

/// `1 / (1 + x)` and `1 - x`.
fn atanh_factors(cx: &Context<'_>, at: &Point<'_>) -> PyResult<(Tile, Tile)> {
    let x = &at.operands[0];
    let one = full_like(cx, x, 1.0)?;
    Ok((div(cx, &one, &add(cx, &one, x)?)?, sub(cx, &one, x)?))
}

fn atanh(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let (reciprocal, rest) = atanh_factors(cx, at)?;
    mul(cx, &reciprocal, &div(cx, g, &rest)?)
}

fn atanh_reverse(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let (reciprocal, rest) = atanh_factors(cx, at)?;
    div(cx, &mul(cx, &reciprocal, g)?, &rest)
}

fn bell(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    unary(cx, &ops::EXP, &unary(cx, &ops::NEG, &square(cx, x)?)?)
}

fn erf(cx: &Context<'_>, at: &Point<'_>, g: &Tile, factor: f64) -> PyResult<Tile> {
    mul(cx, &full_like(cx, g, factor)?, &mul(cx, g, &bell(cx, &at.operands[0])?)?)
}

fn erf_reverse(cx: &Context<'_>, at: &Point<'_>, g: &Tile, factor: f64) -> PyResult<Tile> {
    let scaled = mul(cx, &full_like(cx, g, factor)?, g)?;
    mul(cx, &scaled, &bell(cx, &at.operands[0])?)
}

fn erf_inv(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let bell = unary(cx, &ops::EXP, &square(cx, &at.results[0])?)?;
    mul(cx, &full_like(cx, g, 1.0 / TWO_OVER_ROOT_PI)?, &mul(cx, g, &bell)?)
}

fn erf_inv_reverse(cx: &Context<'_>, at: &Point<'_>, g: &Tile) -> PyResult<Tile> {
    let bell = unary(cx, &ops::EXP, &square(cx, &at.results[0])?)?;
    mul(cx, &mul(cx, &full_like(cx, g, 1.0 / TWO_OVER_ROOT_PI)?, g)?, &bell)
}

/// The derivative of `digamma`, which is a composition.
fn trigamma(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let function = cx.interp.get_attr(&cx.interp.import("jax._src.lax.special")?, "polygamma")?;
    let order = crate::convert::value(cx, full_like(cx, x, 1.0)?);
    let result = crate::transform::custom::python(cx, &function, vec![order, crate::convert::value(cx, x.clone())])?;
    crate::convert::tile(cx, &result, "polygamma")
}
