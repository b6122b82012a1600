//! Asynchronous copies from Ref to Ref (`pltpu.make_async_copy(...).start()` and `.wait()`), on one device or to another.
//! Refusals are in the words of jax/_src/pallas/mosaic/primitives.py where JAX refuses; a source and a destination that
//! do not fit each other it finds late or never, and Mosaic refuses them.

use super::rule;
use super::semaphores::targets_are_integers;
use crate::op::{CopyOp, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::{MemorySpace, RefType, Type};

/// Operands: source, destination, semaphore of what arrived, which counts bytes, or copies if it is a regular one; with `remote`, semaphore of what was sent, device ids..., the number of a core.
/// Attributes: `remote`; `device` (`"mesh"`, `"logical"` or `"axes"`); `core` (whether the last operand is the number of a core); `priority`; `add`, whether elements are added to those at the
/// destination. No results.
pub static COPY_START: OpDef = OpDef {
    name: "copy_start",
    doc: "Starts a copy; operands: source, destination, semaphore, and to another device: send semaphore, device ids..., core?",
    attributes: &["remote", "device", "core", "priority", "add"],
    infer: |context| {
        if let Some(priority) = context.attributes.int("priority")
            && priority < 0
        {
            return Err(InferError::value_error(format!("DMA start priority must be non-negative: {priority}")));
        }
        let [source, destination, semaphore] = three_refs(context)?;
        no_dimensions(semaphore)?;
        is_semaphore(semaphore)?;
        sender(context, "copy_start")?;
        if !source.may_have_shape_of(destination) {
            return Err(InferError::value_error(format!(
                "DMA source and destination must have the same shape, got {} and {}",
                source.extents(),
                destination.extents()
            ))
            .with_code("PL321"));
        }
        if source.dtype != destination.dtype {
            return Err(InferError::value_error(format!(
                "DMA source and destination must have the same dtype, got {} and {}",
                source.dtype, destination.dtype
            ))
            .with_code("PL321"));
        }
        Ok(Types::new())
    },
    kind: OpKind::Copy(CopyOp::Start),
};

/// Operands as [`COPY_START`]; source and destination say how many bytes are waited for, and need not be those of the
/// copy. Attributes: `remote`, `device`, `core`; `send`, whether it is waited for what was sent. No results.
pub static COPY_WAIT: OpDef = OpDef {
    name: "copy_wait",
    doc: "Waits for a copy; operands as `copy_start`",
    attributes: &["remote", "device", "core", "send"],
    infer: |context| {
        let [_, _, semaphore] = three_refs(context)?;
        if semaphore.space != MemorySpace::DmaSemaphore {
            return Err(InferError::value_error(
                "dma_wait requires a DMA semaphore, but got a regular semaphore. Use pl.semaphore_wait() instead.",
            )
            .with_code("PL320"));
        }
        no_dimensions(semaphore)?;
        sender(context, "copy_wait")?;
        if context.attributes.flag("send") && !context.attributes.flag("remote") {
            return Err(InferError::value_error("Cannot `wait_send` on a local copy."));
        }
        Ok(Types::new())
    },
    kind: OpKind::Copy(CopyOp::Wait),
};

fn three_refs<'a>(context: &'a InferContext<'_>) -> Result<[&'a RefType; 3], InferError> {
    match context.operands {
        [Type::Ref(source), Type::Ref(destination), Type::Ref(semaphore), ..] => Ok([source, destination, semaphore]),
        _ => {
            Err(InferError::value_error("DMA source/destination/semaphore arguments must be Refs.").with_code("PL321"))
        }
    }
}

fn no_dimensions(semaphore: &RefType) -> Result<(), InferError> {
    if semaphore.shape.rank() == 0 {
        return Ok(());
    }
    Err(InferError::value_error(format!("Cannot signal on a non-()-shaped semaphore: {}", semaphore.shape))
        .with_code("PL320"))
}

/// JAX takes anything here, and Mosaic refuses what is no semaphore.
fn is_semaphore(semaphore: &RefType) -> Result<(), InferError> {
    if semaphore.space.is_semaphore() {
        return Ok(());
    }
    Err(InferError::value_error(format!("a copy counts on a semaphore (pltpu.SemaphoreType.DMA), got {semaphore}"))
        .with_code("PL320"))
}

/// The operands of copies to other devices.
fn sender(context: &InferContext<'_>, name: &str) -> Result<(), InferError> {
    if !context.attributes.flag("remote") {
        return rule::count(context, name, 3);
    }
    match context.operands.get(3) {
        Some(Type::Ref(semaphore)) => {
            no_dimensions(semaphore)?;
            is_semaphore(semaphore)?;
        }
        _ => return Err(InferError::value_error("DMA source semaphore must be a Ref.").with_code("PL321")),
    }
    targets_are_integers(context, 4)
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&COPY_START, &COPY_WAIT].into_iter()
}
