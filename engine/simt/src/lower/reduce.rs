//! Reductions, read off the layout: bits of the reduced dimensions that number registers are folded in each thread, those that
//! number lanes by shuffles, those that number warps through shared memory. All threads end with the same digits: in every step
//! they fold the same two numbers, or the same numbers in the same order.

use super::context::{Lower, Tile};
use super::number::Number;
use crate::Refusal;
use crate::ir::{Builder, Value};
use crate::layout::Layout;
use pallas_ir::{OpData, OpDef, ops};
use pallas_tensor::{DType, Kind, Scalar};
use smallvec::SmallVec;

/// Lanes are numbered by so many bits.
const LANE_BITS: usize = 5;

/// What two rows of registers become; arguments and result may be several values in step.
type Fold<'f> = &'f dyn Fn(&mut Builder, &[Value], &[Value]) -> Vec<Value>;

impl Lower<'_> {
    pub(crate) fn lower_reduce(&mut self, op: &OpData) -> Result<(), Refusal> {
        let mut tile = self.held(op.operands[0])?;
        let scaled = self.unscaled(op, &tile);
        if let Some((unscaled, _)) = &scaled {
            tile = unscaled.clone();
        }
        let axes = self.axes(op, "axes")?;
        let dtype = self.b.ty(tile.value).dtype;
        let def: &'static OpDef = match op.op.name {
            "reduce_sum" => &ops::ADD,
            "reduce_prod" => &ops::MUL,
            "reduce_max" => &ops::MAX,
            "reduce_min" => &ops::MIN,
            "reduce_and" => &ops::AND,
            "reduce_or" => &ops::OR,
            _ => &ops::XOR,
        };
        // Sums of narrow floats lose less in a wide one.
        let narrow = dtype.is_float() && dtype.bits() < 32 && matches!(def.name, "add" | "mul");
        let value = if narrow { self.b.convert(tile.value, DType::F32) } else { tile.value };
        let wide = self.b.ty(value).dtype;
        let layout = tile.layout.clone();
        let value = self.or_identity(&layout, value, identity(def.name, wide));
        let fold = |b: &mut Builder, x: &[Value], y: &[Value]| vec![b.binary(def, x[0], y[0])];
        let (folded, rest) = self.fold(vec![value], &layout, &axes, &fold);
        let mut value = self.b.convert(folded[0], dtype);
        if let Some((_, scale)) = scaled {
            let scale = self.b.constant(dtype, scale, self.b.ty(value).regs);
            value = self.b.binary(&ops::MUL, value, scale);
        }
        self.set_dealt(op.results[0], value, rest);
        Ok(())
    }

    /// What a maximum or a minimum is taken of, and by which number it may be multiplied afterwards: of `x * c`, where `c` is a power of
    /// 2, it is that of `x` times `c`. Scores of attention are then scaled only where the maximum is subtracted from them, and the
    /// compiler makes one instruction of both. It rounds once, as both did: a product with a power of 2 is exact. Other factors would
    /// do, too, but not to the last bit: in interpret mode the largest score less the maximum is 0.
    fn unscaled(&self, op: &OpData, tile: &Tile) -> Option<(Tile, Scalar)> {
        if !matches!(op.op.name, "reduce_max" | "reduce_min") {
            return None;
        }
        let product = self.function.ops.iter().find(|made| made.results.contains(&op.operands[0]))?;
        let &[left, right] = product.operands.as_slice() else { return None };
        if product.op.name != "mul" || !matches!(self.b.ty(tile.value).dtype, DType::F32 | DType::F64) {
            return None;
        }
        [(left, right), (right, left)].into_iter().find_map(|(value, scale)| {
            let (value, scale) = (self.held(value).ok()?, self.b.constant_of(self.held(scale).ok()?.value)?);
            let is_power = |scale: f64| scale.is_normal() && scale > 0.0 && scale.to_bits() << 12 == 0;
            let fits = scale.as_f64().is_some_and(is_power);
            (fits && value.layout == tile.layout && value.shape == tile.shape).then_some((value, scale))
        })
    }

    /// Places that hold no element hold what changes nothing.
    pub(crate) fn or_identity(&mut self, layout: &Layout, value: Value, identity: Scalar) -> Value {
        let Some(mask) = self.elements(layout) else { return value };
        let dtype = self.b.ty(value).dtype;
        let identity = self.b.constant(dtype, identity, 1);
        self.b.select(mask, value, identity)
    }

    pub(crate) fn lower_arg(&mut self, op: &OpData) -> Result<(), Refusal> {
        let tile = self.held(op.operands[0])?;
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok());
        let axis = axis.ok_or_else(|| self.malformed())?;
        let largest = op.op.name == "argmax";
        let layout = tile.layout.clone();
        let value = match self.b.ty(tile.value).dtype {
            DType::Bool => self.b.convert(tile.value, DType::I32),
            _ => tile.value,
        };
        let dtype = self.b.ty(value).dtype;
        let value = self.or_identity(&layout, value, identity(if largest { "max" } else { "min" }, dtype));
        let place = self.b.coord(&layout, axis);
        let place = self.or_identity(&layout, place, Scalar::Int(i32::MAX.into()));
        let fold = |b: &mut Builder, x: &[Value], y: &[Value]| {
            let before = b.binary(&ops::LT, y[1], x[1]);
            let same = b.binary(&ops::EQ, y[0], x[0]);
            let tied = b.binary(&ops::AND, same, before);
            let beats = b.binary(if largest { &ops::GT } else { &ops::LT }, y[0], x[0]);
            let mut better = b.binary(&ops::OR, beats, tied);
            if dtype.is_float() {
                // The first NaN, if there is one.
                let (nan, other) = (b.binary(&ops::NE, y[0], y[0]), b.binary(&ops::NE, x[0], x[0]));
                let first = b.binary(&ops::AND, nan, before);
                let either = b.select(other, first, nan);
                let any = b.binary(&ops::OR, nan, other);
                better = b.select(any, either, better);
            }
            vec![b.select(better, y[0], x[0]), b.select(better, y[1], x[1])]
        };
        let (folded, rest) = self.fold(vec![value, place], &layout, &[axis], &fold);
        let dtype = self.function.ty(op.results[0]).dtype();
        let place = self.b.convert(folded[1], dtype);
        self.set_dealt(op.results[0], place, rest);
        Ok(())
    }

    /// Folds along axes; the results with their layout.
    pub(crate) fn fold(
        &mut self,
        mut values: Vec<Value>,
        layout: &Layout,
        axes: &[usize],
        fold: Fold<'_>,
    ) -> (Vec<Value>, Layout) {
        let reduced = |flips: u32| axes.iter().any(|&axis| layout.coord(flips, axis) != 0);
        let mut regs: Vec<u32> = layout.regs.to_vec();
        for bit in (0..regs.len()).rev() {
            if !reduced(regs[bit]) {
                continue;
            }
            let count = 1u32 << regs.len();
            let half = |set: u32| -> Vec<u32> { (0..count).filter(|register| register >> bit & 1 == set).collect() };
            let low: Vec<Value> = values.iter().map(|&value| self.b.pick(value, half(0))).collect();
            let high: Vec<Value> = values.iter().map(|&value| self.b.pick(value, half(1))).collect();
            values = fold(&mut self.b, &low, &high);
            regs.remove(bit);
        }
        for (bit, &flips) in layout.threads.iter().enumerate().take(LANE_BITS) {
            if reduced(flips) {
                let other: Vec<Value> = values.iter().map(|&value| self.b.shuffle_xor(value, 1 << bit)).collect();
                values = fold(&mut self.b, &values, &other);
            }
        }
        let warps: Vec<usize> = (LANE_BITS..layout.threads.len()).filter(|&bit| reduced(layout.threads[bit])).collect();
        if !warps.is_empty() {
            values = self.fold_warps(values, &warps, fold);
        }
        (values, layout.without(axes))
    }

    /// Every thread reads what its namesakes in the other warps have, in the order of the warps.
    fn fold_warps(&mut self, values: Vec<Value>, warps: &[usize], fold: Fold<'_>) -> Vec<Value> {
        let threads = 1usize << self.log_threads;
        let regs = self.b.ty(values[0]).regs as usize;
        let own = exchange(regs, self.log_threads, &[]);
        let others = exchange(regs, self.log_threads, warps);
        let strides = [threads as i64, 1];
        let rounds: Vec<Vec<Value>> = values
            .iter()
            .map(|&value| {
                let stage = self.stage(self.b.ty(value).dtype, regs * threads);
                let index = self.address(&own, &strides, Number::Known(0));
                self.b.store(stage, index, value, None, true);
                let combinations = 0..1usize << warps.len();
                let loads = combinations.map(|number| {
                    let bits = warps.iter().enumerate().filter(|(position, _)| number >> position & 1 == 1);
                    let base: i64 = bits.map(|(_, bit)| 1i64 << bit).sum();
                    let index = self.address(&others, &strides, Number::Known(base));
                    self.b.load(stage, index, None, None, false)
                });
                loads.collect()
            })
            .collect();
        let round = |number: usize| -> Vec<Value> { rounds.iter().map(|loads| loads[number]).collect() };
        (1..1usize << warps.len()).fold(round(0), |folded, number| fold(&mut self.b, &folded, &round(number)))
    }
}

/// Registers by threads; threads that differ in the bits `without` have the same place.
fn exchange(regs: usize, log_threads: usize, without: &[usize]) -> Layout {
    let bits = regs.trailing_zeros() as usize;
    Layout {
        shape: SmallVec::from_slice(&[regs, 1 << log_threads]),
        regs: (0..bits).map(|bit| 1 << (bit + log_threads)).collect(),
        threads: (0..log_threads).map(|bit| if without.contains(&bit) { 0 } else { 1 << bit }).collect(),
    }
}

/// What changes nothing.
fn identity(op: &str, dtype: DType) -> Scalar {
    let limits = dtype.iinfo();
    match (op, dtype.kind()) {
        ("max", Kind::Float) => Scalar::Float(f64::NEG_INFINITY),
        ("min", Kind::Float) => Scalar::Float(f64::INFINITY),
        ("max", Kind::Bool) => Scalar::Bool(false),
        ("min" | "and", Kind::Bool) => Scalar::Bool(true),
        ("max", _) => Scalar::Int(limits.map_or(0, |limits| limits.min)),
        ("min", _) => Scalar::Int(limits.map_or(0, |limits| limits.max)),
        ("mul", Kind::Float) => Scalar::Float(1.0),
        ("mul", _) => Scalar::Int(1),
        ("and", _) => Scalar::Int(-1).cast(dtype),
        _ => Scalar::zero(dtype),
    }
}
