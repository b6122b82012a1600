//! Parts of tiles, updates of parts, padding, elements at computed positions. Parts of a regular cut are an op of Tile IR; all
//! else changes places through memory of the block's own.

use super::{Results, arith, convert, one, shape};
use crate::lower::Lower;
use crate::number::Number;
use crate::types::Tile;
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use pallas_ir::{OpData, ValueId};
use pallas_tensor::{DType, Scalar, Shape};

fn sizes(op: &OpData, name: &str) -> Vec<i64> {
    op.attributes.ints(name).unwrap_or_default().to_vec()
}

fn strides(shape: &[usize]) -> Vec<i64> {
    Shape::from(shape).strides().iter().map(|&stride| stride as i64).collect()
}

impl Lower<'_> {
    /// A part that begins at multiples of its size.
    fn extracted(&mut self, x: &Tile, starts: &[Number], extents: &[usize]) -> Result<Option<Tile>, Refusal> {
        if x.shape == extents {
            return Ok(Some(x.clone()));
        }
        crate::types::fits(extents)?;
        let parts: Option<Vec<Number>> =
            starts.iter().zip(extents).map(|(start, &extent)| start.part(extent as i64)).collect();
        let Some(parts) = parts else { return Ok(None) };
        let mut operands = vec![x.clone()];
        for part in parts {
            operands.push(part.tile(&mut self.e)?);
        }
        let operands: Vec<&Tile> = operands.iter().collect();
        self.e.tile(Opcode::Extract, &operands, vec![], x.dtype, extents).map(Some)
    }

    /// What is at `base` and on, `steps` apart in the row-major order of a tile.
    fn picked(&mut self, x: &Tile, base: &Number, extents: &[usize], steps: &[i64]) -> Result<Tile, Refusal> {
        crate::types::fits(extents)?;
        let from = self.row_major(&x.shape)?;
        let base = base.tile(&mut self.e)?;
        let at = self.positions(&base, extents, steps)?;
        self.relayed(&[(x.clone(), from)], x.shape.iter().product(), &at)
    }

    /// Where parts of such a size begin that are moved inside.
    fn starts(&mut self, x: &Tile, extents: &[usize], operands: &[ValueId]) -> Result<Vec<Number>, Refusal> {
        let mut starts = Vec::new();
        for (dim, &value) in operands.iter().enumerate() {
            let tile = self.scalar(value)?;
            let start = Number::of(&mut self.e, &tile)?;
            let last = x.shape[dim] as i64 - extents[dim] as i64;
            starts.push(start.clamp(&mut self.e, 0, last.max(0))?);
        }
        Ok(starts)
    }

    fn base(&mut self, shape: &[usize], starts: &[Number]) -> Result<Number, Refusal> {
        let mut base = Number::Known(0);
        for (start, &stride) in starts.iter().zip(&strides(shape)) {
            let far = start.times(&mut self.e, stride)?;
            base = base.add(&mut self.e, &far)?;
        }
        Ok(base)
    }
}

fn slice(lower: &mut Lower<'_>, op: &OpData) -> Result<Tile, Refusal> {
    let x = lower.tile(op.operands[0])?;
    let (_, extents) = lower.result(op)?;
    let (start, apart) = (sizes(op, "start"), sizes(op, "strides"));
    let apart: Vec<i64> = (0..extents.len()).map(|dim| apart.get(dim).copied().unwrap_or(1)).collect();
    let starts: Vec<Number> = start.iter().map(|&start| Number::Known(start)).collect();
    if apart.iter().all(|&step| step == 1)
        && let Some(part) = lower.extracted(&x, &starts, &extents)?
    {
        return Ok(part);
    }
    let steps: Vec<i64> = strides(&x.shape).iter().zip(&apart).map(|(&stride, &step)| stride * step).collect();
    let base = lower.base(&x.shape, &starts)?;
    lower.picked(&x, &base, &extents, &steps)
}

fn dynamic_slice(lower: &mut Lower<'_>, op: &OpData) -> Result<Tile, Refusal> {
    let x = lower.tile(op.operands[0])?;
    let (_, extents) = lower.result(op)?;
    let starts = lower.starts(&x, &extents, &op.operands[1..])?;
    if let Some(part) = lower.extracted(&x, &starts, &extents)? {
        return Ok(part);
    }
    let base = lower.base(&x.shape, &starts)?;
    lower.picked(&x, &base, &extents, &strides(&x.shape))
}

fn dynamic_update_slice(lower: &mut Lower<'_>, op: &OpData) -> Result<Tile, Refusal> {
    let (x, update) = (lower.tile(op.operands[0])?, lower.tile(op.operands[1])?);
    let starts = lower.starts(&x, &update.shape, &op.operands[2..])?;
    let base = lower.base(&x.shape, &starts)?;
    put_in(lower, &x, &update, &base, &strides(&x.shape))
}

/// A tile with another one at `base` and on, `steps` apart.
fn put_in(lower: &mut Lower<'_>, x: &Tile, update: &Tile, base: &Number, steps: &[i64]) -> Result<Tile, Refusal> {
    let whole = lower.row_major(&x.shape)?;
    let base = base.tile(&mut lower.e)?;
    let at = lower.positions(&base, &update.shape, steps)?;
    let parts = [(x.clone(), whole.clone()), (update.clone(), at)];
    lower.relayed(&parts, x.shape.iter().product(), &whole)
}

fn pad(lower: &mut Lower<'_>, op: &OpData) -> Result<Tile, Refusal> {
    let (x, filler) = (lower.tile(op.operands[0])?, lower.tile(op.operands[1])?);
    let (_, extents) = lower.result(op)?;
    let (low, high, interior) = (sizes(op, "low"), sizes(op, "high"), sizes(op, "interior"));
    if low.iter().chain(&high).any(|&count| count < 0) {
        return Err(no("`pad` that cuts off has no Tile IR").with_help("take the SIMT back end"));
    }
    let around = shape::spread(&mut lower.e, &filler, &extents)?;
    let whole = strides(&extents);
    let base = low.iter().zip(&whole).map(|(&low, &stride)| low * stride).sum();
    let gap = |dim: usize| interior.get(dim).copied().unwrap_or(0) + 1;
    let steps: Vec<i64> = whole.iter().enumerate().map(|(dim, &stride)| stride * gap(dim)).collect();
    put_in(lower, &around, &x, &Number::Known(base), &steps)
}

fn reversed(lower: &mut Lower<'_>, op: &OpData) -> Result<Tile, Refusal> {
    let x = lower.tile(op.operands[0])?;
    let axes = sizes(op, "axes");
    let (mut base, mut steps) = (0, strides(&x.shape));
    for axis in axes.iter().filter_map(|&axis| usize::try_from(axis).ok()) {
        base += steps[axis] * (x.shape[axis] as i64 - 1);
        steps[axis] = -steps[axis];
    }
    let extents = x.shape.clone();
    lower.picked(&x, &Number::Known(base), &extents, &steps)
}

/// Elements where integer arrays say, along some axes; all of the others.
fn gather(lower: &mut Lower<'_>, op: &OpData) -> Result<Tile, Refusal> {
    let tiles = lower.tiles(op)?;
    let [x, indices @ ..] = tiles.as_slice() else { return Err(no("nothing is gathered")) };
    let axes: Vec<usize> = sizes(op, "axes").iter().filter_map(|&axis| usize::try_from(axis).ok()).collect();
    let (_, extents) = lower.result(op)?;
    let rank = indices.first().map_or(0, |tile| tile.shape.len());
    let neighbours = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let position = axes.first().copied().filter(|_| neighbours).unwrap_or(0);
    let whole = strides(&x.shape);
    let mut sum = lower.e.constant(DType::I32, &extents, Scalar::Int(0))?;
    let fills = op.attributes.str("mode") == Some("fill");
    let mut there: Option<Tile> = None;
    for (&axis, index) in axes.iter().zip(indices) {
        let e = &mut lower.e;
        let index = convert::cast(e, index, DType::I32)?;
        let index = shape::aligned(e, &index, position, &extents)?;
        let (zero, last) = (e.like(&index, 0.0)?, e.like(&index, x.shape[axis] as f64 - 1.0)?);
        let asked = index.clone();
        let index = arith::binary(e, "max", &index, &zero)?;
        let index = arith::binary(e, "min", &index, &last)?;
        if fills {
            let same = arith::compare(e, "eq", &asked, &index)?;
            there = Some(match there {
                Some(there) => arith::binary(e, "and", &there, &same)?,
                None => same,
            });
        }
        let far = arith::scaled(e, &index, whole[axis])?;
        sum = arith::binary(e, "add", &sum, &far)?;
    }
    let others = (0..x.shape.len()).filter(|axis| !axes.contains(axis));
    for (number, axis) in others.enumerate() {
        let e = &mut lower.e;
        let place = if number < position { number } else { number + rank };
        let line = shape::range(e, x.shape[axis])?;
        let line = arith::scaled(e, &line, whole[axis])?;
        let line = shape::aligned(e, &line, place, &extents)?;
        sum = arith::binary(e, "add", &sum, &line)?;
    }
    let from = lower.row_major(&x.shape)?;
    let found = lower.relayed(&[(x.clone(), from)], x.shape.iter().product(), &sum)?;
    match there {
        Some(there) => {
            let filler = lower.e.constant(x.dtype, &extents, Scalar::filler(x.dtype))?;
            arith::select(&mut lower.e, &there, &found, &filler)
        }
        None => Ok(found),
    }
}

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let rule = match op.op.name {
        "slice" => slice,
        "dynamic_slice" => dynamic_slice,
        "dynamic_update_slice" => dynamic_update_slice,
        "pad" => pad,
        "rev" => reversed,
        "gather" => gather,
        _ => return Ok(None),
    };
    Ok(one(rule(lower, op)?))
}
