//! Ops that take positions from operands: linear in what they move.

use super::{Derivative, Point, instantiate, zeros_like};
use crate::context::Context;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::raise::PyResult;

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Derivative)> {
    [
        ("dynamic_slice", Derivative::Linear(slice_back)),
        ("dynamic_update_slice", Derivative::Linear(update_back)),
        ("gather", Derivative::Linear(gather_back)),
        ("scatter", Derivative::General(scatter_forward, scatter_back)),
    ]
    .into_iter()
}

fn none(at: &Point<'_>) -> Vec<Option<Tile>> {
    vec![None; at.operands.len()]
}

fn slice_back(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    _wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let mut given = none(at);
    let Some(Some(g)) = cotangents.first() else { return Ok(given) };
    let zeros = zeros_like(cx, &at.operands[0])?;
    let operands: Vec<&Tile> = [&zeros, g].into_iter().chain(&at.operands[1..]).collect();
    given[0] = Some(cx.bind(&ops::DYNAMIC_UPDATE_SLICE, &operands, Attributes::none())?);
    Ok(given)
}

fn update_back(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let mut given = none(at);
    let Some(Some(g)) = cotangents.first() else { return Ok(given) };
    let (update, starts) = (&at.operands[1], &at.operands[2..]);
    if wanted[0] {
        let zeros = zeros_like(cx, update)?;
        let operands: Vec<&Tile> = [g, &zeros].into_iter().chain(starts).collect();
        given[0] = Some(cx.bind(at.op, &operands, Attributes::none())?);
    }
    if wanted[1] {
        let operands: Vec<&Tile> = std::iter::once(g).chain(starts).collect();
        let sizes = Attribute::Ints(update.shape().iter().map(|&d| d as i64).collect());
        given[1] = Some(cx.bind(&ops::DYNAMIC_SLICE, &operands, Attributes::none().with("sizes", sizes))?);
    }
    Ok(given)
}

/// Attributes of the scatter or gather at the same places.
fn places(at: &Point<'_>, combine: Option<&str>) -> Attributes {
    let default = if at.op.name == "gather" { "clip" } else { "fill" };
    let mode = at.attributes.str("mode").unwrap_or(default);
    let axes = at.attributes.ints("axes").unwrap_or_default().to_vec();
    let attributes = Attributes::none().with("axes", Attribute::Ints(axes)).with("mode", Attribute::Str(mode.into()));
    match combine {
        Some(combine) => attributes.with("combine", Attribute::Str(combine.into())),
        None => attributes,
    }
}

fn gather_back(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    _wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let mut given = none(at);
    let Some(Some(g)) = cotangents.first() else { return Ok(given) };
    let zeros = zeros_like(cx, &at.operands[0])?;
    let operands: Vec<&Tile> = [&zeros, g].into_iter().chain(&at.operands[1..]).collect();
    given[0] = Some(cx.bind(&ops::SCATTER, &operands, places(at, Some("add")))?);
    Ok(given)
}

/// What is written at the places of a scatter, as a gather reads it from `x`. Positions outside read zero, since nothing
/// is written there.
fn read(cx: &Context<'_>, at: &Point<'_>, x: &Tile) -> PyResult<Tile> {
    let indices = &at.operands[2..];
    let operands: Vec<&Tile> = std::iter::once(x).chain(indices).collect();
    let read = cx.bind(&ops::GATHER, &operands, places(at, None))?;
    if at.attributes.str("mode").unwrap_or("fill") != "fill" {
        return Ok(read);
    }
    let ones = primitive::full(cx, x.shape(), x.dtype(), pallas_tensor::Scalar::Float(1.0))?;
    let operands: Vec<&Tile> = std::iter::once(&ones).chain(indices).collect();
    let inside = cx.bind(&ops::GATHER, &operands, places(at, None))?;
    let inside = primitive::binary(cx, &ops::EQ, &inside, &inside)?;
    primitive::select(cx, &inside, &read, &zeros_like(cx, &read)?)
}

fn combine(at: &Point<'_>) -> String {
    at.attributes.str("combine").unwrap_or("set").to_string()
}

fn scatter_forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let indices = &at.operands[2..];
    let scatter = |x: &Tile, updates: &Tile, combine: &str| {
        let operands: Vec<&Tile> = [x, updates].into_iter().chain(indices).collect();
        cx.bind(&ops::SCATTER, &operands, places(at, Some(combine)))
    };
    let x = instantiate(cx, tangents[0].clone(), &at.operands[0])?;
    let updates = instantiate(cx, tangents[1].clone(), &at.operands[1])?;
    let combine = combine(at);
    Ok(vec![Some(match combine.as_str() {
        "set" | "add" | "sub" => scatter(&x, &updates, &combine)?,
        "mul" => {
            let scaled = scatter(&x, &at.operands[1], "mul")?;
            let old = read(cx, at, &at.operands[0])?;
            scatter(&scaled, &primitive::binary(cx, &ops::MUL, &old, &updates)?, "add")?
        }
        other => return Err(super::undifferentiable(cx, &format!("scatter_{other}"))),
    })])
}

fn scatter_back(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let mut given = none(at);
    let Some(Some(g)) = cotangents.first() else { return Ok(given) };
    let combine = combine(at);
    let scatter = |x: &Tile, updates: &Tile, combine: &str| {
        let operands: Vec<&Tile> = [x, updates].into_iter().chain(&at.operands[2..]).collect();
        cx.bind(&ops::SCATTER, &operands, places(at, Some(combine)))
    };
    let (x, updates) = (&at.operands[0], &at.operands[1]);
    if !matches!(combine.as_str(), "set" | "add" | "sub" | "mul") {
        return Err(super::undifferentiable(cx, &format!("scatter_{combine}")));
    }
    if wanted[0] {
        given[0] = Some(match combine.as_str() {
            "set" => scatter(g, &zeros_like(cx, updates)?, "set")?,
            "mul" => scatter(g, updates, "mul")?,
            _ => g.clone(),
        });
    }
    if wanted[1] {
        let read_g = read(cx, at, g)?;
        given[1] = Some(match combine.as_str() {
            "sub" => primitive::unary(cx, &ops::NEG, &read_g)?,
            "mul" => primitive::binary(cx, &ops::MUL, &read_g, &read(cx, at, x)?)?,
            _ => read_g,
        });
    }
    Ok(given)
}
