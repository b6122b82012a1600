//! Floats of four bits that tensor cores multiply: two of a row in a byte, the first one in its lower half, in shared memory and in the
//! launch's arrays, which the caller puts together so. Refs count elements; whoever copies or multiplies asks for them by bytes. Memory
//! of such floats with any other use has a byte for each, as everywhere, and no product takes it.

use super::context::Lower;
use super::number::Number;
use super::refs::{RefDim, RefView, Shown};
use crate::Refusal;
use crate::ir::{MemoryId, Space};
use pallas_ir::op::AgentOp;
use pallas_ir::{BlockDim, OpData, OpKind, RefType, Role, Type, ValueId};
use pallas_tensor::DType;

/// Elements of a byte.
pub(super) const PAIR: usize = 2;

impl Lower<'_> {
    /// Whether shared memory is for factors of four bits alone: engines fill it, and products read it.
    pub(crate) fn is_pairs(&self, param: ValueId) -> bool {
        let Type::Ref(ty) = self.function.ty(param) else { return false };
        if ty.dtype != DType::F4E2M1Fn || !even(&ty.shape) {
            return false;
        }
        let uses = self.uses(param);
        let multiplies = |(op, position): &(&OpData, usize)| {
            matches!(op.op.kind, OpKind::Agent(AgentOp::Mma)) && matches!(position, 1 | 2)
        };
        let fills =
            |(op, position): &(&OpData, usize)| matches!(op.op.kind, OpKind::Agent(AgentOp::CopyIn)) && *position == 1;
        let known = |at: &(&OpData, usize)| multiplies(at) || fills(at) || self.shows(at);
        uses.iter().any(multiplies) && uses.iter().all(known)
    }

    /// Whether an operand of the launch is only copied to such memory.
    pub(crate) fn is_array_of_pairs(&self, position: usize) -> bool {
        let (launch, params) = (self.launch, self.launch.kernel.params());
        let Some((operand, &param)) = launch.operands.get(position).zip(params.get(position)) else { return false };
        if operand.array.dtype != DType::F4E2M1Fn || !even(&operand.array.shape) {
            return false;
        }
        let inputs = launch.operands.iter().take(position).filter(|operand| operand.role != Role::Output).count();
        let is_shared = launch.aliases.iter().any(|&(input, _)| input == inputs);
        let whole = operand.block.last().is_none_or(|dim| *dim != BlockDim::Squeezed);
        let uses = self.uses(param);
        let copies = |(op, position): &(&OpData, usize)| {
            matches!(op.op.kind, OpKind::Agent(AgentOp::CopyIn))
                && *position == 0
                && op.operands.get(1).is_some_and(|&to| self.is_pairs(self.origin(to)))
        };
        operand.role == Role::Input
            && !is_shared
            && whole
            && uses.iter().any(copies)
            && uses.iter().all(|at| copies(at) || self.shows(at))
    }

    /// Whether an op only shows a part of a Ref.
    fn shows(&self, (op, position): &(&OpData, usize)) -> bool {
        let is_ref =
            |&value: &ValueId| self.function.ty(value).as_ref_type().is_some_and(|ty| ty.dtype == DType::F4E2M1Fn);
        *position == 0 && matches!(op.op.kind, OpKind::Memory(_)) && op.results.iter().any(is_ref)
    }

    /// The Ref that a Ref is a part of.
    fn origin(&self, mut value: ValueId) -> ValueId {
        while let Some(op) = self.function.ops.iter().find(|op| op.results.contains(&value)) {
            match (&op.op.kind, op.operands.first()) {
                (OpKind::Memory(_), Some(&of)) => value = of,
                _ => break,
            }
        }
        value
    }

    /// The Ref's type as that of bytes.
    pub(crate) fn type_in_bytes(ty: &RefType) -> RefType {
        let mut shape = ty.shape.to_vec();
        if let Some(last) = shape.last_mut() {
            *last /= PAIR;
        }
        RefType { dtype: DType::U8, shape: shape.as_slice().into(), ..ty.clone() }
    }

    /// A Ref by bytes, if its memory has two elements in each.
    pub(crate) fn by_bytes(&mut self, op: &OpData, view: RefView) -> Result<RefView, Refusal> {
        if !self.teams.pairs.contains(&view.memory) {
            return Ok(view);
        }
        let found = if view.cast.is_some() || view.selected.is_some() { None } else { self.in_bytes(&view) };
        found.ok_or_else(|| {
            self.refuse_because(
                op,
                "of elements of four bits that do not begin and end with whole bytes of a row is not lowered yet",
            )
        })
    }

    fn in_bytes(&mut self, view: &RefView) -> Option<RefView> {
        let mut view = view.clone();
        for dim in &mut view.dims {
            if dim.stride != 1 {
                dim.stride = (dim.stride % PAIR as i64 == 0).then_some(dim.stride / PAIR as i64)?;
                continue;
            }
            let Shown::Range { size, step: 1 } = dim.shown else { return None };
            let offset = self.halved(dim.offset)?;
            let extent = match dim.extent {
                Some(extent) => Some(self.halved(extent)?),
                None => None,
            };
            let size = size.is_multiple_of(PAIR).then_some(size / PAIR)?;
            *dim = RefDim { offset, extent, shown: Shown::Range { size, step: 1 }, ..*dim };
        }
        Some(view)
    }

    /// A number of elements as one of bytes. Of one that is known only when the kernel runs the program has to make sure that it is even,
    /// as in JAX.
    fn halved(&mut self, number: Number) -> Option<Number> {
        self.divided(number, PAIR)
    }

    /// Refuses what takes single elements of memory that has two of them in a byte, or what would.
    pub(crate) fn refuse_pairs(&self, views: [&RefView; 2]) -> Result<(), Refusal> {
        match views.iter().any(|view| self.teams.pairs.contains(&view.memory)) {
            true => Err(self.unknown("a copy of elements of four bits that is no box for an engine")),
            false => Ok(()),
        }
    }

    /// Refuses what tensor cores do not take of floats of four bits.
    pub(crate) fn four_bits(&self, op: &OpData, factors: [&RefView; 2]) -> Result<(), Refusal> {
        let why = if !op.attributes.flag("scaled") {
            "of float4_e2m1fn takes scales of both factors: `a_scale` and `b_scale`"
        } else if op.attributes.flag("sparse") {
            "of float4_e2m1fn with a sparse factor is not lowered yet"
        } else if self.function.ty(op.operands[1]).dtype() != DType::F4E2M1Fn {
            "of factors of two dtypes, one of them float4_e2m1fn, is not what tensor cores take"
        } else if factors.iter().any(|view| !self.teams.pairs.contains(&view.memory)) {
            "of float4_e2m1fn takes factors that copies from global to shared memory bring, and nothing else touches; anything else is not \
             lowered yet"
        } else {
            return Ok(());
        };
        Err(self.refuse_because(op, why))
    }

    /// Memory for so many elements.
    pub(crate) fn pairs(&mut self, name: &str, len: usize, space: Space) -> MemoryId {
        let memory = self.b.memory(name, DType::U8, len / PAIR, space);
        self.teams.pairs.insert(memory);
        memory
    }
}

fn even(shape: &[usize]) -> bool {
    shape.last().is_some_and(|last| *last > 0 && last.is_multiple_of(PAIR))
}
