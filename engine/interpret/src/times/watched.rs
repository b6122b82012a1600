//! What memory tells the clocks of a rehearsal: which slot a copy is about, and who waits for what. Nothing here happens where
//! there are no clocks.

use super::{About, LaneStage, Moment, Times};
use crate::error::RunError;
use crate::machine::{Machine, Value};
use crate::memory::{Memory, View, ViewDim};
use crate::semaphores::Place;
use crate::tape::{Action, Block, Step};
use std::sync::Arc;

impl Memory {
    /// Which of several barriers or semaphores it is.
    pub(crate) fn slot_of(&self, place: Place) -> Option<usize> {
        let (buffer, element) = place.key();
        self.buffers.get(buffer).filter(|buffer| buffer.array.size() > 1).map(|_| element)
    }

    /// Which slot of its buffer a view shows: the first index, where there are several; or, of memory on chip, which of the equal
    /// parts that it is cut into along one dimension, as halves of tensor memory are.
    pub(crate) fn slot(&self, view: &View) -> Option<usize> {
        let mut view = view;
        while let Some(through) = &view.through {
            view = &through.base;
        }
        let several = self.buffers.get(view.buffer)?.array.shape().first().is_some_and(|&extent| extent > 1);
        match view.dims.first()? {
            ViewDim::At(slot) if several => Some(*slot),
            ViewDim::Range { start, size: 1, .. } if several => Some(*start),
            _ => self.part(view),
        }
    }

    /// Which of equal parts of a buffer on chip a view shows.
    fn part(&self, view: &View) -> Option<usize> {
        let is_main = self.times.as_ref().is_none_or(|times| times.is_main(view.buffer));
        let shape = self.buffers.get(view.buffer).filter(|_| !is_main)?.array.shape();
        let mut parts = view.dims.iter().zip(shape.iter()).filter_map(|(dim, &extent)| match dim {
            ViewDim::Range { start, size, stride: 1 } if *size < extent && *size > 0 => {
                Some((extent % size == 0 && start % size == 0).then(|| start / size))
            }
            ViewDim::Range { stride: 1, .. } => None,
            _ => Some(None),
        });
        // Along several dimensions it is a tile, and no slot.
        match (parts.next(), parts.next()) {
            (Some(part), None) => part,
            _ => None,
        }
    }

    /// What a copy between two Refs is, and about which: the one that is not in main memory, or else what is written.
    pub(crate) fn about_copy(&self, (source, destination): (&View, &View), remote: bool) -> (LaneStage, About) {
        let Some(times) = &self.times else { return (LaneStage::CopyIn, About::default()) };
        let (from, to) = (times.is_main(source.buffer), times.is_main(destination.buffer));
        let (stage, view) = match (remote, from, to) {
            (true, false, true) => (LaneStage::Send, source),
            (true, ..) => (LaneStage::Send, destination),
            (false, false, true) => (LaneStage::CopyOut, source),
            (false, true, true) => (LaneStage::CopyOut, destination),
            (false, ..) => (LaneStage::CopyIn, destination),
        };
        let name = times.called(view.buffer);
        // What is allocated on another device may not have been named there.
        let buffer = if name.is_empty() && remote { times.called(source.buffer) } else { name };
        (stage, About { buffer, slot: self.slot(view), ..About::default() })
    }

    /// The running agent has waited for a semaphore.
    pub(crate) fn timed_wait(
        &mut self,
        place: Place,
        (wanted, keeps): (i64, bool),
        (name, location): (&Arc<str>, u32),
    ) {
        let slot = self.slot_of(place);
        if let Some(times) = &mut self.times {
            let who = times.who();
            times.turn_of(who, location);
            times.waited(place, (wanted, keeps), About { name: name.clone(), slot, ..About::default() });
        }
    }
}

impl Times {
    /// The running agent waits until something has happened.
    pub(crate) fn wait_for(&mut self, moment: Moment, about: About) {
        self.wait_until(self.who, moment, about);
    }
}

impl Machine<'_> {
    /// Runs a block in a rehearsal: steps take their time, and what others do not see is made up.
    pub(crate) fn rehearse(&mut self, block: &Block) -> Result<(), RunError> {
        for step in &block.steps {
            if !self.is_made_up(step)? {
                self.step(step).map_err(|error| match self.tape.locations.get(step.location as usize) {
                    Some(location) => error.at(step.op, location),
                    None => error,
                })?;
            }
        }
        Ok(())
    }

    fn is_made_up(&mut self, step: &Step) -> Result<bool, RunError> {
        if let Some(times) = &mut self.memory.times {
            let who = times.who();
            times.turn_of(who, step.location);
            times.compute(who, step.op, step.location);
        }
        if step.results.len() == 1
            && let Some(made_up) = self.hooks.made_up(step.op)
        {
            self.put(step.results[0], Value::Tile(made_up));
        } else if !self.stores_a_tile(step) {
            return Ok(false);
        }
        for &register in &step.drops {
            self.put(register, Value::Empty);
        }
        Ok(true)
    }

    /// Whether a step stores what would not be read.
    fn stores_a_tile(&self, step: &Step) -> bool {
        let stored = step.operands.get(1).and_then(|value| self.registers.get(value.register as usize));
        matches!(step.action, Action::Store(..)) && matches!(stored, Some(Value::Tile(tile)) if tile.rank() > 0)
    }
}
