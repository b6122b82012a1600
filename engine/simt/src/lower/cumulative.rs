//! Running sums, products and extremes: each element takes in what stands 1, 2, 4, ... before it, through shared memory.

use super::context::Lower;
use super::moves::Map;
use super::number::Number;
use crate::Refusal;
use pallas_ir::{OpData, OpDef, ops};

impl Lower<'_> {
    pub(crate) fn lower_cumulative(&mut self, op: &OpData) -> Result<(), Refusal> {
        let def: &'static OpDef = match op.op.name {
            "cumsum" => &ops::ADD,
            "cumprod" => &ops::MUL,
            "cummax" => &ops::MAX,
            "cummin" => &ops::MIN,
            _ => return Err(self.refuse(op)),
        };
        let tile = self.tile(op.operands[0])?;
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok());
        let axis = axis.ok_or_else(|| self.malformed())?;
        let reverse = op.attributes.flag("reverse");
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
            let both = self.b.binary(def, before, value);
            value = self.b.select(mask, both, value);
            step *= 2;
        }
        self.set(op, value);
        Ok(())
    }
}
