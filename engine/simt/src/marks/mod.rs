//! Times that a kernel notes of itself while it runs: what it notes and where, how they lie in memory, and what they say once
//! they are read back. Reads no clock: threads on a device do, and the [simulator](crate::sim) has one of its own.
//!
//! **In memory** each block has [`HEADER`] words of 64 bits: the device's time in nanoseconds and the multiprocessor's clock at its
//! begin, both at its end, the number of the multiprocessor, and how many notes it made. Behind them is a ring of
//! [`capacity`] notes of [`NOTE`] words: the multiprocessor's clock, and the number of the note in [`Kernel::marks`], a slot and
//! a number, of 16, 16 and 32 bits. The first thread of the block writes all of it.
//!
//! The ring is written over where a block has more notes than it holds: the last ones are there, and how many are lost is
//! known.

mod align;
mod read;

pub use align::Clock;
pub use read::{BlockTime, TimedEvent, TimedStage, Times, read};

use crate::ir::{Kernel, MemoryId};
use pallas_syntax::Span;

/// Words in front of a block's notes.
pub const HEADER: usize = 6;
/// Words of a note.
pub const NOTE: usize = 2;
/// Words of all blocks, if that leaves each block some.
const MOST_WORDS: usize = 8 << 20;
/// Notes of a block, as powers of two.
const FEWEST: usize = 32;
const MOST: usize = 4096;

/// What a note says.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// The program with this number begins.
    Begin,
    /// It ends; not yet, if the number is negative.
    End,
    /// Copies into this slot were started; none if the number is negative.
    Start {
        /// Tells the loops of a kernel apart.
        ring: u32,
        /// From which arrays, and how many bytes of each.
        from: Vec<(MemoryId, u64)>,
    },
    /// The threads begin to wait for copies.
    Wait,
    /// They have those of this slot.
    Arrived {
        /// See [`Mark::Start`].
        ring: u32,
    },
    /// The threads begin to store to an output.
    Store(MemoryId),
    /// They have told memory to.
    Stored,
}

/// A place where the time is noted.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// What that says.
    pub mark: Mark,
    /// The Pallas source.
    pub span: Span,
}

/// How many notes the ring of a block has room for: a power of two.
pub fn capacity(kernel: &Kernel) -> usize {
    let room = MOST_WORDS / kernel.blocks.max(1);
    let notes = room.saturating_sub(HEADER) / NOTE;
    let power = if notes == 0 { 1 } else { 1 << notes.ilog2() };
    power.clamp(FEWEST, MOST)
}

/// Words of a block.
pub fn words(kernel: &Kernel) -> usize {
    HEADER + NOTE * capacity(kernel)
}

/// The second word of a note.
pub(crate) fn packed(site: u32, slot: u32, number: i32) -> u64 {
    u64::from(site & 0xffff) << 48 | u64::from(slot & 0xffff) << 32 | u64::from(number as u32)
}

/// Number in the table, slot, number.
fn unpacked(word: u64) -> (usize, u32, i32) {
    ((word >> 48) as usize, (word >> 32) as u32 & 0xffff, word as u32 as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_comes_back_as_it_went() {
        for (site, slot, number) in [(0, 0, 0), (65_535, 3, -1), (7, 65_535, i32::MAX)] {
            assert_eq!(unpacked(packed(site, slot, number)), (site as usize, slot, number));
        }
    }
}
