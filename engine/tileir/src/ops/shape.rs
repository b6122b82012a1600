//! Ops that say which elements are meant: constants, counting, copies along dimensions, other shapes, exchanged dimensions.

use super::{Results, convert, one};
use crate::emit::Emitter;
use crate::lower::Lower;
use crate::types::{Tile, element, fits, tile};
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::Attribute;
use pallas_ir::OpData;
use pallas_tensor::DType;

/// The same elements in row-major order under another shape.
pub(crate) fn reshaped(e: &mut Emitter, x: &Tile, shape: &[usize]) -> Result<Tile, Refusal> {
    if x.shape == shape {
        return Ok(x.clone());
    }
    fits(shape)?;
    let ty = tile(element(x.dtype)?, shape);
    let value = e.op(Opcode::Reshape, &[x.value], vec![], &[ty])[0];
    let (known, multiple) = if shape.is_empty() { (x.known, x.multiple) } else { (None, None) };
    Ok(Tile { known, multiple, ..Tile::new(value, x.dtype, shape) })
}

/// Copies along dimensions of 1, of a tile with as many dimensions.
fn stretched(e: &mut Emitter, x: &Tile, shape: &[usize]) -> Result<Tile, Refusal> {
    if x.shape == shape {
        return Ok(x.clone());
    }
    fits(shape)?;
    e.tile(Opcode::Broadcast, &[x], vec![], x.dtype, shape)
}

/// As numpy broadcasts.
pub(crate) fn spread(e: &mut Emitter, x: &Tile, shape: &[usize]) -> Result<Tile, Refusal> {
    if x.shape == shape {
        return Ok(x.clone());
    }
    if let (Some(known), false) = (x.known, x.dtype == DType::Bool) {
        return e.constant(x.dtype, shape, pallas_tensor::Scalar::Int(known.into()));
    }
    let mut padded = vec![1; shape.len().saturating_sub(x.shape.len())];
    padded.extend(&x.shape);
    let x = reshaped(e, x, &padded)?;
    stretched(e, &x, shape)
}

/// A tile whose axes are those of a shape from `first` on.
pub(crate) fn aligned(e: &mut Emitter, x: &Tile, first: usize, shape: &[usize]) -> Result<Tile, Refusal> {
    let mut padded = vec![1; shape.len()];
    for (slot, &extent) in padded.iter_mut().skip(first).zip(&x.shape) {
        *slot = extent;
    }
    let x = reshaped(e, x, &padded)?;
    stretched(e, &x, shape)
}

/// 0, 1, 2, ... as `i32`.
pub(crate) fn range(e: &mut Emitter, size: usize) -> Result<Tile, Refusal> {
    fits(&[size])?;
    let ty = tile(element(DType::I32)?, &[size]);
    let value = e.op(Opcode::Iota, &[], vec![], &[ty])[0];
    Ok(Tile::new(value, DType::I32, &[size]))
}

/// Dimensions in another order.
pub(crate) fn permuted(e: &mut Emitter, x: &Tile, permutation: &[usize]) -> Result<Tile, Refusal> {
    if permutation.iter().enumerate().all(|(place, &axis)| place == axis) {
        return Ok(x.clone());
    }
    let shape: Vec<usize> = permutation.iter().map(|&axis| x.shape[axis]).collect();
    let order = Attribute::DenseI32Array(permutation.iter().map(|&axis| axis as i32).collect());
    e.tile(Opcode::Permute, &[x], vec![("permutation", order)], x.dtype, &shape)
}

/// Tiles one after the other along an axis, two by two.
fn joined(e: &mut Emitter, tiles: &[Tile], axis: usize) -> Result<Tile, Refusal> {
    match tiles {
        [] => Err(no("nothing is concatenated")),
        [one] => Ok(one.clone()),
        many => {
            let total: usize = many.iter().map(|tile| tile.shape[axis]).sum();
            let mut before = 0;
            let cut = many.iter().position(|tile| {
                before += tile.shape[axis];
                before * 2 >= total
            });
            let cut = cut.map_or(1, |cut| cut + 1).min(many.len() - 1);
            let (first, second) = (joined(e, &many[..cut], axis)?, joined(e, &many[cut..], axis)?);
            let mut shape = first.shape.clone();
            shape[axis] += second.shape[axis];
            fits(&shape)?;
            let dim = vec![("dim", Attribute::i32(axis as i64))];
            e.tile(Opcode::Cat, &[&first, &second], dim, first.dtype, &shape)
        }
    }
}

fn sizes(op: &OpData, name: &str) -> Vec<usize> {
    op.attributes.ints(name).unwrap_or_default().iter().filter_map(|&size| usize::try_from(size).ok()).collect()
}

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let tile = match op.op.name {
        "constant" => {
            let array = op.attributes.array("value").ok_or_else(|| no("a constant has no value"))?;
            lower.e.table(array)?
        }
        "iota" => {
            let (dtype, shape) = lower.result(op)?;
            let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(0);
            let line = range(&mut lower.e, shape.get(axis).copied().unwrap_or(1))?;
            let line = convert::cast(&mut lower.e, &line, dtype)?;
            aligned(&mut lower.e, &line, axis, &shape)?
        }
        "broadcast_in_dim" => {
            let x = lower.tile(op.operands[0])?;
            let (_, shape) = lower.result(op)?;
            let mut padded = vec![1; shape.len()];
            for (&dim, &extent) in sizes(op, "dims").iter().zip(&x.shape) {
                padded[dim] = extent;
            }
            let x = reshaped(&mut lower.e, &x, &padded)?;
            stretched(&mut lower.e, &x, &shape)?
        }
        "reshape" | "squeeze" => {
            let x = lower.tile(op.operands[0])?;
            let (_, shape) = lower.result(op)?;
            reshaped(&mut lower.e, &x, &shape)?
        }
        "transpose" => {
            let x = lower.tile(op.operands[0])?;
            permuted(&mut lower.e, &x, &sizes(op, "permutation"))?
        }
        "concatenate" => {
            let tiles = lower.tiles(op)?;
            let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(0);
            joined(&mut lower.e, &tiles, axis)?
        }
        _ => return Ok(None),
    };
    Ok(one(tile))
}
