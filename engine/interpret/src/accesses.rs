//! Loads, stores and updates of Refs as steps of a tape: their operands, what they read and write, and who is told of it. Where
//! subscripts point is in `access`.

use crate::access::{Access, Index, broadcast};
use crate::error::RunError;
use crate::fill;
use crate::hooks::{OutOfBounds, StoreEvent};
use crate::machine::{Machine, Value};
use crate::memory::View;
use crate::outside::Outside;
use crate::tape::{Masking, Step};
use pallas_ir::IndexOperand;
use pallas_tensor::Array;
use pallas_tensor::ops::{self, BinaryOp, Combine};
use smallvec::SmallVec;
use std::sync::Arc;

impl Machine<'_> {
    /// The operands of an access with a Ref that is not reinterpreted, and the Ref as it was given.
    pub(crate) fn opened(
        &mut self,
        step: &Step,
        access: &Access,
        masking: Masking,
        writes: bool,
    ) -> Result<(Arc<View>, AccessOperands), RunError> {
        let mut operands = self.access(step, access, masking, writes)?;
        if self.memory.races.is_some() {
            self.watched(step, access, &operands.view, &operands.indices, operands.mask.as_ref())?;
            self.overreaches(step, access, &operands, writes)?;
        }
        if operands.view.through.is_none() {
            return Ok((operands.view.clone(), operands));
        }
        let opened = Arc::new(self.memory.open(&operands.view)?);
        Ok((std::mem::replace(&mut operands.view, opened), operands))
    }

    pub(crate) fn access(
        &mut self,
        step: &Step,
        access: &Access,
        masking: Masking,
        writes: bool,
    ) -> Result<AccessOperands, RunError> {
        let mut sources = step.operands.iter().copied();
        let mut next = || sources.next().ok_or_else(|| RunError::malformed("an operand is missing"));
        let Value::Ref(view) = self.take(next()?)? else {
            return Err(RunError::malformed("a tile stands where a Ref belongs"));
        };
        let value = match writes {
            true => Some(self.tile(next()?)?),
            false => None,
        };
        let mut indices = SmallVec::new();
        for kind in access.operands() {
            let source = next()?;
            indices.push(match kind {
                IndexOperand::Array => Index::Array(self.tile(source)?),
                IndexOperand::Position | IndexOperand::Length => Index::Scalar(self.integer(source)?),
            });
        }
        let mask = match masking.mask {
            true => Some(broadcast(&self.tile(next()?)?, &access.shape)?),
            false => None,
        };
        let other = match masking.other {
            true => Some(broadcast(&self.tile(next()?)?, &access.shape)?),
            false => None,
        };
        Ok(AccessOperands { view, value, indices, mask, other })
    }

    /// Tells the hooks if a thread itself goes past the end of main memory, by a view that does: only copies may.
    fn overreaches(
        &mut self,
        step: &Step,
        access: &Access,
        operands: &AccessOperands,
        writes: bool,
    ) -> Result<(), RunError> {
        let shape = self.memory.peek(&operands.view)?.shape();
        let reaches = operands.view.through.is_none() && operands.view.overhangs(shape);
        if !reaches || !access.is_block() || operands.mask.is_some() {
            return Ok(());
        }
        let outside = access.block_view(&operands.view, &operands.indices)?.past(shape);
        self.tell(step, outside, writes);
        Ok(())
    }

    /// Tells the hooks if the subscript leaves its Ref.
    pub(crate) fn report(
        &mut self,
        step: &Step,
        access: &Access,
        operands: &AccessOperands,
        writes: bool,
    ) -> Result<(), RunError> {
        self.report_at(step, access, (&operands.view, &operands.indices, operands.mask.as_ref()), writes)
    }

    /// See [`Machine::report`].
    pub(crate) fn report_at(
        &mut self,
        step: &Step,
        access: &Access,
        (view, indices, mask): (&View, &[Index], Option<&Array>),
        writes: bool,
    ) -> Result<(), RunError> {
        // A subscript without dynamic parts was checked where it was written.
        if indices.is_empty() {
            return Ok(());
        }
        let outside = access.outside(view, indices, mask)?;
        self.tell(step, outside, writes);
        Ok(())
    }

    fn tell(&mut self, step: &Step, outside: Option<Outside>, writes: bool) {
        if let (Some(outside), Some(location)) = (outside, self.tape.locations.get(step.location as usize)) {
            self.hooks.out_of_bounds(&OutOfBounds {
                op: step.op,
                location,
                ids: self.ids,
                axis: outside.axis,
                start: outside.start,
                size: outside.size,
                stride: outside.stride,
                bound: outside.bound,
                writes,
            });
        }
    }

    /// The memory behind a Ref that is about to be written, where somebody wants to know.
    pub(crate) fn before_store(&self, view: &View) -> Option<(usize, Array)> {
        if !self.hooks.wants_stores() {
            return None;
        }
        let mut view = view;
        while let Some(through) = &view.through {
            view = &through.base;
        }
        Some((view.buffer, self.memory.array(view).ok()?.clone()))
    }

    /// Tells the hooks what a store has changed.
    pub(crate) fn stored(&mut self, step: &Step, before: Option<(usize, Array)>) {
        let Some((buffer, before)) = before else { return };
        let after = self.memory.buffers.get(buffer).map(|buffer| buffer.array.clone());
        if let (Some(after), Some(location)) = (after, self.tape.locations.get(step.location as usize)) {
            self.hooks.stored(StoreEvent { op: step.op, location, buffer, before, after });
        }
    }

    /// The value of a step that loads.
    pub(crate) fn loaded(&mut self, step: &Step, access: &Access, masking: Masking) -> Result<Array, RunError> {
        let (view, operands) = self.opened(step, access, masking, false)?;
        let opened = operands.view.clone();
        let loaded = self.load(step, access, operands)?;
        self.memory.close(&view, &opened, false)?;
        Ok(loaded)
    }

    pub(crate) fn load(&mut self, step: &Step, access: &Access, operands: AccessOperands) -> Result<Array, RunError> {
        self.report(step, access, &operands, false)?;
        let beyond = self.beyond(step, access, &operands.view, &operands.indices, operands.mask.as_ref())?;
        let loaded = match beyond {
            Some(beyond) => ops::reshape(&beyond.read(self.memory, &operands.view)?, access.shape.clone())?,
            None => access.load(self.memory, &operands.view, &operands.indices)?,
        };
        Ok(match (&operands.mask, &operands.other) {
            (Some(mask), Some(other)) => ops::select(mask, &loaded, other)?,
            // As JAX: a mask without `other` leaves what is there.
            (Some(mask), None) => match fill::lanes(loaded.dtype()) {
                Some(garbage) => {
                    ops::select(mask, &loaded, &Array::full(loaded.dtype(), loaded.shape().clone(), garbage)?)?
                }
                None => loaded,
            },
            (None, _) => loaded,
        })
    }

    pub(crate) fn store(&mut self, step: &Step, access: &Access, mut operands: AccessOperands) -> Result<(), RunError> {
        self.report(step, access, &operands, true)?;
        let mut value = operands.value()?;
        if let Some(beyond) = self.beyond(step, access, &operands.view, &operands.indices, operands.mask.as_ref())? {
            let Some(mask) = &operands.mask else {
                return beyond.write(self.memory, &operands.view, &value, "write");
            };
            let old = beyond.read_any(self.memory, &operands.view)?;
            let value = ops::select(mask, &value, &ops::reshape(&old, value.shape().clone())?)?;
            return beyond.write(self.memory, &operands.view, &value, "masked swap");
        }
        if let Some(mask) = &operands.mask {
            let old = access.load(self.memory, &operands.view, &operands.indices)?;
            value = ops::select(mask, &value, &old)?;
        }
        access.store(self.memory, &operands.view, &operands.indices, value)
    }

    pub(crate) fn swap(
        &mut self,
        step: &Step,
        access: &Access,
        mut operands: AccessOperands,
    ) -> Result<Array, RunError> {
        self.report(step, access, &operands, true)?;
        let old = access.load(self.memory, &operands.view, &operands.indices)?;
        let value = operands.value()?;
        let (value, old) = match &operands.mask {
            Some(mask) => (ops::select(mask, &value, &old)?, ops::select(mask, &old, &value)?),
            None => (value, old),
        };
        access.store(self.memory, &operands.view, &operands.indices, value)?;
        Ok(old)
    }

    pub(crate) fn atomic(
        &mut self,
        step: &Step,
        access: &Access,
        mut operands: AccessOperands,
        combine: Option<BinaryOp>,
        accumulates: bool,
    ) -> Result<Array, RunError> {
        self.report(step, access, &operands, true)?;
        let old = access.load(self.memory, &operands.view, &operands.indices)?;
        let value = operands.value()?;
        let (memory, view, indices) = (&mut *self.memory, &operands.view, &operands.indices);
        if let (Some(op), true, None, false) = (combine, accumulates, &operands.mask, access.is_block()) {
            access.combine(memory, view, indices, value, Combine::With(op))?;
            return Ok(old);
        }
        let mut value = match combine {
            Some(op) => ops::binary(op, value, old.clone())?,
            None => value,
        };
        if let Some(mask) = &operands.mask {
            value = ops::select(mask, &value, &old)?;
        }
        access.store(memory, view, indices, value)?;
        Ok(old)
    }
}

/// Operands of an access, taken.
pub(crate) struct AccessOperands {
    pub(crate) view: Arc<View>,
    value: Option<Array>,
    pub(crate) indices: SmallVec<[Index; 4]>,
    /// Stretched to the subscript's shape, as is `other`.
    mask: Option<Array>,
    other: Option<Array>,
}

impl AccessOperands {
    fn value(&mut self) -> Result<Array, RunError> {
        self.value.take().ok_or_else(|| RunError::malformed("a store has no value"))
    }
}
