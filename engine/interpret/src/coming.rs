//! What a Ref holds and nobody has computed yet, as a value: a program that adds to what the programs before it have left there
//! goes on with their operations, in the place of a tile that would be written and read again for each of them. A sum over blocks
//! that come one after the other is one pass over all of them then.
//!
//! It is a value like others, and stays what it was when it was read. Whoever cannot go on with it has it made a tile.

use crate::error::RunError;
use crate::later::{Later, Pending};
use crate::machine::{Machine, Value};
use crate::memory::{Memory, View};
use crate::tape::Source;
use pallas_tensor::Array;
use smallvec::SmallVec;
use std::rc::Rc;

/// What a Ref held when it was read.
#[derive(Clone, Debug)]
pub(crate) struct Coming {
    /// The buffer.
    buffer: usize,
    pending: Rc<Pending>,
}

/// A chain by its number, and what it reads.
type Chained = (usize, SmallVec<[Value; 4]>);

impl Memory {
    /// All of what a Ref shows, where that is the result of operations that are put off.
    pub(crate) fn coming(&self, view: &View) -> Option<Coming> {
        let slot = self.buffers.get(view.buffer).filter(|slot| slot.defers)?;
        let Some(Later::Chain(pending)) = &slot.later else { return None };
        let shape = self.workshop.chains.get(pending.chain)?.shape();
        let plain = view.through.is_none() && view.is_whole(shape) && pending.over.is_empty();
        // One element may be wanted as a number.
        (plain && shape.size() > 1).then(|| Coming { buffer: view.buffer, pending: pending.clone() })
    }

    /// Whether that is still what the buffer holds.
    fn holds(&self, coming: &Coming) -> bool {
        let later = self.buffers.get(coming.buffer).map(|slot| &slot.later);
        matches!(later, Some(Some(Later::Chain(pending))) if Rc::ptr_eq(pending, &coming.pending))
    }

    /// What was read as a tile, which the buffer holds as well if nothing else was put there.
    pub(crate) fn computed(&mut self, coming: &Coming) -> Result<Array, RunError> {
        if !self.holds(coming) {
            return self.workshop.tile(&coming.pending);
        }
        self.settle(coming.buffer)?;
        Ok(self.buffers[coming.buffer].array.clone())
    }
}

impl Machine<'_> {
    /// Makes tiles of operands that have not been computed.
    pub(crate) fn ready(&mut self, operands: &[Source]) -> Result<(), RunError> {
        for source in operands {
            let place = source.register as usize;
            let Value::Coming(coming) = &self.registers[place] else { continue };
            let coming = coming.clone();
            self.registers[place] = Value::Tile(self.memory.computed(&coming)?);
        }
        Ok(())
    }

    /// The chain that is stored to all of a buffer, and what it reads: where it reads what the buffer held, and beside it only windows
    /// and numbers, it goes on with the operations before.
    pub(crate) fn going_on(&mut self, buffer: usize, chain: usize, reads: &[Source]) -> Result<Chained, RunError> {
        if let Some((number, coming)) = self.own(buffer, reads)
            && let Some(joined) = self.memory.workshop.joined(chain, number, coming.pending.chain)
        {
            self.memory.buffers[buffer].later = None;
            let others = reads.iter().enumerate().filter(|(other, _)| *other != number);
            let others: SmallVec<[Source; 4]> = others.map(|(_, &source)| source).collect();
            let others = self.taken(&others)?;
            self.registers[reads[number].register as usize] = Value::Empty;
            let before = Rc::try_unwrap(coming.pending).map_or_else(|shared| shared.reads.clone(), |own| own.reads);
            let mut all: SmallVec<[Value; 4]> = before.into_iter().chain(others).collect();
            for value in &mut all {
                // What the next program reads is among what is read here.
                if let Value::Window(window) = value {
                    window.next = None;
                }
            }
            return Ok((joined, all));
        }
        self.ready(reads)?;
        Ok((chain, self.taken(reads)?))
    }

    /// Which of the reads of a store is what its buffer holds, where nobody else needs it. The others are windows and
    /// numbers: tiles were computed just now, and are still near.
    fn own(&self, buffer: usize, reads: &[Source]) -> Option<(usize, Coming)> {
        let value = |source: &Source| &self.registers[source.register as usize];
        let is_coming = |source: &Source| matches!(value(source), Value::Coming(_));
        let number = reads.iter().position(is_coming)?;
        let Value::Coming(coming) = value(&reads[number]) else { return None };
        let is_own = coming.buffer == buffer && reads[number].last_use && self.memory.holds(coming);
        let others = reads.iter().enumerate().filter(|(other, _)| *other != number);
        let is_far = |(_, source): (usize, &Source)| match value(source) {
            Value::Window(_) | Value::Number(_) => true,
            Value::Tile(tile) => tile.size() == 1,
            _ => false,
        };
        (is_own && others.into_iter().all(is_far)).then(|| (number, coming.clone()))
    }
}
