//! Copies from Ref to Ref: done when they are started, by all threads. A wait then has nothing to wait for. Semaphores take no
//! memory: a block does not wait for itself.

use super::context::Lower;
use super::refs::RefView;
use crate::Refusal;
use crate::ir::Space;
use pallas_ir::{CopyOp, OpData, RefType, ops};

impl Lower<'_> {
    pub(crate) fn lower_copy(&mut self, op: &OpData, copy: CopyOp) -> Result<(), Refusal> {
        if op.attributes.flag("remote") {
            return Err(self.refuse_because(op, "to another device is not lowered yet"));
        }
        if copy == CopyOp::Wait {
            return Ok(());
        }
        let (source, destination) = (self.reference(op.operands[0])?, self.reference(op.operands[1])?);
        let layout = self.layout(&source.shape());
        let from = self.whole(&source, &layout)?;
        let mut value = self.read(&source, &from, false, None);
        let to = self.whole(&destination, &layout)?;
        if op.attributes.flag("add") {
            let old = self.read(&destination, &to, false, None);
            value = self.b.binary(&ops::ADD, old, value);
        }
        self.write(&destination, &to, value, None);
        Ok(())
    }

    /// A Ref to semaphores, which nothing reads.
    pub(crate) fn semaphore(&mut self, ty: &RefType) -> Result<RefView, Refusal> {
        if ty.barrier.is_some() {
            return Err(Refusal::new("barriers are not lowered yet", self.b.span));
        }
        let memory = self.b.memory("semaphore", ty.dtype, 0, Space::Shared);
        Ok(RefView::whole(memory, &ty.shape, false))
    }
}
