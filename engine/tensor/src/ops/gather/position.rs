//! What positions are made of, and which of them are within.

use crate::isa::for_each_isa;

/// A flat position: `i32` or `i64`.
pub trait Position: Copy + Into<i64> {
    /// Whether all are at elements of so many, counted from the beginning.
    fn all_within(positions: &[Self], length: usize) -> bool;

    /// The element of so many that it is at. Of negative ones it is none, or one from the end.
    #[inline(always)]
    fn within(self, length: usize, wraps: bool) -> Option<usize> {
        let position: i64 = self.into();
        let position = if wraps && position < 0 { position.wrapping_add(length as i64) } else { position };
        // Negative ones are past every end, so that one comparison tells.
        ((position as u64) < length as u64).then_some(position as usize)
    }

    /// The place of an element that is known to be there.
    #[inline(always)]
    fn low_bits(self) -> usize {
        self.into() as usize
    }
}

impl Position for i32 {
    fn all_within(positions: &[i32], length: usize) -> bool {
        highest(positions).is_none_or(|highest| (highest as usize) < length)
    }
}

impl Position for i64 {
    fn all_within(positions: &[i64], length: usize) -> bool {
        positions.iter().all(|&position| (position as u64) < length as u64)
    }
}

for_each_isa! {
    /// The highest, where negative ones are higher than all others.
    fn highest<F>(positions: &[i32]) -> Option<u32> {
        let mut highest = 0;
        for &position in positions {
            highest = highest.max(position as u32);
        }
        (!positions.is_empty()).then_some(highest)
    }
}
