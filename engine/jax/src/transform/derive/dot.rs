//! Matrix products (`_dot_general_transpose_lhs` and `_rhs` of jax/_src/lax/lax.py).

use super::{Derivative, Point, sum};
use crate::context::Context;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::raise::PyResult;

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Derivative)> {
    [("dot_general", Derivative::General(forward, reverse))].into_iter()
}

fn forward(cx: &Context<'_>, at: &Point<'_>, tangents: &[Option<Tile>]) -> PyResult<Vec<Option<Tile>>> {
    let bind = |a: &Tile, b: &Tile| cx.bind(at.op, &[a, b], at.attributes.clone());
    let left = match &tangents[0] {
        Some(tangent) => Some(bind(tangent, &at.operands[1])?),
        None => None,
    };
    let right = match &tangents[1] {
        Some(tangent) => Some(bind(&at.operands[0], tangent)?),
        None => None,
    };
    Ok(vec![sum(cx, left, right)?])
}

fn lists(attributes: &Attributes, name: &str) -> [Vec<usize>; 2] {
    let list = |values: &Vec<i64>| values.iter().map(|&v| v as usize).collect();
    match attributes.int_lists(name) {
        Some([a, b]) => [list(a), list(b)],
        _ => [Vec::new(), Vec::new()],
    }
}

fn reverse(
    cx: &Context<'_>,
    at: &Point<'_>,
    cotangents: &[Option<Tile>],
    wanted: &[bool],
) -> PyResult<Vec<Option<Tile>>> {
    let Some(Some(g)) = cotangents.first() else { return Ok(vec![None, None]) };
    (0..2).map(|side| if wanted[side] { toward(cx, at, g, side).map(Some) } else { Ok(None) }).collect()
}

/// The cotangent of one side: the cotangent of the result times the other side.
fn toward(cx: &Context<'_>, at: &Point<'_>, g: &Tile, side: usize) -> PyResult<Tile> {
    let contracting = lists(at.attributes, "contracting");
    let batch = lists(at.attributes, "batch");
    let (x, y) = (&at.operands[side], &at.operands[1 - side]);
    let (x_contract, y_contract) = (&contracting[side], &contracting[1 - side]);
    let (x_batch, y_batch) = (&batch[side], &batch[1 - side]);
    let free = |tile: &Tile, contract: &[usize], batch: &[usize]| -> Vec<usize> {
        (0..tile.rank()).filter(|axis| !contract.contains(axis) && !batch.contains(axis)).collect()
    };
    let (x_kept, y_kept) = (free(x, x_contract, x_batch), free(y, y_contract, y_batch));
    // In the result: batch dimensions, those kept of the left side, those kept of the right side.
    let first_y = x_batch.len() + if side == 0 { x_kept.len() } else { 0 };
    let ans_batch: Vec<usize> = (0..x_batch.len()).collect();
    let ans_y: Vec<usize> = (first_y..first_y + y_kept.len()).collect();
    let mut by_y: Vec<(usize, usize)> = y_contract.iter().copied().zip(x_contract.iter().copied()).collect();
    by_y.sort_unstable();
    let axes: Vec<usize> =
        x_batch.iter().copied().chain(x_kept.iter().copied()).chain(by_y.iter().map(|&(_, x)| x)).collect();
    let ints = |values: &[usize]| values.iter().map(|&v| v as i64).collect::<Vec<_>>();
    let mut attributes = Attributes::none()
        .with("contracting", Attribute::IntLists(vec![ints(&ans_y), ints(&y_kept)]))
        .with("batch", Attribute::IntLists(vec![ints(&ans_batch), ints(y_batch)]));
    for name in ["dtype", "precision"] {
        if let Some(value) = at.attributes.get(name) {
            attributes = attributes.with(if name == "dtype" { "dtype" } else { "precision" }, value.clone());
        }
    }
    let y = if y.dtype() == g.dtype() || !needs_one_dtype(g, y) {
        y.clone()
    } else {
        primitive::convert(cx, y, g.dtype(), false)?
    };
    let product = cx.bind(&ops::DOT_GENERAL, &[g, &y], attributes)?;
    let mut order = vec![0; axes.len()];
    for (place, &axis) in axes.iter().enumerate() {
        order[axis] = place;
    }
    let product = primitive::transpose(cx, &product, &order)?;
    primitive::convert(cx, &product, x.dtype(), x.weak())
}

/// Whether the product of two dtypes has to be made in one of them.
fn needs_one_dtype(g: &Tile, y: &Tile) -> bool {
    g.dtype().is_float() != y.dtype().is_float()
}
