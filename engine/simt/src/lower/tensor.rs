//! Tensor memory of Blackwell (`tcgen05`): accumulators that lie in lanes, a row in each, and products that one thread starts.

use super::context::Lower;
use super::number::Number;
use super::refs::{RefView, Shown};
use crate::Refusal;
use crate::ir::{Factor, LeftFactor, MemoryId, Op, Space, TensorProduct, Ty, Value};
use crate::layout::{Layout, log2};
use pallas_ir::op::{AgentOp, MemoryOp};
use pallas_ir::{Function, MemorySpace, OpData, OpKind, RefType, ValueId};
use pallas_tensor::DType;

/// Columns that a device has.
pub(super) const MOST: usize = 512;

/// Whether products of a kernel are those of two blocks: a device takes tensor memory for one block or for two.
fn of_pairs(function: &Function) -> bool {
    function
        .ops
        .iter()
        .any(|op| matches!(op.op.kind, OpKind::Agent(AgentOp::Mma)) && op.attributes.int("axis").is_some())
}

/// How what is loaded from tensor memory is dealt: a lane for each thread.
fn lanes([rows, columns]: [usize; 2], pair: bool) -> Layout {
    let (row, column) = (|bit: usize| 1u32 << (log2(columns) + bit), |bit: usize| 1u32 << bit);
    let bits = log2(TensorProduct::columns([rows, columns]));
    let regs = (0..bits).map(column).collect();
    let threads = match rows {
        TensorProduct::HALF if pair => (0..6).map(row).chain([column(bits)]).collect(),
        TensorProduct::HALF => (0..4).map(row).chain([column(bits)]).chain((4..6).map(row)).collect(),
        _ => (0..7).map(row).collect(),
    };
    Layout { shape: [rows, columns].as_slice().into(), regs, threads }
}

/// Whether tensor memory has so many rows and columns of a dtype.
fn fits([rows, columns]: [usize; 2], dtype: DType) -> bool {
    let bits = columns * dtype.bits() as usize;
    match rows {
        TensorProduct::LANES => matches!(dtype.bits(), 8 | 16 | 32) && bits.is_multiple_of(32) && bits / 32 <= MOST,
        TensorProduct::HALF => dtype.bits() == 32 && columns.is_power_of_two() && (32..=2 * MOST).contains(&columns),
        _ => false,
    }
}

/// Elements that one column of tensor memory has.
pub(crate) fn packed(dtype: DType) -> usize {
    4 / dtype.size_bytes().clamp(1, 4)
}

/// What an op loads from tensor memory, and how that is dealt.
pub(crate) fn loads(function: &Function, op: &OpData) -> Option<(ValueId, Layout)> {
    let is_load = matches!(op.op.kind, OpKind::Memory(MemoryOp::Load));
    let is_tensor = function.ty(*op.operands.first()?).as_ref_type().is_some_and(|ty| ty.space == MemorySpace::Tmem);
    let result = *op.results.first()?;
    let &[rows, columns] = &function.ty(result).shape()[..] else { return None };
    (is_load && is_tensor && fits([rows, columns], function.ty(result).dtype()) && columns.is_power_of_two())
        .then(|| (result, lanes([rows, columns], of_pairs(function))))
}

impl Lower<'_> {
    pub(crate) fn tensor_memory(&mut self, ty: &RefType) -> Result<RefView, Refusal> {
        match ty.shape[..] {
            [rows, columns] if fits([rows, columns], ty.dtype) => {
                let number = self.b.kernel().memories.len();
                let columns = TensorProduct::columns([rows, columns]);
                let memory = self.b.memory(format!("tensor_{number}"), ty.dtype, columns, Space::Tensor);
                Ok(RefView::whole(memory, &ty.shape, false))
            }
            _ => Err(self.unknown(&format!("tensor memory of {} {}", ty.extents(), ty.dtype.name()))),
        }
    }

    /// Columns of tensor memory that a Ref shows, if it shows some: where they begin, and how many rows and columns there are.
    pub(super) fn columns(&mut self, op: &OpData, view: &RefView) -> Result<(MemoryId, Value, [usize; 2]), Refusal> {
        let why = "of a part of tensor memory that is no columns of all lanes is not lowered yet";
        let memory = self.b.kernel().memory(view.memory);
        let (width, packed) = (memory.len, packed(memory.dtype));
        let [row, column] = view.dims[..] else { return Err(self.refuse_because(op, why)) };
        let (Shown::Range { size: rows, step: 1 }, Shown::Range { size: columns, step: 1 }) = (row.shown, column.shown)
        else {
            return Err(self.refuse_because(op, why));
        };
        // Half of the columns are in other lanes than the rest, where rows have half of them.
        let apart = rows == TensorProduct::HALF && TensorProduct::columns([rows, columns]) != width;
        let begins = match column.offset {
            Number::Known(first) => first % packed as i64 == 0,
            // As the program says; the simulator looks.
            Number::Computed(_) => true,
        };
        let whole = row.offset == Number::Known(0) && matches!(rows, TensorProduct::LANES | TensorProduct::HALF);
        if !whole || apart || !begins || !columns.is_power_of_two() || !columns.is_multiple_of(packed) {
            return Err(self.refuse_because(op, why));
        }
        Ok((view.memory, column.offset.value(&mut self.b), [rows, columns]))
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
        let (memory, column, extents) = self.columns(op, &part)?;
        let layout = lanes(extents, of_pairs(self.function));
        if writes {
            let tile = self.held(op.operands[1])?;
            let value = self.relaid(&tile, &layout);
            self.b.add(Op::StoreTensor(memory), &[column, value], &[], Vec::new());
        } else {
            let ty = Ty { dtype: self.b.kernel().memory(memory).dtype, regs: layout.registers() };
            let value = self.b.add(Op::LoadTensor(memory), &[column], &[ty], Vec::new())[0];
            self.set_dealt(op.results[0], value, layout);
        }
        Ok(true)
    }

    pub(crate) fn lower_tensor_product(&mut self, op: &OpData) -> Result<(), Refusal> {
        // A device takes tensor memory for one block or for two, and says so with each product.
        let together = op.attributes.int("axis").is_some();
        let mut others = self.function.ops.iter().filter(|other| matches!(other.op.kind, OpKind::Agent(AgentOp::Mma)));
        if others.any(|other| other.attributes.int("axis").is_some() != together) {
            return Err(self.refuse_because(op, "of one block in a kernel that has products of two is not lowered yet"));
        }
        self.by_leader(op, Self::tensor_product)
    }

    pub(crate) fn lower_tensor_commit(&mut self, op: &OpData) -> Result<(), Refusal> {
        self.by_leader(op, |this, op, first| this.tensor_commit(op, 0, first))
    }

    /// What one block does by itself, or the first of two blocks for both, whose number is then known.
    pub(super) fn by_leader(
        &mut self,
        op: &OpData,
        make: impl FnOnce(&mut Self, &OpData, Option<Value>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if op.attributes.int("axis").is_none() {
            return make(self, op, None);
        }
        let (leads, first) = self.pair(op)?;
        self.b.open(&[]);
        let made = make(self, op, Some(first));
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
        let taken = [DType::BF16, DType::F16, DType::F8E4M3Fn, DType::F8E5M2, DType::I8, DType::F4E2M1Fn];
        if !taken.contains(&dtype) {
            return Err(self.refuse_because(op, &format!("of {} is not lowered yet", dtype.name())));
        }
        if dtype == DType::F4E2M1Fn {
            self.four_bits(op, [&left, &right])?;
        }
        let (memory, column, [rows, columns]) = self.columns(op, &acc)?;
        let terms = right.shape().first().copied().unwrap_or(0);
        let in_lanes = self.b.kernel().memory(left.memory).space == Space::Tensor;
        let (left, from) = match in_lanes {
            true => {
                let (left, from, _) = self.columns(op, &left)?;
                (LeftFactor::Tensor(left), from)
            }
            false => {
                let (left, from) = self.factor(op, &left, 0)?;
                (LeftFactor::Shared(left), from)
            }
        };
        let (right, with) = self.factor(op, &right, 1)?;
        let adds = self.held(op.operands[3])?.value;
        let extents = [rows, columns, terms];
        let scales = match op.attributes.flag("scaled") {
            false => None,
            true => Some(self.scales_of_factors(op, dtype, extents, in_lanes)?),
        };
        let places = match op.attributes.flag("sparse") {
            false => None,
            true => Some(self.places_of_factor(op, extents, in_lanes)?),
        };
        let product = TensorProduct { acc: memory, dtype, extents, left, right, scales, places, pair: first.is_some() };
        let turned = |factor: &Factor| dtype == DType::F4E2M1Fn && !factor.terms_last;
        let why = match rows {
            _ if turned(&right) || matches!(&left, LeftFactor::Shared(left) if turned(left)) => {
                "of floats of four bits takes factors in whose rows the terms follow each other".to_string()
            }
            _ if self.b.kernel().memory(memory).dtype != product.sums() => {
                format!(
                    "of {} with sums in {} is not lowered yet",
                    dtype.name(),
                    self.b.kernel().memory(memory).dtype.name()
                )
            }
            _ if !terms.is_multiple_of(product.step()) => {
                format!("sums up {} terms at a time, and the factors have {terms}", product.step())
            }
            TensorProduct::HALF if in_lanes => {
                "of 64 rows from tensor memory is not what tensor cores take".to_string()
            }
            _ if product.pair && columns > TensorProduct::COLUMNS => {
                "of two blocks and more than 256 columns is not lowered yet".to_string()
            }
            _ => String::new(),
        };
        if !why.is_empty() {
            return Err(self.refuse_because(op, &why));
        }
        self.b.add(Op::MultiplyTensor(product), &[column, from, with, adds], &[], Vec::new());
        match op.attributes.flag("barrier") {
            true => self.tensor_commit(op, 4, first),
            false => Ok(()),
        }
    }
}
