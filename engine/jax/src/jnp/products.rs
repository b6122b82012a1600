//! Matrix products: `@`, `jnp.dot`, `matmul`. Shapes as numpy's; accumulation as `lax.dot_general`.

use crate::context::Context;
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_python::Diagnosis;
use pallas_python::raise::PyResult;
use pallas_tensor::{DType, Shape};

/// `matmul(a, b)`: batch dimensions broadcast; 1-D operands are vectors.
///
/// # Errors
/// `TypeError` in lax's words where the contracted extents differ.
pub fn matmul(cx: &Context<'_>, a: &Tile, b: &Tile, preferred: Option<DType>) -> PyResult<Tile> {
    for (tile, position) in [(a, 0), (b, 1)] {
        if tile.rank() == 0 {
            return Err(cx.interp.value_error(format!(
                "matmul input operand {position} must have ndim at least 1, but it has ndim 0"
            )));
        }
    }
    let operands = convert::promote_dtypes(cx, &[a, b])?;
    let (a, b) = (&operands[0], &operands[1]);
    let (a_vector, b_vector) = (a.rank() == 1, b.rank() == 1);
    let a_contract = a.rank() - 1;
    let b_contract = if b_vector { 0 } else { b.rank() - 2 };
    if a.shape()[a_contract] != b.shape()[b_contract] {
        return Err(mismatch(cx, a, b, a_contract, b_contract));
    }
    if a.rank() <= 2 && b.rank() <= 2 {
        return dot(cx, a, b, &[a_contract], &[b_contract], &[], &[], preferred);
    }
    // Broadcast the batch dimensions, multiply, and drop the dimensions that vectors gained.
    let a_batch = Shape::from(&a.shape()[..a.rank().saturating_sub(2)]);
    let b_batch = Shape::from(&b.shape()[..b.rank().saturating_sub(2)]);
    let Some(batch) = Shape::broadcast(&[&a_batch, &b_batch]) else {
        return Err(cx.interp.type_error(format!(
            "matmul got incompatible shapes for broadcasting: {a_batch}, {b_batch}."
        )));
    };
    let widen = |tile: &Tile, vector: bool, front: bool| -> PyResult<Tile> {
        let tile = match (vector, front) {
            (true, true) => p::expand_dims(cx, tile, &[0])?,
            (true, false) => p::expand_dims(cx, tile, &[1])?,
            (false, _) => tile.clone(),
        };
        let tail = &tile.shape()[tile.rank() - 2..];
        let shape: Shape = batch.iter().chain(tail).copied().collect();
        p::broadcast_to(cx, &tile, &shape)
    };
    let wide_a = widen(a, a_vector, true)?;
    let wide_b = widen(b, b_vector, false)?;
    let n = batch.len();
    let dims: Vec<usize> = (0..n).collect();
    let product = dot(cx, &wide_a, &wide_b, &[n + 1], &[n], &dims, &dims, preferred)?;
    let mut dropped = Vec::new();
    if a_vector {
        dropped.push(n);
    }
    if b_vector {
        dropped.push(n + 1);
    }
    p::squeeze(cx, &product, &dropped)
}

#[expect(clippy::too_many_arguments, reason = "the four dimension lists are dot_general's own")]
fn dot(
    cx: &Context<'_>,
    a: &Tile,
    b: &Tile,
    a_contract: &[usize],
    b_contract: &[usize],
    a_batch: &[usize],
    b_batch: &[usize],
    preferred: Option<DType>,
) -> PyResult<Tile> {
    let weak = a.weak() && b.weak();
    let dtype = preferred.unwrap_or(a.dtype());
    let product = p::dot_general(cx, a, b, (a_contract, b_contract), (a_batch, b_batch), dtype)?;
    p::convert(cx, &product, dtype, weak && preferred.is_none())
}

fn mismatch(cx: &Context<'_>, a: &Tile, b: &Tile, a_dim: usize, b_dim: usize) -> Box<pallas_python::Stop> {
    let (left, right) = (a.shape()[a_dim], b.shape()[b_dim]);
    cx.interp.error_with(
        &cx.interp.types().type_error,
        format!("dot_general requires contracting dimensions to have the same shape, got ({left},) and ({right},)."),
        Diagnosis {
            code: "PL303",
            message: Some(format!(
                "this product contracts {left} elements of {} with {right} elements of {}",
                a.ty(),
                b.ty()
            )),
            ..Diagnosis::default()
        },
    )
}
