//! `lax.associative_scan`: running results of an associative function, in logarithmically many steps.

use super::control::{assemble, leaves};
use crate::context::Context;
use crate::convert;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// `lax.associative_scan`: pairs are combined, the half is scanned, and the rest filled in (jax/_src/lax/control_flow).
pub(super) fn associative_scan(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, elements, reverse, axis] = args.take();
    let cx = Context::jax(interp);
    let (tiles, def) = leaves(&cx, &elements, "associative_scan")?;
    let Some(first) = tiles.first() else { return Ok(elements) };
    let axis = convert::axis(&cx, &axis, first.rank())?;
    let flip = |tiles: Vec<Tile>| -> PyResult<Vec<Tile>> {
        let attributes = || Attributes::none().with("axes", Attribute::Ints(vec![axis as i64]));
        tiles.iter().map(|tile| cx.bind(&ops::REV, &[tile], attributes())).collect()
    };
    let reverse = interp.truth(&reverse)?;
    let tiles = if reverse { flip(tiles)? } else { tiles };
    let combine = |a: &[Tile], b: &[Tile]| -> PyResult<Vec<Tile>> {
        let pair = [assemble(&cx, &def, a.iter().cloned())?, assemble(&cx, &def, b.iter().cloned())?];
        Ok(leaves(&cx, &interp.call_values(&function, pair)?, "associative_scan")?.0)
    };
    let scanned = scan_pairs(&cx, &combine, tiles, axis)?;
    assemble(&cx, &def, if reverse { flip(scanned)? } else { scanned })
}

/// Every second element from `start`, without the last `drop` elements of the axis.
fn strided(
    cx: &Context<'_>,
    tiles: &[Tile],
    axis: usize,
    start: usize,
    drop: usize,
    stride: usize,
) -> PyResult<Vec<Tile>> {
    tiles
        .iter()
        .map(|tile| {
            let mut from = vec![0; tile.rank()];
            let mut limit = tile.shape().to_vec();
            let mut strides = vec![1; tile.rank()];
            (from[axis], limit[axis], strides[axis]) = (start, limit[axis] - drop, stride);
            primitive::slice(cx, tile, &from, &limit, &strides)
        })
        .collect()
}

/// An associative function on tiles.
type CombineFn<'f> = &'f dyn Fn(&[Tile], &[Tile]) -> PyResult<Vec<Tile>>;

fn scan_pairs(cx: &Context<'_>, combine: CombineFn<'_>, tiles: Vec<Tile>, axis: usize) -> PyResult<Vec<Tile>> {
    let count = tiles.first().map_or(0, |tile| tile.shape()[axis]);
    if count < 2 {
        return Ok(tiles);
    }
    let odd_one = count % 2;
    let reduced = combine(&strided(cx, &tiles, axis, 0, 1, 2)?, &strided(cx, &tiles, axis, 1, 0, 2)?)?;
    let odd = scan_pairs(cx, combine, reduced, axis)?;
    // The elements at even positions but the first follow from the odd ones before them.
    let before = if odd_one == 0 { strided(cx, &odd, axis, 0, 1, 1)? } else { odd.clone() };
    let rest = strided(cx, &tiles, axis, 2.min(count), 0, 2)?;
    let even = if rest.first().is_some_and(|tile| tile.shape()[axis] > 0) { combine(&before, &rest)? } else { rest };
    let mut results = Vec::new();
    for ((tile, even), odd) in tiles.iter().zip(&even).zip(&odd) {
        let first = strided(cx, std::slice::from_ref(tile), axis, 0, count - 1, 1)?.remove(0);
        let first = primitive::convert(cx, &first, odd.dtype(), odd.weak())?;
        let even = primitive::concatenate(cx, &[&first, even], axis)?;
        results.push(interleave(cx, &even, odd, axis)?);
    }
    Ok(results)
}

/// `a[0], b[0], a[1], b[1], ...`; `a` has as many elements as `b`, or one more.
fn interleave(cx: &Context<'_>, a: &Tile, b: &Tile, axis: usize) -> PyResult<Tile> {
    let pairs = b.shape()[axis];
    let head = strided(cx, std::slice::from_ref(a), axis, 0, a.shape()[axis] - pairs, 1)?.remove(0);
    let wide = |tile: &Tile| primitive::expand_dims(cx, tile, &[axis + 1]);
    let both = primitive::concatenate(cx, &[&wide(&head)?, &wide(b)?], axis + 1)?;
    let mut shape = head.shape().to_vec();
    shape[axis] = 2 * pairs;
    let mixed = primitive::reshape(cx, &both, &pallas_tensor::Shape::from(shape.as_slice()))?;
    if a.shape()[axis] == pairs {
        return Ok(mixed);
    }
    let last = strided(cx, std::slice::from_ref(a), axis, pairs, 0, 1)?.remove(0);
    primitive::concatenate(cx, &[&mixed, &last], axis)
}
