//! Semaphores: signal, wait, read, and the barrier semaphore of a launch. A semaphore is a Ref without dimensions in one
//! of the semaphore spaces; arrays of semaphores are picked from by views. Refusals are in the words of
//! jax/_src/pallas/primitives.py.

use super::rule;
use crate::op::{InferContext, InferError, OpDef, OpKind, SemaphoreOp, Types};
use crate::types::{MemorySpace, RefType, TensorType, Type};
use pallas_tensor::{DType, Shape};
use smallvec::smallvec;

/// Operands: semaphore, how much (`i32`), then what says where: device ids, a core index. Attributes: `device` (`"mesh"`:
/// one id per axis of the mesh; `"logical"`: one number; `"axes"`: one number, put together of such ids), `core` (whether the last operand is a core index). No results.
pub static SEMAPHORE_SIGNAL: OpDef = OpDef {
    name: "semaphore_signal",
    doc: "Adds to a semaphore; operands: semaphore, how much, device ids..., core index?",
    attributes: &["device", "core"],
    infer: |context| {
        semaphore(context, "signal")?;
        if amount(context)?.dtype != DType::I32 {
            return Err(InferError::value_error(format!(
                "Must signal an int32 value, but got {}",
                amount(context)?.dtype
            ))
            .with_code("PL304"));
        }
        let targets = context.operands.len() - 2;
        let named = context.attributes.str("device").is_some() || context.attributes.flag("core");
        if targets > 0 && !named {
            return Err(InferError::value_error("semaphore_signal: more operands, and nothing says what they are"));
        }
        targets_are_integers(context, 2)?;
        Ok(Types::new())
    },
    kind: OpKind::Semaphore(SemaphoreOp::Signal),
};

/// Operands: semaphore, how much (`i32`). Attribute: `keep`, whether the count stays as it is. No results.
pub static SEMAPHORE_WAIT: OpDef = OpDef {
    name: "semaphore_wait",
    doc: "Waits for a semaphore and takes what was waited for off; operands: semaphore, how much",
    attributes: &["keep"],
    infer: |context| {
        semaphore(context, "wait")?;
        rule::count(context, "semaphore_wait", 2)?;
        if amount(context)?.dtype != DType::I32 {
            return Err(InferError::value_error("Must wait an int32 value.").with_code("PL304"));
        }
        Ok(Types::new())
    },
    kind: OpKind::Semaphore(SemaphoreOp::Wait),
};

/// Operand: semaphore. Result: its count, `i32`.
pub static SEMAPHORE_READ: OpDef = OpDef {
    name: "semaphore_read",
    doc: "The count of a semaphore",
    attributes: &[],
    infer: |context| {
        rule::count(context, "semaphore_read", 1)?;
        let ty = reference(context, 0, "read")?;
        if !ty.space.is_semaphore() {
            return Err(InferError::value_error(format!("Cannot read on a non-semaphore Ref: {ty}")));
        }
        no_dimensions(&ty.shape, "read")?;
        Ok(rule::one(TensorType::scalar(DType::I32)))
    },
    kind: OpKind::Semaphore(SemaphoreOp::Read),
};

/// No operands. Result: the barrier semaphore that all devices of the launch share.
pub static BARRIER_SEMAPHORE: OpDef = OpDef {
    name: "barrier_semaphore",
    doc: "The barrier semaphore of the launch",
    attributes: &[],
    infer: |context| {
        rule::count(context, "barrier_semaphore", 0)?;
        let ty = RefType::new(DType::I32, Shape::default(), MemorySpace::BarrierSemaphore);
        Ok(smallvec![Type::Ref(ty)])
    },
    kind: OpKind::Semaphore(SemaphoreOp::Barrier),
};

fn reference<'a>(context: &'a InferContext<'_>, index: usize, verb: &str) -> Result<&'a RefType, InferError> {
    match context.operands.get(index) {
        Some(Type::Ref(ty)) => Ok(ty),
        Some(Type::Tensor(ty)) => Err(InferError::value_error(format!("Cannot {verb} on a non-semaphore Ref: {ty}"))),
        None => Err(InferError::type_error(format!("a semaphore to {verb} is missing"))),
    }
}

fn no_dimensions(shape: &Shape, verb: &str) -> Result<(), InferError> {
    if shape.rank() == 0 {
        return Ok(());
    }
    Err(InferError::value_error(format!("Cannot {verb} on a non-()-shaped semaphore: {shape}")).with_code("PL320"))
}

/// `check_sem_avals`: a regular or barrier semaphore without dimensions.
fn semaphore(context: &InferContext<'_>, verb: &str) -> Result<(), InferError> {
    let ty = reference(context, 0, verb)?;
    no_dimensions(&ty.shape, verb)?;
    let found = match ty.space {
        MemorySpace::Semaphore | MemorySpace::BarrierSemaphore => return Ok(()),
        MemorySpace::DmaSemaphore => "dma_sem".to_string(),
        _ => ty.dtype.name().to_string(),
    };
    // JAX prints a set, in an order that changes from run to run.
    Err(InferError::value_error(format!(
        "Must {verb} semaphores of the following types: {{<class 'jax._src.pallas.core.semaphore'>, <class \
         'jax._src.pallas.core.barrier_semaphore'>, <class 'jax.numpy.int16'>}}. Got {found}."
    ))
    .with_code("PL320"))
}

fn amount<'a>(context: &'a InferContext<'_>) -> Result<&'a TensorType, InferError> {
    context.tensor(1)
}

/// Device ids and core indices.
pub(super) fn targets_are_integers(context: &InferContext<'_>, first: usize) -> Result<(), InferError> {
    for index in first..context.operands.len() {
        let ty = context.tensor(index)?;
        if ty.dtype != DType::I32 || ty.shape.rank() > 0 {
            return Err(InferError::value_error(format!("`device_id`s must be an int32 value, but got {}", ty.dtype))
                .with_code("PL304"));
        }
    }
    Ok(())
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&SEMAPHORE_SIGNAL, &SEMAPHORE_WAIT, &SEMAPHORE_READ, &BARRIER_SEMAPHORE].into_iter()
}
