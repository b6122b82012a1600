//! Running sums, products and extremes, through shared memory: each element takes in what stands 1, 2, 4, ... before it. Sums of
//! narrow floats round at every step, so they are taken in XLA's order: within blocks, then over what the blocks come to.

use super::context::{Lower, Tile};
use super::moves::Map;
use super::number::Number;
use crate::Refusal;
use crate::ir::{MemoryId, Value};
use pallas_ir::{Attributes, OpData, OpDef, ops};

/// Lines longer than this are done in blocks of it.
const BLOCK: usize = 16;

/// The elements along an axis.
struct Line {
    extent: usize,
    stride: i64,
}

impl Lower<'_> {
    pub(crate) fn lower_cumulative(&mut self, op: &OpData) -> Result<(), Refusal> {
        let def: Option<&'static OpDef> = match op.op.name {
            "cumsum" => Some(&ops::ADD),
            "cumprod" => Some(&ops::MUL),
            "cummax" => Some(&ops::MAX),
            "cummin" => Some(&ops::MIN),
            _ => None,
        };
        let tile = self.tile(op.operands[0])?;
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok());
        let axis = axis.ok_or_else(|| self.malformed())?;
        let reverse = op.attributes.flag("reverse");
        let dtype = self.b.ty(tile.value).dtype;
        if dtype.is_float() && dtype.bits() < 32 && !matches!(op.op.name, "cummax" | "cummin") {
            let value = self.in_blocks(&tile, axis, reverse, def);
            self.set(op, value);
            return Ok(());
        }
        let (layout, map) = (self.layout(&tile.shape), Map::row_major(&tile.shape));
        let stage = self.stage(self.b.ty(tile.value).dtype, tile.shape.iter().product());
        let elements = self.elements(&layout);
        let coord = self.b.coord(&layout, axis);
        let mut value = tile.value;
        let mut step = 1;
        while step < tile.shape[axis] {
            let once = self.once(&layout, elements);
            let index = self.address(&layout, &map.strides, map.base);
            self.b.store(stage, index, value, once, layout.is_private());
            let far = if reverse { step as i64 } else { -(step as i64) };
            let index = self.address(&layout, &map.strides, Number::Known(far * map.strides[axis]));
            let there = match reverse {
                true => {
                    let end = self.b.int(tile.shape[axis] as i64 - step as i64);
                    self.b.binary(&ops::LT, coord, end)
                }
                false => {
                    let begin = self.b.int(step as i64);
                    self.b.binary(&ops::GE, coord, begin)
                }
            };
            let mask = self.both(elements, there);
            let before = self.b.load(stage, index, Some(mask), None, false);
            let both = self.combined(def, before, value);
            value = self.b.select(mask, both, value);
            step *= 2;
        }
        self.set(op, value);
        Ok(())
    }

    fn combined(&mut self, def: Option<&'static OpDef>, before: Value, value: Value) -> Value {
        match def {
            Some(def) => self.b.binary(def, before, value),
            None => self.log_add_exp(before, value),
        }
    }

    /// In XLA's order. Lines are cut into blocks; an element combines what stands before it in its block, one after the other. What
    /// the blocks come to is a line of its own, done in the same way, and combined with the elements of the next block. Each
    /// element does this for the block that it is in, so that all levels lie where the elements do.
    fn in_blocks(&mut self, tile: &Tile, axis: usize, reverse: bool, def: Option<&'static OpDef>) -> Value {
        let (layout, map) = (self.layout(&tile.shape), Map::row_major(&tile.shape));
        let stage = self.stage(self.b.ty(tile.value).dtype, tile.shape.iter().product());
        let line = Line { extent: tile.shape[axis], stride: map.strides[axis] };
        let block = self.b.int(BLOCK as i64);
        let coord = self.b.coord(&layout, axis);
        let elements = self.elements(&layout);
        let home = self.address(&layout, &map.strides, map.base);
        let store = |cx: &mut Self, value: Value| {
            let once = cx.once(&layout, elements);
            cx.b.store(stage, home, value, once, layout.is_private());
        };
        // What an element's entry of each level comes to within its block, with how many elements an entry stands for, and how many
        // entries there are.
        let (mut levels, mut value, mut unit, mut count) = (Vec::new(), tile.value, 1, line.extent);
        loop {
            store(self, value);
            let width = self.b.int(unit as i64);
            let entry = self.b.binary(&ops::DIV, coord, width);
            let within = self.b.binary(&ops::REM, entry, block);
            let first = if reverse { entry } else { self.b.binary(&ops::SUB, entry, within) };
            let mut sum = value;
            for step in 0..BLOCK.min(count) {
                let far = self.b.int(step as i64);
                let other = self.b.binary(&ops::ADD, first, far);
                let here = match reverse {
                    false => self.b.binary(&ops::GE, within, far),
                    true => {
                        let end = self.b.int((BLOCK - step) as i64);
                        self.b.binary(&ops::LT, within, end)
                    }
                };
                // A block's total is with its last element, from where it is begun.
                let last = self.b.int(if reverse { 0 } else { unit as i64 - 1 });
                let begin = self.b.binary(&ops::MUL, other, width);
                let place = self.b.binary(&ops::ADD, begin, last);
                let (mask, there) = self.elsewhere(&line, stage, (home, coord), place, (elements, here));
                let both = if step == 0 { there } else { self.combined(def, sum, there) };
                sum = self.b.select(mask, both, sum);
            }
            levels.push((sum, unit, count));
            if count <= BLOCK {
                break;
            }
            (value, unit, count) = (sum, unit * BLOCK, count.div_ceil(BLOCK));
        }
        let (mut result, mut unit, mut count) = levels.pop().unwrap_or((value, 1, 1));
        for (sum, smaller, more) in levels.into_iter().rev() {
            store(self, result);
            let width = self.b.int(unit as i64);
            let entry = self.b.binary(&ops::DIV, coord, width);
            let (one, end) = (self.b.int(1), self.b.int(count as i64 - 1));
            let (next, here) = match reverse {
                true => (self.b.binary(&ops::ADD, entry, one), self.b.binary(&ops::LT, entry, end)),
                false => (self.b.binary(&ops::SUB, entry, one), self.b.binary(&ops::GE, entry, one)),
            };
            let place = self.b.binary(&ops::MUL, next, width);
            let (mask, before) = self.elsewhere(&line, stage, (home, coord), place, (elements, here));
            let both = self.combined(def, before, sum);
            result = self.b.select(mask, both, sum);
            (unit, count) = (smaller, more);
        }
        result
    }

    /// What is staged at another place of an element's line, where some condition holds and the line has such a place.
    fn elsewhere(
        &mut self,
        line: &Line,
        stage: MemoryId,
        (home, coord): (Value, Value),
        place: Value,
        (elements, here): (Option<Value>, Value),
    ) -> (Value, Value) {
        let extent = self.b.int(line.extent as i64);
        let inside = self.b.binary(&ops::LT, place, extent);
        let here = self.b.binary(&ops::AND, here, inside);
        let mask = self.both(elements, here);
        let far = self.b.binary(&ops::SUB, place, coord);
        let stride = self.b.int(line.stride);
        let far = self.b.binary(&ops::MUL, far, stride);
        let index = self.b.binary(&ops::ADD, home, far);
        (mask, self.b.load(stage, index, Some(mask), None, false))
    }

    /// The logarithm of the sum of two powers; infinities of one sign have no difference, and are their own sum.
    fn log_add_exp(&mut self, x: Value, y: Value) -> Value {
        let apart = self.b.binary(&ops::SUB, x, y);
        let far = self.unary(&ops::ABS, apart);
        let far = self.unary(&ops::NEG, far);
        let ratio = self.unary(&ops::EXP, far);
        let rest = self.unary(&ops::LOG1P, ratio);
        let larger = self.b.binary(&ops::MAX, x, y);
        let sum = self.b.binary(&ops::ADD, larger, rest);
        let alike = self.b.binary(&ops::ADD, x, y);
        let none = self.b.binary(&ops::NE, apart, apart);
        self.b.select(none, alike, sum)
    }

    /// A function of every register, which has the dtype that it takes.
    pub(crate) fn unary(&mut self, def: &'static OpDef, value: Value) -> Value {
        self.b.try_scalar(pallas_ir::Op(def), Attributes::none(), &[value]).unwrap_or(value)
    }
}
