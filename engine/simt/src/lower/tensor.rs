//! Tensor memory of Blackwell (`tcgen05`): accumulators that lie in lanes, a row in each, and products that one thread starts.

use super::context::Lower;
use super::number::Number;
use super::refs::{RefView, Shown};
use crate::Refusal;
use crate::ir::{MemoryId, Op, Space, TensorProduct, Ty, Value};
use crate::layout::{Layout, log2};
use pallas_ir::op::{AgentOp, MemoryOp};
use pallas_ir::{Function, MemorySpace, OpData, OpKind, RefType, ValueId};
use pallas_tensor::DType;

/// How what is loaded from tensor memory is dealt: a row for each thread.
fn rows(columns: usize) -> Layout {
    let regs = (0..log2(columns)).map(|bit| 1u32 << bit).collect();
    let threads = (0..7).map(|bit| 1u32 << (log2(columns) + bit)).collect();
    Layout { shape: [TensorProduct::LANES, columns].as_slice().into(), regs, threads }
}

/// What an op loads from tensor memory, and how that is dealt.
pub(crate) fn loads(function: &Function, op: &OpData) -> Option<(ValueId, Layout)> {
    let is_load = matches!(op.op.kind, OpKind::Memory(MemoryOp::Load));
    let is_tensor = function.ty(*op.operands.first()?).as_ref_type().is_some_and(|ty| ty.space == MemorySpace::Tmem);
    let result = *op.results.first()?;
    let &[lanes, columns] = &function.ty(result).shape()[..] else { return None };
    (is_load && is_tensor && lanes == TensorProduct::LANES && columns.is_power_of_two())
        .then(|| (result, rows(columns)))
}

impl Lower<'_> {
    pub(crate) fn tensor_memory(&mut self, ty: &RefType) -> Result<RefView, Refusal> {
        match ty.shape[..] {
            [TensorProduct::LANES, columns] if ty.dtype == DType::F32 && columns <= 512 => {
                let number = self.b.kernel().memories.len();
                let memory = self.b.memory(format!("tensor_{number}"), ty.dtype, columns, Space::Tensor);
                Ok(RefView::whole(memory, &ty.shape, false))
            }
            _ => Err(self.unknown(&format!("tensor memory of {} {}", ty.extents(), ty.dtype.name()))),
        }
    }

    /// Columns of tensor memory that a Ref shows, if it shows some: where they begin, and how many.
    fn columns(&mut self, op: &OpData, view: &RefView) -> Result<(MemoryId, Value, usize), Refusal> {
        let lanes = view.dims[0];
        let whole =
            lanes.offset == Number::Known(0) && lanes.shown == Shown::Range { size: TensorProduct::LANES, step: 1 };
        match view.dims[1].shown {
            Shown::Range { size, step: 1 } if whole && size.is_power_of_two() => {
                let first = view.dims[1].offset.value(&mut self.b);
                Ok((view.memory, first, size))
            }
            _ => Err(self
                .refuse_because(op, "of a part of tensor memory that is no columns of all lanes is not lowered yet")),
        }
    }

    /// A load or store of tensor memory; `false` if the Ref is somewhere else.
    pub(crate) fn lower_tensor_access(&mut self, op: &OpData, writes: bool) -> Result<bool, Refusal> {
        let view = self.reference(op.operands[0])?;
        if self.b.kernel().memory(view.memory).space != Space::Tensor {
            return Ok(false);
        }
        let pattern = op.attributes.index().cloned().ok_or_else(|| self.malformed())?;
        let first = 1 + usize::from(writes);
        let part = self.part(&view, &pattern, &op.operands[first..])?;
        let (memory, column, columns) = self.columns(op, &part)?;
        let layout = rows(columns);
        if writes {
            let tile = self.held(op.operands[1])?;
            let value = self.relaid(&tile, &layout);
            self.b.add(Op::StoreTensor(memory), &[column, value], &[], Vec::new());
        } else {
            let ty = Ty { dtype: DType::F32, regs: columns as u32 };
            let value = self.b.add(Op::LoadTensor(memory), &[column], &[ty], Vec::new())[0];
            self.set_dealt(op.results[0], value, layout);
        }
        Ok(true)
    }

    pub(crate) fn lower_tensor_product(&mut self, op: &OpData) -> Result<(), Refusal> {
        if op.attributes.flag("scaled") || op.attributes.flag("sparse") {
            return Err(self.refuse_because(op, "with scales or of sparse factors is not lowered yet"));
        }
        // A device takes tensor memory for one block or for two, and says so with each product.
        let together = op.attributes.int("axis").is_some();
        let mut others = self.function.ops.iter().filter(|other| matches!(other.op.kind, OpKind::Agent(AgentOp::Mma)));
        if others.any(|other| other.attributes.int("axis").is_some() != together) {
            return Err(self.refuse_because(op, "of one block in a kernel that has products of two is not lowered yet"));
        }
        self.by_leader(op, |this, first| this.tensor_product(op, first))
    }

    pub(crate) fn lower_tensor_commit(&mut self, op: &OpData) -> Result<(), Refusal> {
        self.by_leader(op, |this, first| this.tensor_commit(op, 0, first))
    }

    /// What one block does by itself, or the first of two blocks for both, whose number is then known.
    fn by_leader(
        &mut self,
        op: &OpData,
        make: impl FnOnce(&mut Self, Option<Value>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if op.attributes.int("axis").is_none() {
            return make(self, None);
        }
        let (leads, first) = self.pair(op)?;
        self.b.open(&[]);
        let made = make(self, Some(first));
        let body = self.b.close(Vec::new());
        made?;
        self.b.add(Op::Switch, &[leads], &[], vec![Default::default(), body]);
        Ok(())
    }

    fn tensor_commit(&mut self, op: &OpData, operand: usize, first: Option<Value>) -> Result<(), Refusal> {
        let (phases, which) = self.phases(op.operands[operand])?;
        let operands: Vec<Value> = [which].into_iter().chain(first).collect();
        self.b.add(Op::ArriveTensor { phases, pair: first.is_some() }, &operands, &[], Vec::new());
        Ok(())
    }

    fn tensor_product(&mut self, op: &OpData, first: Option<Value>) -> Result<(), Refusal> {
        let acc = self.reference(op.operands[0])?;
        let (left, right) = (self.reference(op.operands[1])?, self.reference(op.operands[2])?);
        let dtype = self.function.ty(op.operands[2]).dtype();
        if !matches!(dtype, DType::BF16 | DType::F16) {
            return Err(self.refuse_because(op, &format!("of {} is not lowered yet", dtype.name())));
        }
        let (memory, column, columns) = self.columns(op, &acc)?;
        let terms = right.shape().first().copied().unwrap_or(0);
        let (left, from) = self.factor(op, &left, 0)?;
        let (right, with) = self.factor(op, &right, 1)?;
        let adds = self.held(op.operands[3])?.value;
        let extents = [TensorProduct::LANES, columns, terms];
        if first.is_some() && columns > TensorProduct::COLUMNS {
            return Err(self.refuse_because(op, "of two blocks and more than 256 columns is not lowered yet"));
        }
        let product = TensorProduct { acc: memory, dtype, extents, left, right, pair: first.is_some() };
        self.b.add(Op::MultiplyTensor(product), &[column, from, with, adds], &[], Vec::new());
        match op.attributes.flag("barrier") {
            true => self.tensor_commit(op, 4, first),
            false => Ok(()),
        }
    }
}
