//! Counts as they are written: the largest that JSON readers keep apart in whole numbers of 64 bits.

/// A count, or the largest that can be written.
pub(crate) fn clip(count: u128) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
