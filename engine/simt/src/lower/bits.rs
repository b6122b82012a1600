//! The same bits as another dtype. Where that has another width, the pieces of an element are a last axis: they are shifted to
//! their places and joined, or taken apart.

use super::context::{Lower, Tile};
use super::moves::Map;
use crate::Refusal;
use crate::ir::{Builder, Value};
use pallas_ir::{Attribute, Attributes, OpData, ops};
use pallas_tensor::{DType, Scalar};

/// The unsigned integer of a width.
fn unsigned(bits: u32) -> Option<DType> {
    [DType::U8, DType::U16, DType::U32, DType::U64].into_iter().find(|dtype| dtype.bits() == bits)
}

impl Lower<'_> {
    /// To another width; between dtypes of one width it is elementwise.
    pub(crate) fn lower_bitcast(&mut self, op: &OpData) -> Result<(), Refusal> {
        let tile = self.held(op.operands[0])?;
        let to = self.function.ty(op.results[0]).dtype();
        let from = self.b.ty(tile.value).dtype;
        let (Some(old), Some(new)) = (unsigned(from.bits()), unsigned(to.bits())) else {
            return Err(self.refuse_because(op, "of less than eight bits is not lowered yet"));
        };
        let value = self.as_bits(tile.value, old);
        if from.bits() > to.bits() {
            let layout = self.dealt(op.results[0]);
            let last = layout.shape.len() - 1;
            let map = Map::row_major(&tile.shape);
            let mut spread = map.clone();
            spread.strides.push(0);
            let pieces = self.deal_to(&[(Tile { value, ..tile }, map)], &layout, &spread);
            let shift = self.shift(&layout, last, new.bits(), old);
            let piece = self.b.binary(&ops::SHIFT_RIGHT_LOGICAL, pieces, shift);
            let piece = self.b.convert(piece, new);
            let value = self.as_bits(piece, to);
            self.set_dealt(op.results[0], value, layout);
            return Ok(());
        }
        let last = tile.layout.shape.len() - 1;
        let wide = self.b.convert(value, new);
        let wide = self.or_identity(&tile.layout, wide, Scalar::zero(new));
        let shift = self.shift(&tile.layout, last, old.bits(), new);
        let placed = self.b.binary(&ops::SHIFT_LEFT, wide, shift);
        let fold = |b: &mut Builder, x: &[Value], y: &[Value]| vec![b.binary(&ops::OR, x[0], y[0])];
        let (joined, rest) = self.fold(vec![placed], &tile.layout, &[last], &fold);
        let value = self.as_bits(joined[0], to);
        self.set_dealt(op.results[0], value, rest);
        Ok(())
    }

    /// The same bits as another dtype of one width.
    pub(crate) fn as_bits(&mut self, value: Value, dtype: DType) -> Value {
        if self.b.ty(value).dtype == dtype {
            return value;
        }
        let attributes = Attributes::none().with("dtype", Attribute::DType(dtype));
        let op = pallas_ir::Op(&ops::BITCAST_CONVERT_TYPE);
        // Both are numbers of one width, which the type rule takes.
        self.b.try_scalar(op, attributes, &[value]).unwrap_or(value)
    }

    /// By how much the pieces along an axis are shifted.
    fn shift(&mut self, layout: &crate::layout::Layout, axis: usize, bits: u32, dtype: DType) -> Value {
        let coord = self.b.coord(layout, axis);
        let far = self.scaled(coord, i64::from(bits));
        self.b.convert(far, dtype)
    }
}
