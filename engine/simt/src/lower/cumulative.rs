//! Running sums, products and extremes: each element takes in what stands 1, 2, 4, ... before it, through shared memory.

use super::context::Lower;
use super::moves::Map;
use super::number::Number;
use crate::Refusal;
use crate::ir::Value;
use pallas_ir::{Attributes, OpData, OpDef, ops};
use pallas_tensor::DType;

impl Lower<'_> {
    pub(crate) fn lower_cumulative(&mut self, op: &OpData) -> Result<(), Refusal> {
        let def: Option<&'static OpDef> = match op.op.name {
            "cumsum" => Some(&ops::ADD),
            "cumprod" => Some(&ops::MUL),
            "cummax" => Some(&ops::MAX),
            "cummin" => Some(&ops::MIN),
            _ => None,
        };
        let mut tile = self.tile(op.operands[0])?;
        // Sums of narrow floats lose less in a wide one.
        let narrow = self.b.ty(tile.value).dtype;
        if narrow.is_float() && narrow.bits() < 32 {
            tile.value = self.b.convert(tile.value, DType::F32);
        }
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
            let both = match def {
                Some(def) => self.b.binary(def, before, value),
                None => self.log_add_exp(before, value),
            };
            value = self.b.select(mask, both, value);
            step *= 2;
        }
        let value = self.b.convert(value, narrow);
        self.set(op, value);
        Ok(())
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
