//! Views of Refs as steps of a tape. Most of them are slices and positions inside of their Ref: those are found in one go, in
//! memory that the register has already. What is moved inside, told to somebody or refused is found step by step.

use crate::access::Access;
use crate::error::RunError;
use crate::machine::{Machine, Value};
use crate::memory::{View, ViewDim};
use crate::numbers::Number;
use crate::tape::{Masking, Step};
use pallas_ir::{DimIndex, Position};
use smallvec::SmallVec;
use std::sync::Arc;

impl Machine<'_> {
    /// Puts the view that a step asks for into its register.
    pub(crate) fn run_view(&mut self, step: &Step, access: &Access) -> Result<(), RunError> {
        let [register] = step.results.as_slice() else {
            return Err(RunError::malformed("a view has one result"));
        };
        let place = *register as usize;
        if access.stays && matches!(self.registers[place], Value::Ref(_)) {
            return Ok(());
        }
        if let Some(view) = self.inside(step, access) {
            if let Value::Ref(there) = &mut self.registers[place]
                && let Some(there) = Arc::get_mut(there)
            {
                *there = view;
                return Ok(());
            }
            self.put(*register, Value::reference(view));
            return Ok(());
        }
        let operands = self.access(step, access, Masking::default(), false)?;
        self.memory.settle(operands.view.buffer)?;
        let view = if access.may_overhang(&operands.indices) {
            access.view(&operands.view, &operands.indices)?
        } else {
            self.report(step, access, &operands, false)?;
            match self.beyond(step, access, &operands.view, &operands.indices, None)? {
                Some(beyond) => Arc::unwrap_or_clone(operands.view).beyond(beyond),
                None => access.view(&operands.view, &operands.indices)?,
            }
        };
        self.put(*register, Value::reference(view));
        Ok(())
    }

    /// Puts the one integer that a step loads into its register.
    pub(crate) fn run_element(&mut self, step: &Step, access: &Access) -> Result<(), RunError> {
        let [register] = step.results.as_slice() else {
            return Err(RunError::malformed("a load has one result"));
        };
        let value = match self.element(step, access) {
            Some(number) => Value::Number(Number::Integer(number)),
            None => {
                if let Some(Value::Ref(view)) =
                    step.operands.first().map(|source| &self.registers[source.register as usize])
                {
                    self.memory.settle(view.buffer)?;
                }
                Value::Tile(self.loaded(step, access, Masking::default())?)
            }
        };
        self.put(*register, value);
        step.drops.iter().for_each(|&dropped| self.registers[dropped as usize] = Value::Empty);
        Ok(())
    }

    /// The integer that a subscript selects, where it lies inside of its Ref, and nobody watches.
    fn element(&self, step: &Step, access: &Access) -> Option<i32> {
        let view = self.inside(step, access).filter(|_| self.memory.races.is_none())?;
        let slot = self.memory.buffers.get(view.buffer).filter(|slot| slot.later.is_none())?;
        if self.memory.unknown.contains(&view.buffer) || view.overhangs(slot.array.shape()) {
            return None;
        }
        let place = view.dims.iter().zip(slot.array.shape()).try_fold(0, |place, (dim, &size)| match *dim {
            ViewDim::At(position) => Some(place * size + position),
            ViewDim::Range { .. } => None,
        });
        slot.array.elements::<i32>()?.get(place?).copied()
    }

    /// The view, where it lies inside of its Ref and that is memory as it lies.
    fn inside(&self, step: &Step, access: &Access) -> Option<View> {
        let (reference, mut positions) = step.operands.split_first().map(|(first, rest)| (first, rest.iter()))?;
        let Value::Ref(view) = &self.registers[reference.register as usize] else { return None };
        if view.through.is_some() {
            return None;
        }
        let next = || positions.next().and_then(|&source| self.number(source)).and_then(Number::integer);
        Some(View { buffer: view.buffer, dims: selected(&view.dims, &access.dims, next)?, through: None })
    }
}

/// What a subscript of slices and positions selects of dimensions, if all of it lies inside.
fn selected(
    whole: &SmallVec<[ViewDim; 4]>,
    subscript: &[DimIndex],
    mut next: impl FnMut() -> Option<i32>,
) -> Option<SmallVec<[ViewDim; 4]>> {
    let mut position = |position: Position| match position {
        Position::Static(position) => usize::try_from(position).ok(),
        Position::Dynamic => usize::try_from(next()?).ok(),
    };
    let mut subscript = subscript.iter();
    let mut dims = SmallVec::new();
    for dim in whole {
        let ViewDim::Range { start, size: bound, stride } = *dim else {
            dims.push(*dim);
            continue;
        };
        dims.push(match *subscript.next()? {
            DimIndex::At(at) => ViewDim::At(start + position(at).filter(|&at| at < bound)? * stride),
            DimIndex::Slice { start: at, size, stride: step } => {
                let at = position(at)?;
                let span = size.checked_sub(1)?.checked_mul(step)?;
                at.checked_add(span).filter(|&last| last < bound)?;
                ViewDim::Range { start: start + at * stride, size, stride: stride.saturating_mul(step) }
            }
            DimIndex::Part { .. } | DimIndex::Array => return None,
        });
    }
    subscript.next().is_none().then_some(dims)
}
