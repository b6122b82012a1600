//! The simulator's clock: so many ticks for an instruction, on multiprocessors that run a block at a time. It models no GPU; it
//! is there so that what a kernel notes of its times can be looked at, and tested, without one.

use super::Fault;
use super::world::World;
use crate::ir::{Inst, Op, Space};
use crate::marks::{self, HEADER, NOTE};

/// Multiprocessors.
const MULTIPROCESSORS: usize = 4;

/// Time as blocks see it.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// Of the multiprocessor at hand.
    now: u64,
    /// When each of them has nothing to do any more.
    free: [u64; MULTIPROCESSORS],
    /// The one at hand.
    at: usize,
    /// Notes of all blocks.
    pub(super) words: Vec<u64>,
    /// Words of a block, and its notes.
    size: usize,
    capacity: usize,
    count: u64,
}

impl Clock {
    /// For a kernel that notes times, or for none.
    pub(super) fn new(kernel: &crate::ir::Kernel) -> Clock {
        if kernel.marks.is_empty() {
            return Clock::default();
        }
        Clock { size: marks::words(kernel), capacity: marks::capacity(kernel), ..Clock::default() }
    }

    /// A block begins on the multiprocessor that has been idle longest.
    pub(super) fn begin(&mut self) {
        let idle = self.free.iter().enumerate().min_by_key(|(_, free)| **free);
        (self.at, self.now) = idle.map_or((0, 0), |(at, &free)| (at, free));
        let first = self.words.len();
        self.words.resize(first + self.size, 0);
        self.count = 0;
        if let Some([time, ticks, _, _, multiprocessor, _]) = self.words.get_mut(first..first + HEADER) {
            (*time, *ticks, *multiprocessor) = (self.now, self.now, self.at as u64);
        }
    }

    /// It ends.
    pub(super) fn end(&mut self) {
        self.free[self.at] = self.now;
        let first = self.words.len().saturating_sub(self.size);
        if let Some([_, _, time, ticks, _, count]) = self.words.get_mut(first..first + HEADER) {
            (*time, *ticks, *count) = (self.now, self.now, self.count);
        }
    }

    fn note(&mut self, word: u64) {
        let first = self.words.len().saturating_sub(self.size);
        let place = first + HEADER + NOTE * (self.count as usize % self.capacity.max(1));
        if let Some([ticks, what]) = self.words.get_mut(place..place + NOTE) {
            (*ticks, *what) = (self.now, word);
        }
        self.count += 1;
    }
}

impl World<'_> {
    /// What an instruction takes: its registers, and more where it goes to memory or waits.
    pub(super) fn tick(&mut self, inst: &Inst) {
        let of = |value: Option<&crate::ir::Value>| value.map_or(1, |&value| u64::from(self.kernel.ty(value).regs));
        let registers = of(inst.results.first().or(inst.operands.first()));
        let each = match &inst.op {
            Op::Load { memory, .. } | Op::Store { memory, .. } => {
                if matches!(self.kernel.memory(*memory).space, Space::Shared) { 2 } else { 8 }
            }
            Op::Mma(_) => 8,
            Op::Barrier | Op::WaitAhead(_) => 32,
            Op::Const(_) | Op::Mark(_) | Op::For | Op::While | Op::Switch => 0,
            _ => 1,
        };
        self.clock.now += each * registers;
    }

    pub(super) fn mark(&mut self, inst: &Inst, site: u32) -> Result<(), Fault> {
        let (number, slot) = (self.uniform(inst.operands[0])?, self.uniform(inst.operands[1])?);
        self.clock.note(marks::packed(site, slot as u32, number as i32));
        Ok(())
    }
}
