//! Copies from Ref to Ref: done when they are started, by all threads. A wait then has nothing to wait for.

use super::context::Lower;
use super::number::Number;
use crate::Refusal;
use pallas_ir::{CopyOp, OpData, ops};

impl Lower<'_> {
    pub(crate) fn lower_copy(&mut self, op: &OpData, copy: CopyOp) -> Result<(), Refusal> {
        if op.attributes.flag("remote") {
            return Err(self.refuse_because(op, "to another device is not lowered yet"));
        }
        if copy == CopyOp::Wait {
            return Ok(());
        }
        let source = self.reference_or_selection(op.operands[0])?;
        let destination = self.reference_or_selection(op.operands[1])?;
        // What is as long as computed may be longer than what it goes to.
        let shape: Vec<usize> = source.shape().into_iter().zip(destination.shape()).map(|(a, b)| a.min(b)).collect();
        let layout = self.layout(&shape);
        let from = self.whole_or_selected(&source, &layout, false)?;
        let mut value = self.read(&source, &from, false, None);
        let to = self.whole_or_selected(&destination, &layout, true)?;
        if op.attributes.flag("add") {
            let old = self.read(&destination, &to, false, None);
            value = self.b.binary(&ops::ADD, old, value);
        }
        let computed = source.dims.iter().any(|dim| matches!(dim.extent, Some(Number::Computed(_))));
        self.write(&destination, &to, value, from.mask.filter(|_| computed));
        Ok(())
    }
}
