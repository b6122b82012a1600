//! Sums of products over any axes. Both factors lie in shared memory; every thread sums up the elements of the result that are
//! dealt to it, one term after the other.

use super::context::{Lower, row_major};
use super::dot::sums_of;
use super::moves::Map;
use super::number::Number;
use crate::Refusal;
use crate::ir::{MemoryId, Op, Ty, Value};
use crate::layout::Layout;
use pallas_ir::{OpData, ops};
use pallas_tensor::{DType, Scalar};

/// One factor in shared memory.
struct Factor {
    stage: MemoryId,
    /// Address of the first term of every element of the result.
    index: Value,
    /// How far the terms are apart along each contracting axis.
    steps: Vec<i64>,
}

/// What does not change from term to term.
struct Sum {
    left: Factor,
    right: Factor,
    extents: Vec<usize>,
    dtype: DType,
    mask: Option<Value>,
}

impl Lower<'_> {
    pub(crate) fn lower_terms(&mut self, op: &OpData) -> Result<(), Refusal> {
        let result = self.function.ty(op.results[0]).clone();
        let lists = |name: &str, side: usize| -> Vec<usize> {
            let lists = op.attributes.int_lists(name).unwrap_or_default();
            lists.get(side).map_or_else(Vec::new, |list| list.iter().filter_map(|&n| usize::try_from(n).ok()).collect())
        };
        let layout = self.layout(result.shape());
        let dtype = match result.dtype() {
            DType::Bool => return Err(self.refuse(op)),
            dtype => sums_of(dtype),
        };
        let batch = lists("batch", 0).len();
        let mut first_free = batch;
        let mut factors = Vec::new();
        let mut extents = Vec::new();
        for side in 0..2 {
            let tile = self.tile(op.operands[side])?;
            let strides = row_major(&tile.shape);
            let (batches, contracting) = (lists("batch", side), lists("contracting", side));
            let mut along = vec![0; layout.shape.len()];
            for (position, &axis) in batches.iter().enumerate() {
                along[position] = strides[axis];
            }
            for axis in (0..tile.shape.len()).filter(|axis| !batches.contains(axis) && !contracting.contains(axis)) {
                along[first_free] = strides[axis];
                first_free += 1;
            }
            let len: usize = tile.shape.iter().product();
            let kind = self.b.ty(tile.value).dtype;
            let stage = self.numbered_stage(kind, 1 + side, len);
            let from = self.layout(&tile.shape);
            let map = Map { base: Number::Known(0), strides: strides.clone() };
            let elements = self.elements(&from);
            let once = self.once(&from, elements);
            let index = self.address(&from, &map.strides, map.base);
            self.b.store(stage, index, tile.value, once, from.is_private());
            let index = self.address(&layout, &along, map.base);
            extents = contracting.iter().map(|&axis| tile.shape[axis]).collect();
            factors.push(Factor { stage, index, steps: contracting.iter().map(|&axis| strides[axis]).collect() });
        }
        let mask = self.elements(&layout);
        let (Some(right), Some(left)) = (factors.pop(), factors.pop()) else { return Err(self.malformed()) };
        let sum = Sum { left, right, extents, dtype, mask };
        let zero = self.b.constant(dtype, Scalar::zero(dtype), layout.registers());
        let total = self.terms(&sum, 0, zero, (sum.left.index, sum.right.index), &layout);
        let value = self.b.convert(total, result.dtype());
        self.set(op, value);
        Ok(())
    }

    /// Adds the terms along the contracting axes from this one on.
    fn terms(&mut self, sum: &Sum, axis: usize, total: Value, at: (Value, Value), layout: &Layout) -> Value {
        let Some(&extent) = sum.extents.get(axis) else {
            let left = self.b.load(sum.left.stage, at.0, sum.mask, None, false);
            let right = self.b.load(sum.right.stage, at.1, sum.mask, None, false);
            let (left, right) = (self.b.convert(left, sum.dtype), self.b.convert(right, sum.dtype));
            let term = self.b.binary(&ops::MUL, left, right);
            return self.b.binary(&ops::ADD, total, term);
        };
        let ty = Ty { dtype: sum.dtype, regs: layout.registers() };
        let (lower, upper) = (self.b.int(0), self.b.int(extent as i64));
        let params = self.b.open(&[Ty { dtype: DType::I32, regs: 1 }, ty]);
        let counter = Number::Computed(params[0]);
        let mut moved = |index: Value, step: i64| {
            let far = counter.times(&mut self.b, step).value(&mut self.b);
            self.b.binary(&ops::ADD, index, far)
        };
        let at = (moved(at.0, sum.left.steps[axis]), moved(at.1, sum.right.steps[axis]));
        let inner = self.terms(sum, axis + 1, params[1], at, layout);
        let body = self.b.close(vec![inner]);
        self.b.add(Op::For, &[lower, upper, total], &[ty], vec![body])[0]
    }
}
