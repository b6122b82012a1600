//! Barriers of GPU kernels: arrive, wait, test. A barrier is an element of a Ref in the barrier space; its type says how
//! many arrivals complete a phase. Refusals are in the words of jax/_src/pallas/mosaic_gpu/primitives.py.

use super::rule;
use crate::op::{AgentOp, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::{BarrierType, MemorySpace, RefType, TensorType, Type};
use pallas_tensor::DType;

/// Operand: barrier. No results.
pub static BARRIER_ARRIVE: OpDef = OpDef {
    name: "barrier_arrive",
    doc: "Arrives at a barrier",
    attributes: &[],
    infer: |context| {
        rule::count(context, "barrier_arrive", 1)?;
        barrier(context, 0)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::Arrive),
};

/// Operand: barrier. No results.
pub static BARRIER_WAIT: OpDef = OpDef {
    name: "barrier_wait",
    doc: "Waits until the next phase of a barrier is complete",
    attributes: &[],
    infer: |context| {
        rule::count(context, "barrier_wait", 1)?;
        barrier(context, 0)?;
        Ok(Types::new())
    },
    kind: OpKind::Agent(AgentOp::Wait),
};

/// Operand: barrier. Result: whether a wait would go on at once (`bool`).
pub static BARRIER_TEST: OpDef = OpDef {
    name: "barrier_test",
    doc: "Whether the next phase of a barrier is complete",
    attributes: &[],
    infer: |context| {
        rule::count(context, "barrier_test", 1)?;
        barrier(context, 0)?;
        Ok(rule::one(TensorType::scalar(DType::Bool)))
    },
    kind: OpKind::Agent(AgentOp::Test),
};

/// The Ref at a position, in one of these spaces.
pub(super) fn reference<'a>(
    context: &'a InferContext<'_>,
    index: usize,
    name: &str,
    spaces: &[MemorySpace],
) -> Result<&'a RefType, InferError> {
    let ty = match context.operands.get(index) {
        Some(Type::Ref(ty)) => ty,
        Some(Type::Tensor(ty)) => {
            return Err(InferError::type_error(format!("{name} must be a reference, got {ty}")).with_code("PL340"));
        }
        None => return Err(InferError::type_error(format!("{name} is missing"))),
    };
    if spaces.contains(&ty.space) {
        return Ok(ty);
    }
    let wanted = match spaces.first() {
        Some(MemorySpace::Gmem) => "GMEM",
        Some(MemorySpace::Tmem) => "TMEM",
        Some(MemorySpace::Registers) => "REGS",
        _ => "SMEM",
    };
    Err(InferError::value_error(format!("{name} must be a {wanted} reference, got {ty}")).with_code("PL340"))
}

/// One barrier.
pub(super) fn barrier<'a>(context: &'a InferContext<'_>, index: usize) -> Result<&'a BarrierType, InferError> {
    let ty = reference(context, index, "barrier", &[MemorySpace::Barrier])?;
    if ty.shape.size() != 1 {
        return Err(InferError::value_error(format!(
            "Attempting to operate on barrier without indexing, but `num_barriers = {}`",
            ty.shape.size()
        ))
        .with_code("PL340"));
    }
    ty.barrier.as_ref().ok_or_else(|| InferError::type_error("nothing says what the barrier counts"))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&BARRIER_ARRIVE, &BARRIER_WAIT, &BARRIER_TEST].into_iter()
}
