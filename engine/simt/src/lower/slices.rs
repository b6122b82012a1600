//! Parts of tiles, updates of parts, and padding.

use super::context::{Lower, Tile};
use super::moves::Map;
use super::number::Number;
use crate::Refusal;
use pallas_ir::{OpData, ValueId, ops};

impl Lower<'_> {
    pub(crate) fn lower_slice(&mut self, op: &OpData) -> Result<(), Refusal> {
        let tile = self.held(op.operands[0])?;
        let from = Map::row_major(&tile.shape);
        let layout = self.dealt(op.results[0]);
        let (start, strides) = (self.axes(op, "start")?, self.axes(op, "strides")?);
        let base = start.iter().zip(&from.strides).map(|(&start, &stride)| start as i64 * stride).sum();
        let step = |dim: usize| strides.get(dim).copied().unwrap_or(1) as i64;
        let strides = from.strides.iter().enumerate().map(|(dim, &stride)| stride * step(dim)).collect();
        let value = self.deal_to(&[(tile, from)], &layout, &Map { base: Number::Known(base), strides });
        self.set_dealt(op.results[0], value, layout);
        Ok(())
    }

    /// Where a block of these extents begins that is moved inside of a tile.
    fn begin(&mut self, shape: &[usize], sizes: &[usize], starts: &[ValueId]) -> Result<Number, Refusal> {
        let strides = super::context::row_major(shape);
        let mut base = Number::Known(0);
        for (dim, &start) in starts.iter().enumerate() {
            let last = shape[dim] as i64 - sizes[dim] as i64;
            let start = self.number(start)?.clamp(&mut self.b, 0, last.max(0));
            let far = start.times(&mut self.b, strides[dim]);
            base = base.add(&mut self.b, far);
        }
        Ok(base)
    }

    pub(crate) fn lower_dynamic_slice(&mut self, op: &OpData) -> Result<(), Refusal> {
        let tile = self.tile(op.operands[0])?;
        let shape = self.function.ty(op.results[0]).shape().to_vec();
        let from = Map::row_major(&tile.shape);
        let base = self.begin(&tile.shape, &shape, &op.operands[1..])?;
        let to = Map { base, strides: from.strides.clone() };
        let value = self.deal(&[(tile, from)], &shape, &to);
        self.set(op, value);
        Ok(())
    }

    pub(crate) fn lower_dynamic_update_slice(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (tile, update) = (self.tile(op.operands[0])?, self.tile(op.operands[1])?);
        let whole = Map::row_major(&tile.shape);
        let base = self.begin(&tile.shape, &update.shape, &op.operands[2..])?;
        let part = Map { base, strides: whole.strides.clone() };
        let shape = tile.shape.clone();
        let value = self.deal(&[(tile, whole.clone()), (update, part)], &shape, &whole);
        self.set(op, value);
        Ok(())
    }

    pub(crate) fn lower_pad(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (tile, filler) = (self.tile(op.operands[0])?, self.tile(op.operands[1])?);
        let shape = self.function.ty(op.results[0]).shape().to_vec();
        let list = |name: &str| op.attributes.ints(name).unwrap_or_default().to_vec();
        let (low, high, interior) = (list("low"), list("high"), list("interior"));
        if low.iter().chain(&high).any(|&count| count < 0) {
            return self.lower_cut(op, &tile, &filler);
        }
        let whole = Map::row_major(&shape);
        let layout = self.layout(&shape);
        let around = self.spread(&filler, &layout, shape.len());
        let base = low.iter().zip(&whole.strides).map(|(&low, &stride)| low * stride).sum();
        let gap = |dim: usize| interior.get(dim).copied().unwrap_or(0) + 1;
        let strides = whole.strides.iter().enumerate().map(|(dim, &stride)| stride * gap(dim)).collect();
        let inside = Map { base: Number::Known(base), strides };
        let around = Tile { value: around, shape: shape.clone(), layout };
        let value = self.deal(&[(around, whole.clone()), (tile, inside)], &shape, &whole);
        self.set(op, value);
        Ok(())
    }

    /// Padding that takes away as well: every element of the result looks where it comes from.
    fn lower_cut(&mut self, op: &OpData, tile: &Tile, filler: &Tile) -> Result<(), Refusal> {
        let layout = self.layout(self.function.ty(op.results[0]).shape());
        let whole = Map::row_major(&tile.shape);
        let list = |name: &str| op.attributes.ints(name).unwrap_or_default().to_vec();
        let (low, interior) = (list("low"), list("interior"));
        let around = self.spread(filler, &layout, layout.shape.len());
        let stage = self.stage(self.b.ty(tile.value).dtype, tile.shape.iter().product());
        let elements = self.elements(&tile.layout);
        let once = self.once(&tile.layout, elements);
        let index = self.address(&tile.layout, &whole.strides, whole.base);
        self.b.store(stage, index, tile.value, once, tile.layout.is_private());
        let mut mask = self.elements(&layout);
        let mut index = self.b.int(0);
        for (dim, &extent) in tile.shape.iter().enumerate() {
            let gap = interior.get(dim).copied().unwrap_or(0) + 1;
            let (zero, end, gap) = (self.b.int(0), self.b.int(extent as i64), self.b.int(gap));
            let (coord, begin) = (self.b.coord(&layout, dim), self.b.int(low.get(dim).copied().unwrap_or(0)));
            let far = self.b.binary(&ops::SUB, coord, begin);
            let at = self.b.binary(&ops::DIV, far, gap);
            let rest = self.b.binary(&ops::REM, far, gap);
            for (def, value, limit) in [(&ops::GE, far, zero), (&ops::LT, at, end), (&ops::EQ, rest, zero)] {
                let fits = self.b.binary(def, value, limit);
                mask = Some(self.both(mask, fits));
            }
            let along = self.scaled(at, whole.strides[dim]);
            index = self.b.binary(&ops::ADD, index, along);
        }
        let index = self.b.splat(index, layout.registers());
        let value = self.b.load(stage, index, mask, Some(around), false);
        self.set(op, value);
        Ok(())
    }
}
