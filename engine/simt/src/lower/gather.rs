//! Elements of a tile at computed positions, through shared memory.

use super::context::{Lower, Tile, row_major};
use super::number::Number;
use crate::Refusal;
use pallas_ir::{OpData, ops};
use pallas_tensor::{DType, Scalar};

impl Lower<'_> {
    pub(crate) fn lower_gather(&mut self, op: &OpData) -> Result<(), Refusal> {
        let tile = self.tile(op.operands[0])?;
        let axes = self.axes(op, "axes")?;
        let shape = self.function.ty(op.results[0]).shape().to_vec();
        let dtype = self.b.ty(tile.value).dtype;
        let rank = op.operands.get(1).map_or(0, |&index| self.function.ty(index).shape().rank());
        let neighbours = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let position = axes.first().copied().filter(|_| neighbours).unwrap_or(0);
        let strides = row_major(&tile.shape);
        // Not the one of tiles that change hands: the positions may.
        let stage = self.numbered_stage(dtype, 1, tile.shape.iter().product());
        let from = self.layout(&tile.shape);
        let elements = self.elements(&from);
        let once = self.once(&from, elements);
        let index = self.address(&from, &strides, Number::Known(0));
        self.b.store(stage, index, tile.value, once, from.is_private());
        let layout = self.layout(&shape);
        let mut along = vec![0; shape.len()];
        let kept = (0..tile.shape.len()).filter(|axis| !axes.contains(axis));
        for (number, axis) in kept.enumerate() {
            along[if number < position { number } else { number + rank }] = strides[axis];
        }
        let mut index = self.address(&layout, &along, Number::Known(0));
        let mut mask = self.elements(&layout);
        let fill = op.attributes.str("mode") == Some("fill");
        for (&axis, &operand) in axes.iter().zip(&op.operands[1..]) {
            let at = self.tile(operand)?;
            let at = Tile { value: self.b.convert(at.value, DType::I32), ..at };
            let at = self.spread(&at, &layout, position + rank);
            let (zero, last) = (self.b.int(0), self.b.int((tile.shape[axis] as i64 - 1).max(0)));
            let above = self.b.binary(&ops::MAX, at, zero);
            let inside = self.b.binary(&ops::MIN, above, last);
            if fill {
                let same = self.b.binary(&ops::EQ, at, inside);
                mask = Some(self.both(mask, same));
            }
            let stride = self.b.int(strides[axis]);
            let far = self.b.binary(&ops::MUL, inside, stride);
            index = self.b.binary(&ops::ADD, index, far);
        }
        let other = fill.then(|| self.b.constant(dtype, Scalar::filler(dtype), 1));
        let value = self.b.load(stage, index, mask, other, false);
        self.set(op, value);
        Ok(())
    }
}
