//! A block's tensor memory: its cells, and who has which columns (PTX ISA 9.7.16.1, 9.7.16.7).

use super::order::Unit;
use super::{COLUMNS, LANES};
use crate::fault::Cause;

/// Lanes whose cells of a column are accessed together.
pub(crate) const CHUNK: usize = 16;
/// Chunks of a column.
pub(crate) const CHUNKS: usize = LANES / CHUNK;

/// Columns of some chunks of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// The rank of the block that they are of.
    pub(crate) block: usize,
    /// A bit for each chunk.
    pub(crate) chunks: u8,
    pub(crate) first: usize,
    pub(crate) columns: usize,
}

impl Region {
    pub(crate) fn meets(&self, other: &Region) -> bool {
        let apart = self.first + self.columns <= other.first || other.first + other.columns <= self.first;
        self.block == other.block && self.chunks & other.chunks != 0 && !apart
    }
}

/// Columns that somebody asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Given {
    first: usize,
    columns: usize,
    group: usize,
}

/// A block's tensor memory. It takes room once somebody asks for some.
#[derive(Default)]
pub(crate) struct TensorMemory {
    cells: Vec<[u32; LANES]>,
    pub(super) units: Vec<[Unit; CHUNKS]>,
    given: Vec<Given>,
    /// Whether the block asks for no more.
    closed: bool,
    /// How many columns were asked for last.
    last: Option<usize>,
}

/// A number that looks like no result: a NaN, and no small integer.
const GARBAGE: u32 = 0x7fba_abcd;

impl TensorMemory {
    /// Gives columns; where the first one is.
    pub(crate) fn ask(&mut self, columns: usize, group: usize) -> Result<u32, Cause> {
        let undefined = |what: String| Err(Cause::Undefined(what));
        if !columns.is_power_of_two() || !(32..=COLUMNS).contains(&columns) {
            return undefined(format!(
                "{columns} columns of tensor memory: a power of two from 32 to {COLUMNS} it must be"
            ));
        }
        if self.closed {
            return undefined("columns are asked for after tcgen05.relinquish_alloc_permit".to_string());
        }
        if self.last.is_some_and(|last| last < columns) {
            return undefined(format!("{columns} columns are asked for after fewer, {:?}", self.last));
        }
        // The last ones that are free: nobody may count on the first.
        let free = |first: &usize| {
            self.given.iter().all(|given| first + columns <= given.first || given.first + given.columns <= *first)
        };
        let Some(first) = (0..COLUMNS).step_by(columns).rev().find(free) else {
            let taken: usize = self.given.iter().map(|given| given.columns).sum();
            return undefined(format!("tcgen05.alloc of {columns} columns waits for ever: the block has {taken}"));
        };
        self.cells.resize(COLUMNS, [GARBAGE; LANES]);
        self.units.resize(COLUMNS, Default::default());
        self.cells[first..first + columns].fill([GARBAGE; LANES]);
        self.units[first..first + columns].fill(Default::default());
        self.given.push(Given { first, columns, group });
        self.last = Some(columns);
        Ok(first as u32)
    }

    pub(crate) fn ask_no_more(&mut self) {
        self.closed = true;
    }

    /// Takes columns back, which have to be those that were given.
    pub(crate) fn give_back(&mut self, at: u32, columns: usize, group: usize) -> Result<(), Cause> {
        let wanted = Given { first: at as usize, columns, group };
        let Some(number) = self.given.iter().position(|given| *given == wanted) else {
            let all = &self.given;
            return Err(Cause::Undefined(format!(
                "tcgen05.dealloc of {columns} columns at {at:#x} that were not given so: {all:?}"
            )));
        };
        self.given.remove(number);
        Ok(())
    }

    /// How many columns nobody has given back.
    pub(crate) fn left(&self) -> usize {
        self.given.iter().map(|given| given.columns).sum()
    }

    /// Whether all of a region was given, to so many blocks together if that is said.
    pub(crate) fn has(&self, region: &Region, group: Option<usize>) -> Result<(), Cause> {
        let fits =
            |given: &Given| given.first <= region.first && region.first + region.columns <= given.first + given.columns;
        match self.given.iter().find(|given| fits(given)) {
            None => Err(Cause::Undefined(format!(
                "columns {}..{} of tensor memory, which the block (rank {}) has not: it has {:?}",
                region.first,
                region.first + region.columns,
                region.block,
                self.given
            ))),
            Some(given) if group.is_some_and(|group| group != given.group) => Err(Cause::Undefined(format!(
                "an instruction of cta_group::{} on columns that were asked for with cta_group::{}",
                group.unwrap_or(0),
                given.group
            ))),
            Some(_) => Ok(()),
        }
    }

    /// A cell, of columns that the block has.
    pub(crate) fn cell(&self, lane: usize, column: usize) -> u32 {
        self.cells[column][lane]
    }

    pub(crate) fn put(&mut self, lane: usize, column: usize, value: u32) {
        self.cells[column][lane] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_given_in_powers_of_two_and_taken_back_whole() {
        let mut memory = TensorMemory::default();
        for columns in [0, 16, 48, 1024] {
            assert!(memory.ask(columns, 1).is_err(), "{columns}");
        }
        assert_eq!(memory.ask(256, 1), Ok(256));
        assert_eq!(memory.ask(64, 1), Ok(192));
        assert!(memory.ask(128, 1).is_err(), "more than the last time");
        assert_eq!(memory.ask(64, 1), Ok(128));
        let region = |first, columns| Region { block: 0, chunks: 1, first, columns };
        assert_eq!(memory.has(&region(192, 64), Some(1)), Ok(()));
        assert!(memory.has(&region(200, 64), None).is_err(), "two allocations are not one");
        assert!(memory.has(&region(100, 8), None).is_err());
        assert!(memory.has(&region(192, 8), Some(2)).is_err());
        assert!(memory.give_back(192, 32, 1).is_err());
        assert_eq!(memory.give_back(192, 64, 1), Ok(()));
        assert!(memory.give_back(192, 64, 1).is_err(), "twice");
        assert_eq!(memory.left(), 320);
        memory.ask_no_more();
        assert!(memory.ask(32, 1).is_err());
    }

    #[test]
    fn too_many_columns_are_waited_for_in_vain() {
        let mut memory = TensorMemory::default();
        assert_eq!(memory.ask(512, 2), Ok(0));
        assert!(memory.ask(32, 2).is_err());
    }
}
