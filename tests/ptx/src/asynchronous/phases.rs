//! A phase barrier's word in shared memory (PTX ISA 9.7.13.15.1). What its bits mean is nobody's business but the hardware's: these are
//! ours, with one that says that the barrier was initialised.

use crate::types::{extended, low};

/// A barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Barrier {
    /// Arrivals that are missing in this phase, and those of each phase.
    pub(crate) missing: u32,
    pub(crate) arrivals: u32,
    /// Bytes that are missing; they may come before they are awaited.
    pub(crate) bytes: i32,
    /// The parity of the phase that is not over.
    pub(crate) parity: u32,
}

const BITS: u32 = 20;

impl Barrier {
    /// `None` if the word is no barrier.
    pub(crate) fn of(word: u64) -> Option<Barrier> {
        (word >> 63 == 1).then(|| Barrier {
            missing: low(word, BITS) as u32,
            arrivals: low(word >> BITS, BITS) as u32,
            bytes: extended(word >> (2 * BITS), BITS + 2) as i32,
            parity: (word >> 62 & 1) as u32,
        })
    }

    pub(crate) fn word(self) -> u64 {
        1 << 63
            | u64::from(self.parity) << 62
            | low(self.bytes as u64, BITS + 2) << (2 * BITS)
            | u64::from(self.arrivals) << BITS
            | u64::from(self.missing)
    }

    /// A new one; `None` if so many arrivals cannot be counted.
    pub(crate) fn new(arrivals: u32) -> Option<Barrier> {
        let fits = arrivals > 0 && arrivals < 1 << BITS;
        fits.then_some(Barrier { missing: arrivals, arrivals, bytes: 0, parity: 0 })
    }

    /// Arrivals, and a change of the bytes that are missing. `None` if more arrive than are awaited, or there are too many bytes.
    pub(crate) fn after(mut self, arrivals: u32, bytes: i32) -> Option<Barrier> {
        self.bytes = self.bytes.checked_add(bytes).filter(|bytes| bytes.unsigned_abs() < 1 << BITS)?;
        self.missing = self.missing.checked_sub(arrivals)?;
        if self.missing == 0 && self.bytes == 0 {
            self.missing = self.arrivals;
            self.parity ^= 1;
        }
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_over_when_all_have_arrived_and_all_bytes_have_come() {
        let barrier = Barrier::new(2).expect("two arrivals");
        assert_eq!(Barrier::of(barrier.word()), Some(barrier));
        let early = barrier.after(0, -96).expect("bytes that nobody awaits yet");
        assert_eq!(Barrier::of(early.word()), Some(early));
        let half = early.after(1, 128).expect("one arrives").after(1, 0).expect("the other");
        assert_eq!((half.parity, half.bytes), (0, 32));
        let over = half.after(0, -32).expect("the last bytes");
        assert_eq!((over.parity, over.missing), (1, 2));
        assert_eq!(half.after(1, 0), None, "a third");
        assert_eq!(Barrier::of(0x7fba_abcd_7fba_abcd), None, "garbage");
    }
}
