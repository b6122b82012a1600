//! Sorting along an axis: a bitonic network. In each step an element meets the one that stands a power of two away and keeps the
//! earlier or the later of the two. Layouts are linear over bits, so whom it meets is another register of the thread, another
//! lane, or, only for what warps share, in shared memory.
//!
//! Equals keep their order, which a network by itself does not see to: where they can be told apart, elements carry their old
//! places, and the place decides. What rounds the axis up to a power of two comes last.

use super::context::{Lower, Tile};
use super::moves::Map;
use super::number::Number;
use crate::Refusal;
use crate::ir::Value;
use crate::layout::{Layout, log2};
use pallas_ir::{OpData, OpDef, ops};
use pallas_tensor::{DType, Scalar};

/// Lanes are numbered by so many bits.
const LANE_BITS: usize = 5;
/// Where tiles lie that meet across warps, one number for each; below are products and tiles that change hands.
const FIRST_STAGE: usize = 8;

/// What decides between two elements.
#[derive(Clone, Copy)]
struct Order {
    /// So many values are compared, the first first.
    keys: usize,
    /// Whether the largest come first.
    largest: bool,
    /// Whether the last value is the old place.
    placed: bool,
}

impl Lower<'_> {
    pub(crate) fn lower_sort(&mut self, op: &OpData) -> Result<(), Refusal> {
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok());
        let axis = axis.ok_or_else(|| self.malformed())?;
        let keys = op.attributes.int("num_keys").and_then(|keys| usize::try_from(keys).ok()).unwrap_or(1);
        let tiles = op.operands.iter().map(|&operand| self.tile(operand)).collect::<Result<Vec<Tile>, Refusal>>()?;
        let Some(layout) = tiles.first().map(|tile| tile.layout.clone()) else { return Err(self.malformed()) };
        let values = tiles.iter().map(|tile| tile.value).collect();
        let sorted = self.sorted(values, keys, &layout, axis, false);
        for (&result, value) in op.results.iter().zip(sorted) {
            self.set_value(result, value);
        }
        Ok(())
    }

    pub(crate) fn lower_top_k(&mut self, op: &OpData) -> Result<(), Refusal> {
        let tile = self.tile(op.operands[0])?;
        let Some(axis) = tile.shape.len().checked_sub(1) else { return Err(self.malformed()) };
        let place = self.b.coord(&tile.layout, axis);
        let sorted = self.sorted(vec![tile.value, place], 1, &tile.layout, axis, true);
        let whole = Map::row_major(&tile.shape);
        for (&result, value) in op.results.iter().zip(sorted) {
            let shape = self.function.ty(result).shape().to_vec();
            let from = Map { base: Number::Known(0), strides: whole.strides.clone() };
            let first = self.deal(&[(Tile { value, ..tile.clone() }, whole.clone())], &shape, &from);
            self.set_value(result, first);
        }
        Ok(())
    }

    /// Values that are moved alike, sorted by the first of them.
    fn sorted(
        &mut self,
        mut values: Vec<Value>,
        keys: usize,
        layout: &Layout,
        axis: usize,
        largest: bool,
    ) -> Vec<Value> {
        let dtypes: Vec<DType> = values.iter().map(|&value| self.b.ty(value).dtype).collect();
        for (number, value) in values.iter_mut().enumerate().take(keys) {
            if dtypes[number] == DType::Bool {
                *value = self.b.convert(*value, DType::I32);
            }
            let dtype = self.b.ty(*value).dtype;
            *value = self.or_identity(layout, *value, last(dtype, largest));
        }
        let alike = values.len() == 1 && !dtypes[0].is_float();
        if !alike {
            values.push(self.b.coord(layout, axis));
        }
        let order = Order { keys, largest, placed: !alike };
        let (low, _) = layout.field(axis);
        let bits = log2(layout.shape[axis]) as u32;
        for size in 1..=bits {
            for distance in (0..size).rev() {
                let others = self.across(&values, layout, 1 << (low + distance));
                let later = self.keeps_later(layout, axis, distance, size);
                let earlier = self.comes_before(&others, &values, order);
                let takes = self.b.binary(&ops::NE, earlier, later);
                for (value, other) in values.iter_mut().zip(others) {
                    *value = self.b.select(takes, other, *value);
                }
            }
        }
        let sorted = values.into_iter().zip(dtypes);
        sorted.map(|(value, dtype)| if dtype == DType::Bool { self.b.convert(value, dtype) } else { value }).collect()
    }

    /// What stands where a place differs in one bit.
    fn across(&mut self, values: &[Value], layout: &Layout, flips: u32) -> Vec<Value> {
        if let Some(bit) = layout.regs.iter().position(|&other| other == flips) {
            let table: Vec<u32> = (0..layout.registers()).map(|register| register ^ 1 << bit).collect();
            return values.iter().map(|&value| self.b.pick(value, table.clone())).collect();
        }
        if let Some(lane) = layout.threads.iter().take(LANE_BITS).position(|&other| other == flips) {
            return values.iter().map(|&value| self.b.shuffle_xor(value, 1 << lane)).collect();
        }
        // By places, so that those that are no elements have one, too.
        let bits: usize = layout.shape.iter().map(|&extent| log2(extent)).sum();
        let places = layout.mapped(&[1 << bits], |flips| flips);
        let own = self.address(&places, &[1], Number::Known(0));
        let far = self.b.int(i64::from(flips));
        let other = self.b.binary(&ops::XOR, own, far);
        let once = self.once(layout, None);
        let stages: Vec<_> = values
            .iter()
            .enumerate()
            .map(|(number, &value)| {
                let stage = self.numbered_stage(self.b.ty(value).dtype, FIRST_STAGE + number, 1 << bits);
                self.b.store(stage, own, value, once, layout.is_private());
                stage
            })
            .collect();
        stages.into_iter().map(|stage| self.b.load(stage, other, None, None, false)).collect()
    }

    /// Whether the place is the one of two that keeps the later element: the farther one where rows rise, the nearer one where
    /// they fall, as every other row of `1 << size` does so that two of them are one of the next step.
    fn keeps_later(&mut self, layout: &Layout, axis: usize, distance: u32, size: u32) -> Value {
        let coord = self.b.coord(layout, axis);
        let mut bit = |bit: u32| {
            let by = self.b.int(i64::from(bit));
            self.b.binary(&ops::SHIFT_RIGHT_LOGICAL, coord, by)
        };
        let (far, falls) = (bit(distance), bit(size));
        let either = self.b.binary(&ops::XOR, far, falls);
        let (one, zero) = (self.b.int(1), self.b.int(0));
        let lowest = self.b.binary(&ops::AND, either, one);
        self.b.binary(&ops::NE, lowest, zero)
    }

    /// Whether elements come before others.
    fn comes_before(&mut self, these: &[Value], those: &[Value], order: Order) -> Value {
        let mut before = match (order.placed, these.last(), those.last()) {
            (true, Some(&this), Some(&that)) => Some(self.b.binary(&ops::LT, this, that)),
            _ => None,
        };
        for (&this, &that) in these.iter().zip(those).take(order.keys).rev() {
            let (less, same) = self.compared(this, that, order.largest);
            before = Some(match before {
                Some(rest) => {
                    let tied = self.b.binary(&ops::AND, same, rest);
                    self.b.binary(&ops::OR, less, tied)
                }
                None => less,
            });
        }
        before.unwrap_or_else(|| self.b.constant(DType::Bool, Scalar::Bool(false), 1))
    }

    /// Whether a key comes before another, and whether they are equal. NaN is equal to NaN, and larger than all numbers.
    fn compared(&mut self, this: Value, that: Value, largest: bool) -> (Value, Value) {
        let def: &'static OpDef = if largest { &ops::GT } else { &ops::LT };
        let (less, same) = (self.b.binary(def, this, that), self.b.binary(&ops::EQ, this, that));
        if !self.b.ty(this).dtype.is_float() {
            return (less, same);
        }
        let (nan, other) = (self.b.binary(&ops::NE, this, this), self.b.binary(&ops::NE, that, that));
        let (first, second) = if largest { (nan, other) } else { (other, nan) };
        let differ = self.b.binary(&ops::GT, first, second);
        let both = self.b.binary(&ops::AND, nan, other);
        (self.b.binary(&ops::OR, less, differ), self.b.binary(&ops::OR, same, both))
    }
}

/// What nothing comes after.
fn last(dtype: DType, largest: bool) -> Scalar {
    match (dtype.iinfo(), largest) {
        (Some(limits), false) => Scalar::Int(limits.max),
        (Some(limits), true) => Scalar::Int(limits.min),
        (None, false) => Scalar::Float(f64::NAN),
        (None, true) => Scalar::Float(f64::NEG_INFINITY),
    }
}
