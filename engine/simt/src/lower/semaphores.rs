//! Semaphores of a block: numbers in its memory. What a block waits for it has signalled itself, before: nobody else can. So a wait
//! takes off what it waits for and goes on; that it comes in vain, interpret mode says. Copies are done when they are started, and
//! their semaphores take no memory.

use super::context::Lower;
use super::refs::RefView;
use crate::Refusal;
use crate::ir::Space;
use pallas_ir::{MemorySpace, OpData, RefType, SemaphoreOp, ops};
use pallas_tensor::{DType, Scalar};

impl Lower<'_> {
    /// A Ref to semaphores, which begin with 0.
    pub(crate) fn semaphore(&mut self, ty: &RefType) -> Result<RefView, Refusal> {
        if ty.barrier.is_some() {
            return Err(Refusal::new("barriers are not lowered yet", self.b.span));
        }
        if ty.space != MemorySpace::Semaphore {
            let memory = self.b.memory("semaphore", ty.dtype, 0, Space::Shared);
            return Ok(RefView::whole(memory, &ty.shape, false));
        }
        let number = self.b.kernel().memories.len();
        let name = format!("semaphore_{number}");
        let memory = self.b.memory(name, DType::I32, ty.shape.iter().product(), Space::Shared);
        let view = RefView::whole(memory, &ty.shape, false);
        let zero = self.b.constant(DType::I32, Scalar::Int(0), 1);
        let layout = self.layout(&ty.shape);
        self.fill(&view, zero, &layout)?;
        Ok(view)
    }

    pub(crate) fn lower_semaphore(&mut self, op: &OpData, kind: SemaphoreOp) -> Result<(), Refusal> {
        if kind == SemaphoreOp::Barrier || op.attributes.str("device").is_some() || op.attributes.flag("core") {
            return Err(self.refuse_because(op, "of another device or core is not lowered yet"));
        }
        let view = self.reference(op.operands[0])?;
        if self.b.kernel().memory(view.memory).len == 0 {
            return Err(self.refuse_because(op, "of a semaphore of copies is not lowered yet"));
        }
        let layout = self.layout(&[]);
        let place = self.whole(&view, &layout)?;
        let count = self.read(&view, &place, false, None);
        let new = match kind {
            SemaphoreOp::Signal => &ops::ADD,
            SemaphoreOp::Wait if !op.attributes.flag("keep") => &ops::SUB,
            _ => {
                self.set(op, count);
                return Ok(());
            }
        };
        let amount = self.held(op.operands[1])?.value;
        let new = self.b.binary(new, count, amount);
        self.write(&view, &place, new, None);
        Ok(())
    }
}
