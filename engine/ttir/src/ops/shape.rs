//! Tiles from nothing, and moves of whole tiles.

use super::{Results, convert, one, reduce};
use crate::Refusal;
use crate::emit::Emitter;
use crate::lower::Lowering;
use crate::types::{Tile, shaped};
use pallas_ir::OpData;
use pallas_tensor::DType;

/// `start, start + 1, ...`
pub(crate) fn range(emitter: &mut Emitter, start: i64, size: usize) -> Result<Tile, Refusal> {
    let end = start.saturating_add(size as i64);
    let ty = shaped("i32", &[size]);
    emitter.value(DType::I32, &[size], &format!("tt.make_range {{end = {end} : i32, start = {start} : i32}} : {ty}"))
}

/// A new dimension of one element.
pub(crate) fn expand(emitter: &mut Emitter, x: &Tile, axis: usize) -> Result<Tile, Refusal> {
    let mut extents = x.shape.clone();
    extents.insert(axis, 1);
    if x.is_scalar() {
        return spread(emitter, x, &extents);
    }
    let ty = shaped(x.element(), &extents);
    emitter.value(x.dtype, &extents, &format!("tt.expand_dims {} {{axis = {axis} : i32}} : {} -> {ty}", x.name, x.ty()))
}

/// Copies along dimensions of one element, and new ones in front.
pub(crate) fn spread(emitter: &mut Emitter, x: &Tile, target: &[usize]) -> Result<Tile, Refusal> {
    if x.shape == target {
        return Ok(x.clone());
    }
    let ty = shaped(x.element(), target);
    if x.is_scalar() {
        if let Some(known) = x.known {
            return emitter.constant(x.dtype, target, pallas_tensor::Scalar::Int(known.into()));
        }
        return emitter.value(x.dtype, target, &format!("tt.splat {} : {} -> {ty}", x.name, x.ty()));
    }
    let mut x = x.clone();
    while x.shape.len() < target.len() {
        x = expand(emitter, &x, 0)?;
    }
    if x.shape == target {
        return Ok(x);
    }
    emitter.value(x.dtype, target, &format!("tt.broadcast {} : {} -> {ty}", x.name, x.ty()))
}

/// The same elements in another shape.
pub(crate) fn reshaped(emitter: &mut Emitter, x: &Tile, target: &[usize]) -> Result<Tile, Refusal> {
    if x.shape == target {
        return Ok(x.clone());
    }
    if x.is_scalar() {
        return spread(emitter, x, target);
    }
    if target.is_empty() {
        // A tile of one element becomes a scalar by a sum, as in JAX.
        let axes: Vec<usize> = (0..x.shape.len()).collect();
        return reduce::reduced(emitter, "add", x, &axes);
    }
    let ty = shaped(x.element(), target);
    emitter.value(x.dtype, target, &format!("tt.reshape {} : {} -> {ty}", x.name, x.ty()))
}

/// Dimensions in another order.
pub(crate) fn transposed(emitter: &mut Emitter, x: &Tile, order: &[usize]) -> Result<Tile, Refusal> {
    let extents: Vec<usize> = order.iter().map(|&axis| x.shape[axis]).collect();
    let words: Vec<String> = order.iter().map(usize::to_string).collect();
    let ty = shaped(x.element(), &extents);
    let text = format!("tt.trans {} {{order = array<i32: {}>}} : {} -> {ty}", x.name, words.join(", "), x.ty());
    emitter.value(x.dtype, &extents, &text)
}

/// Two tiles side by side along a new last dimension.
fn joined(emitter: &mut Emitter, x: &Tile, y: &Tile) -> Result<Tile, Refusal> {
    let mut extents = x.shape.clone();
    extents.push(2);
    let ty = shaped(x.element(), &extents);
    emitter.value(x.dtype, &extents, &format!("tt.join {}, {} : {} -> {ty}", x.name, y.name, x.ty()))
}

/// The halves of a tile along an axis.
fn halves(emitter: &mut Emitter, x: &Tile, axis: usize) -> Result<[Tile; 2], Refusal> {
    let mut cut = x.shape.clone();
    cut[axis] /= 2;
    let half = cut.clone();
    cut.insert(axis, 2);
    let parts = reshaped(emitter, x, &cut)?;
    let order: Vec<usize> = (0..cut.len()).filter(|&dim| dim != axis).chain([axis]).collect();
    let parts = transposed(emitter, &parts, &order)?;
    let (first, second) = (emitter.tile(x.dtype, &half)?, emitter.tile(x.dtype, &half)?);
    emitter.line(&format!(
        "{}, {} = tt.split {} : {} -> {}",
        first.name,
        second.name,
        parts.name,
        parts.ty(),
        first.ty()
    ));
    Ok([first, second])
}

/// A slice that is one of equal parts, by halving; Triton has no other.
fn part(emitter: &mut Emitter, x: &Tile, start: &[usize], limit: &[usize]) -> Result<Tile, Refusal> {
    let mut x = x.clone();
    for axis in 0..x.shape.len() {
        let size = limit[axis] - start[axis];
        let parts = x.shape[axis] / size.max(1);
        let aligned = size > 0 && x.shape[axis].is_multiple_of(size) && start[axis].is_multiple_of(size);
        if !aligned || !parts.is_power_of_two() {
            return Err(Refusal::new(
                "Triton takes tiles apart by halving only: this slice is not one of a power of two of equal parts; load the part from the Ref instead",
            ));
        }
        let mut begin = start[axis];
        while x.shape[axis] > size {
            let half = x.shape[axis] / 2;
            let [first, second] = halves(emitter, &x, axis)?;
            (x, begin) = if begin < half { (first, begin) } else { (second, begin - half) };
        }
    }
    Ok(x)
}

fn sizes(op: &OpData, name: &str) -> Vec<usize> {
    op.attributes.ints(name).unwrap_or_default().iter().map(|&n| usize::try_from(n).unwrap_or(0)).collect()
}

fn iota(emitter: &mut Emitter, op: &OpData) -> Result<Tile, Refusal> {
    let extents = sizes(op, "shape");
    let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(0);
    let line = range(emitter, 0, extents[axis])?;
    let mut line = convert::cast(emitter, &line, op.attributes.dtype("dtype").unwrap_or(DType::I32), true)?;
    for dim in (0..extents.len()).filter(|&dim| dim != axis) {
        line = expand(emitter, &line, dim)?;
    }
    spread(emitter, &line, &extents)
}

fn constant(emitter: &mut Emitter, op: &OpData) -> Result<Tile, Refusal> {
    let Some(value) = op.attributes.array("value") else { return Err(Refusal::new("a constant has no value")) };
    let mut elements = value.iter_scalars();
    let Some(first) = elements.next() else { return Err(Refusal::new("Triton has no empty arrays")) };
    let same = |other: &pallas_tensor::Scalar| {
        *other == first || (other.as_f64().is_some_and(f64::is_nan) && first.as_f64().is_some_and(f64::is_nan))
    };
    if !elements.all(|other| same(&other)) {
        return Err(Refusal::new(
            "Triton has no constant arrays with different elements: pass the array as an operand, or compute it, by `jnp.arange` for instance",
        ));
    }
    emitter.constant(value.dtype(), value.shape(), first)
}

fn concatenated(emitter: &mut Emitter, op: &OpData, tiles: &[Tile]) -> Result<Tile, Refusal> {
    if let [only] = tiles {
        return Ok(only.clone());
    }
    let [x, y] = tiles else {
        return Err(Refusal::new("only 2-argument concatenate is supported in the Triton lowering"));
    };
    let last = x.shape.len().saturating_sub(1);
    if op.attributes.int("axis") != i64::try_from(last).ok() || x.shape.last() != Some(&1) || y.shape.last() != Some(&1)
    {
        return Err(Refusal::new(
            "only concatenate of arrays of shape [..., 1] along the last dimension is supported in the Triton lowering",
        ));
    }
    let (x, y) = (reshaped(emitter, x, &x.shape[..last])?, reshaped(emitter, y, &y.shape[..last])?);
    joined(emitter, &x, &y)
}

/// The family.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    const NAMES: &[&str] =
        &["constant", "iota", "broadcast_in_dim", "reshape", "squeeze", "transpose", "concatenate", "slice"];
    if !NAMES.contains(&op.op.name) {
        return Ok(None);
    }
    let tiles = lowering.tiles(op)?;
    let wanted = op.results.first().map(|&value| lowering.function.ty(value).shape().to_vec()).unwrap_or_default();
    let emitter = &mut *lowering.emitter;
    Ok(one(match op.op.name {
        "constant" => constant(emitter, op)?,
        "iota" => iota(emitter, op)?,
        "broadcast_in_dim" => {
            let dims = sizes(op, "dims");
            let mut x = tiles[0].clone();
            if !x.is_scalar() {
                for dim in (0..wanted.len()).filter(|dim| !dims.contains(dim)) {
                    x = expand(emitter, &x, dim)?;
                }
            }
            spread(emitter, &x, &wanted)?
        }
        "reshape" | "squeeze" => reshaped(emitter, &tiles[0], &wanted)?,
        "transpose" => transposed(emitter, &tiles[0], &sizes(op, "permutation"))?,
        "concatenate" => concatenated(emitter, op, &tiles)?,
        _ => {
            if op.attributes.ints("strides").unwrap_or_default().iter().any(|&stride| stride != 1) {
                return Err(Refusal::new(
                    "Triton has no slices of tiles with strides: load the part from the Ref instead",
                ));
            }
            part(emitter, &tiles[0], &sizes(op, "start"), &sizes(op, "limit"))?
        }
    }))
}
