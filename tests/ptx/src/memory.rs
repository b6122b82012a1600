//! Global memory, and where the state spaces lie among generic addresses (PTX ISA 5.1, 6.4.1).

use crate::fault::Cause;
use crate::types::Space;
use std::collections::BTreeMap;

/// Generic addresses of shared memory; a block of a cluster has 16 MiB of them by its rank.
pub(crate) const SHARED: u64 = 0x0100_0000_0000;
/// Of a thread's local memory.
pub(crate) const LOCAL: u64 = 0x0200_0000_0000;
/// Of a kernel's parameters.
pub(crate) const PARAMS: u64 = 0x0300_0000_0000;
/// Where global memory begins.
const GLOBAL: u64 = 0x7f00_0000_0000;
/// Between two allocations, so that what goes over the end of one is in none.
const GAP: u64 = 4096;

/// What memory holds that nobody has written: no number that looks like a result.
pub(crate) fn garbage(bytes: usize) -> Vec<u8> {
    // Each word as a float is a NaN, as an integer far from 0.
    [0xcd, 0xab, 0xba, 0x7f].into_iter().cycle().take(bytes).collect()
}

/// A device's global memory.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    allocations: BTreeMap<u64, Vec<u8>>,
    next: u64,
}

impl Memory {
    /// Nothing is allocated.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Memory of a size at an address that is a multiple of `align`, and of 256. What it holds is garbage.
    pub fn alloc(&mut self, bytes: usize, align: usize) -> u64 {
        let align = (align.max(256) as u64).next_power_of_two();
        let at = self.next.max(GLOBAL).next_multiple_of(align);
        self.next = at + bytes as u64 + GAP;
        self.allocations.insert(at, garbage(bytes));
        at
    }

    /// Gives memory back; whether it was allocated.
    pub fn free(&mut self, at: u64) -> bool {
        self.allocations.remove(&at).is_some()
    }

    /// How many allocations there are, and their bytes.
    pub fn used(&self) -> (usize, usize) {
        (self.allocations.len(), self.allocations.values().map(Vec::len).sum())
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// Not all of them lie in one allocation.
    pub fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Cause> {
        into.copy_from_slice(self.slice(at, into.len())?);
        Ok(())
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// Not all of them lie in one allocation.
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Cause> {
        self.slice_mut(at, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn slice(&self, at: u64, bytes: usize) -> Result<&[u8], Cause> {
        let found = self.allocations.range(..=at).next_back();
        let found = found.and_then(|(begin, content)| content.get((at - begin) as usize..)?.get(..bytes));
        found.ok_or_else(|| self.outside(at, bytes))
    }

    pub(crate) fn slice_mut(&mut self, at: u64, bytes: usize) -> Result<&mut [u8], Cause> {
        if self.slice(at, bytes).is_err() {
            return Err(self.outside(at, bytes));
        }
        let found = self.allocations.range_mut(..=at).next_back();
        let found = found.and_then(|(begin, content)| content.get_mut((at - begin) as usize..)?.get_mut(..bytes));
        found.ok_or(Cause::IllegalAddress { address: at, bytes, near: None })
    }

    /// Says what allocation is nearest.
    fn outside(&self, at: u64, bytes: usize) -> Cause {
        let before = self.allocations.range(..=at).next_back().filter(|(begin, content)| {
            // What is farther away has nothing to do with it.
            at - *begin < content.len() as u64 + (1 << 32)
        });
        let near = before.or_else(|| self.allocations.range(at..).next());
        Cause::IllegalAddress { address: at, bytes, near: near.map(|(begin, content)| (*begin, content.len())) }
    }
}

/// The state space that a generic address is in.
pub(crate) fn space_of(address: u64) -> Space {
    match address >> 40 {
        1 => Space::Shared,
        2 => Space::Local,
        3 => Space::Param,
        _ => Space::Global,
    }
}
