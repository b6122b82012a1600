//! Copies that a kernel starts itself. Of an output in main memory they write the part that they are for, and nothing else. What
//! is copied, and when, is not followed: it is taken for fine.

use super::{ELEMENTS_PER_STEP, Machine, Run};
use crate::shadow::access::sums;
use crate::shadow::labels;
use crate::shadow::memory::View;
use pallas_ir::{CopyOp, OpData};
use pallas_tensor::ops as tensor;
use pallas_tensor::ops::Combine;
use pallas_tensor::{Array, DType, Scalar, Shape};

impl Machine<'_> {
    pub(super) fn copy(&mut self, copy: CopyOp, op: &OpData) -> Run<()> {
        let is_kept = |view: &&View| self.kept.get(view.buffer) == Some(&true);
        let target = op.operands.get(1).and_then(|&target| self.view(target)).filter(is_kept).cloned();
        let before = target.as_ref().and_then(|target| self.memory.get(target.buffer)).cloned();
        self.trust(op);
        // A wait writes nothing that its copy has not.
        let (Some(target), Some(mut before)) = (target, before) else { return Ok(()) };
        // All of it is fine before and after; arrays that are too large to follow are.
        if before.labels.is_none() {
            return Ok(());
        }
        if copy == CopyOp::Start {
            let Some(positions) = positions(&target, &before.shape) else { return Ok(()) };
            self.charge(before.shape.size() / ELEMENTS_PER_STEP)?;
            let fine = Array::scalar(DType::I32, Scalar::Int(0));
            let fine = tensor::broadcast_in_dim(&fine, Shape::from(&[positions.len()][..]), &[]).ok();
            let held = labels::array(&before.labels, &before.shape);
            let written = held.zip(fine).and_then(|(held, fine)| {
                tensor::scatter_flat(held, &positions, &fine, Combine::Replace).ok().and_then(labels::tidy)
            });
            before.labels = written;
        }
        self.memory[target.buffer] = before;
        Ok(())
    }
}

/// The flat positions of a known part of a buffer.
fn positions(view: &View, buffer: &Shape) -> Option<Vec<i64>> {
    let (origin, steps) = view.layout(buffer)?;
    let shape = view.shape()?;
    let along = |(&extent, step): (&usize, i64)| (0..extent as i64).map(|index| index * step).collect();
    let lists: Vec<Vec<i64>> = shape.iter().zip(steps).map(along).collect();
    Some(sums(&lists).into_iter().map(|position| origin + position).collect())
}
