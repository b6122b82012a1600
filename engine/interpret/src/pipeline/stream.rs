//! One Ref of a pipeline as it runs: its slots, its semaphores, and how far it has got.

use super::{Steps, number};
use crate::copies::Pending;
use crate::error::RunError;
use crate::fresh;
use crate::hooks::Unmatched;
use crate::machine::Machine;
use crate::memory::{View, ViewDim};
use crate::semaphores::Place;
use crate::tape::{MapBlock, Step};
use pallas_ir::{BlockDim, MemorySpace, PipelineOperand, RefType, Role, Window};
use pallas_tensor::{Array, DType, Shape};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Block indices of this many steps are kept.
const KEPT: usize = 16;

/// A Ref in motion.
pub(super) struct Stream<'a> {
    pub(super) operand: &'a PipelineOperand,
    map: &'a MapBlock,
    source: View,
    /// The slots, or what takes the whole Ref.
    buffer: usize,
    /// A semaphore per slot.
    semaphores: usize,
    /// Fetches, waits for them, copies out: how many so far.
    fetched: usize,
    entered: usize,
    left: usize,
    waited_out: usize,
    /// With lookahead: the last step whose block has been fetched.
    seen: i64,
    /// Block indices of recent steps.
    kept: VecDeque<(i64, SmallVec<[i64; 4]>)>,
    location: u32,
}

impl<'a> Stream<'a> {
    pub(super) fn new(
        machine: &mut Machine<'_>,
        operand: &'a PipelineOperand,
        map: &'a MapBlock,
        source: View,
        location: u32,
    ) -> Result<Stream<'a>, RunError> {
        let dtype = machine.memory.dtype(&source)?;
        let shape: Option<Shape> = match operand.window {
            Window::Slots { count, .. } => Some([count].into_iter().chain(operand.block_shape()).collect()),
            Window::Whole => Some(source.shape()),
            Window::InPlace => None,
        };
        let (mut buffer, mut semaphores) = (source.buffer, source.buffer);
        if let Some(shape) = shape {
            let count = shape.first().copied().unwrap_or(1);
            let ty = RefType::new(dtype, shape.clone(), MemorySpace::Vmem);
            buffer = machine.memory.add(fresh(dtype, shape, machine.interpretation)?);
            machine.memory.declare(buffer, Some(&operand.name), &ty);
            semaphores = machine.memory.add(Array::zeros(DType::I32, [count])?);
        }
        let (fetched, entered, left, waited_out, seen) = (0, 0, 0, 0, 0);
        let kept = VecDeque::new();
        Ok(Stream {
            operand,
            map,
            source,
            buffer,
            semaphores,
            fetched,
            entered,
            left,
            waited_out,
            seen,
            kept,
            location,
        })
    }

    pub(super) fn is_input(&self) -> bool {
        self.operand.role != Role::Output
    }

    pub(super) fn slots(&self) -> usize {
        match self.operand.window {
            Window::Slots { count, .. } => count,
            _ => 0,
        }
    }

    pub(super) fn has_slots(&self) -> bool {
        self.slots() > 0
    }

    /// What the index map gives for a step.
    fn indices(&mut self, machine: &mut Machine<'_>, steps: &Steps, step: i64) -> Result<SmallVec<[i64; 4]>, RunError> {
        let step = step.rem_euclid(steps.count);
        if let Some((_, found)) = self.kept.iter().find(|(kept, _)| *kept == step) {
            return Ok(found.clone());
        }
        let map = &self.map.block;
        machine.enter(map, steps.ids(step).into_iter().map(number));
        machine.run(map)?;
        let found = map.yields.iter().map(|&source| machine.integer(source)).collect::<Result<SmallVec<_>, _>>()?;
        if self.map.is_pure {
            if self.kept.len() == KEPT {
                self.kept.pop_front();
            }
            self.kept.push_back((step, found.clone()));
        }
        Ok(found)
    }

    /// Whether two steps have different blocks.
    pub(super) fn changes(
        &mut self,
        machine: &mut Machine<'_>,
        steps: &Steps,
        from: i64,
        to: i64,
    ) -> Result<bool, RunError> {
        Ok(self.indices(machine, steps, from)? != self.indices(machine, steps, to)?)
    }

    /// The part of the Ref that is a step's block, as far as there is one, and the part of a slot that takes it.
    fn block(
        &mut self,
        machine: &mut Machine<'_>,
        steps: &Steps,
        step: i64,
        slot: usize,
    ) -> Result<(View, View), RunError> {
        let indices = self.indices(machine, steps, step)?;
        let shape = self.source.shape();
        let mut part: SmallVec<[ViewDim; 4]> = SmallVec::new();
        let mut window: SmallVec<[ViewDim; 4]> = smallvec::smallvec![ViewDim::At(slot)];
        for ((dim, &index), &extent) in self.operand.block.iter().zip(&indices).zip(&shape) {
            let start = dim.start(index).max(0) as usize;
            if *dim == BlockDim::Squeezed {
                part.push(ViewDim::At(start.min(extent.saturating_sub(1))));
                continue;
            }
            // The last block may be cut; one that lies outside is moved back inside, as elsewhere.
            let size = match start < extent {
                true => dim.size().min(extent - start),
                false => dim.size().min(extent),
            };
            part.push(ViewDim::Range { start: start.min(extent - size), size, stride: 1 });
            window.push(ViewDim::Range { start: 0, size, stride: 1 });
        }
        Ok((self.source.select(&part), View { buffer: self.buffer, dims: window, through: None }))
    }

    /// The Ref that the body gets.
    pub(super) fn window(&mut self, machine: &mut Machine<'_>, steps: &Steps, now: i64) -> Result<View, RunError> {
        match self.operand.window {
            Window::Slots { count, .. } => {
                let slot = if self.is_input() { self.entered } else { self.left } % count;
                let sizes = self.operand.block_shape();
                let rest = sizes.into_iter().map(|size| ViewDim::Range { start: 0, size, stride: 1 });
                Ok(View {
                    buffer: self.buffer,
                    dims: [ViewDim::At(slot)].into_iter().chain(rest).collect(),
                    through: None,
                })
            }
            Window::Whole => Ok(View::whole(self.buffer, &self.source.shape())),
            Window::InPlace => Ok(self.block(machine, steps, now, 0)?.0),
        }
    }

    fn start(&self, machine: &mut Machine<'_>, source: View, destination: View, slot: usize) -> Result<(), RunError> {
        let arrived = Place::new(self.semaphores, slot);
        let copy = Pending::local(machine.memory, (source, destination), arrived, &self.operand.name, self.location)?;
        machine.start_copy(copy)
    }

    fn fetch(&mut self, machine: &mut Machine<'_>, steps: &Steps, step: i64) -> Result<(), RunError> {
        let slot = self.fetched % self.slots().max(1);
        let (source, window) = self.block(machine, steps, step, slot)?;
        self.fetched += 1;
        self.start(machine, source, window, slot)
    }

    /// The prologue: the block of the step that is `ahead`, while there are slots.
    pub(super) fn fetch_first(&mut self, machine: &mut Machine<'_>, steps: &Steps, ahead: i64) -> Result<(), RunError> {
        if !self.is_input() || ahead + 1 >= self.slots() as i64 {
            return Ok(());
        }
        if ahead == 0 {
            return self.fetch(machine, steps, 0);
        }
        if let Window::Slots { lookahead: true, .. } = self.operand.window {
            return self.look_ahead(machine, steps, 1);
        }
        match self.changes(machine, steps, ahead - 1, ahead)? {
            true => self.fetch(machine, steps, ahead),
            false => Ok(()),
        }
    }

    /// Fetches for a later step.
    pub(super) fn fetch_ahead(&mut self, machine: &mut Machine<'_>, steps: &Steps, now: i64) -> Result<(), RunError> {
        let Window::Slots { count, lookahead } = self.operand.window else { return Ok(()) };
        if !self.is_input() {
            return Ok(());
        }
        if lookahead {
            return self.look_ahead(machine, steps, usize::MAX);
        }
        let count = count as i64;
        let in_time = now < steps.count - count + 1;
        let moves = match count < 2 {
            true => self.changes(machine, steps, now - 1, now)?,
            false => self.changes(machine, steps, now + count - 2, now + count - 1)?,
        };
        match (moves && in_time) || (count < 2 && now == 0) {
            true => self.fetch(machine, steps, now + count - 1),
            false => Ok(()),
        }
    }

    /// Fetches as far ahead as there are slots, `most` blocks at a time.
    fn look_ahead(&mut self, machine: &mut Machine<'_>, steps: &Steps, most: usize) -> Result<(), RunError> {
        let limit = (self.entered + self.slots()).min(self.fetched.saturating_add(most));
        while self.fetched < limit && self.seen + 1 < steps.count {
            if self.changes(machine, steps, self.seen, self.seen + 1)? {
                self.fetch(machine, steps, self.seen + 1)?;
            }
            self.seen += 1;
        }
        Ok(())
    }

    fn wait(&mut self, machine: &mut Machine<'_>, window: &View, slot: usize, step: &Step) -> Result<(), RunError> {
        let place = Place::new(self.semaphores, slot);
        let bytes = machine.memory.bytes(window)?;
        machine.memory.carry_out_for(place, bytes)?;
        machine.take_count(step, place, bytes, &self.operand.name, Unmatched::CopyWait)
    }

    /// Waits for a step's block.
    pub(super) fn wait_in(
        &mut self,
        machine: &mut Machine<'_>,
        steps: &Steps,
        now: i64,
        step: &Step,
    ) -> Result<(), RunError> {
        if !self.is_input() {
            return Ok(());
        }
        let slot = self.entered % self.slots();
        let (_, window) = self.block(machine, steps, now, slot)?;
        self.wait(machine, &window, slot, step)
    }

    /// Copies an output's block back.
    pub(super) fn copy_out(&mut self, machine: &mut Machine<'_>, steps: &Steps, now: i64) -> Result<(), RunError> {
        if self.is_input() {
            return Ok(());
        }
        let slot = self.left % self.slots();
        let (destination, window) = self.block(machine, steps, now, slot)?;
        self.left += 1;
        match self.slots() {
            1 => machine.copy_now(&window, &destination, self.location),
            _ => self.start(machine, window, destination, slot),
        }
    }

    /// Waits until an output's block has left.
    pub(super) fn wait_out(
        &mut self,
        machine: &mut Machine<'_>,
        steps: &Steps,
        then: i64,
        step: &Step,
    ) -> Result<(), RunError> {
        if self.is_input() {
            return Ok(());
        }
        let slot = self.waited_out % self.slots();
        self.waited_out += 1;
        match self.slots() {
            1 => Ok(()),
            _ => {
                let (_, window) = self.block(machine, steps, then, slot)?;
                self.wait(machine, &window, slot, step)
            }
        }
    }

    /// Goes on to the next slot.
    pub(super) fn advance(&mut self) {
        if self.is_input() {
            self.entered += 1;
        }
    }

    /// The whole Ref, in or out.
    pub(super) fn copy_whole(&mut self, machine: &mut Machine<'_>, inwards: bool) -> Result<(), RunError> {
        let window = View::whole(self.buffer, &self.source.shape());
        match inwards {
            true => machine.copy_now(&self.source, &window, self.location),
            false => machine.copy_now(&window, &self.source, self.location),
        }
    }

    /// A step's block, in for inputs and out for outputs, at once.
    pub(super) fn copy_now(&mut self, machine: &mut Machine<'_>, steps: &Steps, now: i64) -> Result<(), RunError> {
        let inwards = self.is_input();
        match self.operand.window {
            Window::InPlace => Ok(()),
            Window::Whole => self.copy_whole(machine, inwards),
            Window::Slots { .. } => {
                let (part, window) = self.block(machine, steps, now, 0)?;
                match inwards {
                    true => machine.copy_now(&part, &window, self.location),
                    false => machine.copy_now(&window, &part, self.location),
                }
            }
        }
    }
}
