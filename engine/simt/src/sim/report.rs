//! What a simulation saw besides values.

use crate::{Met, Stored};
use pallas_syntax::Span;
use std::fmt;

/// What the threads of a kernel did that hardware forgives, sometimes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The first complaints, at most [`Report::KEPT`] of each kind.
    pub complaints: Vec<Complaint>,
    /// How many accesses were complained of, by kind.
    pub counts: [u64; Kind::ALL.len()],
    /// How often a warp had to wait since several of its lanes went to one bank of shared memory.
    pub bank_conflicts: u64,
    /// Instructions, each counted once for a block.
    pub instructions: u64,
    /// Barriers, each counted once for a block.
    pub barriers: u64,
    /// What was printed.
    pub printed: Vec<String>,
    /// What was stored to the element that was watched, in order, as far as it was kept.
    pub stores: Vec<Stored>,
    /// The times that were noted, as they lie in memory; see [`marks`](crate::marks). Empty where none are.
    pub notes: Vec<u64>,
}

/// One access that was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// What was wrong.
    pub kind: Kind,
    /// The array.
    pub memory: String,
    /// The element; of what a check in the kernel tells, the number of the program.
    pub element: i64,
    /// The block.
    pub block: usize,
    /// The thread, and the one that it met, if it met one.
    pub threads: (u32, Option<u32>),
    /// The Pallas source of the access.
    pub span: Span,
    /// Of what a kernel tells of a race: whom its program met.
    pub met: Option<Met>,
    /// Of a race between blocks the other one.
    pub other: Option<usize>,
}

/// What can be wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Two threads of a block met without a barrier between, one of them to write.
    Race,
    /// Two blocks met, one of them to write.
    BlockRace,
    /// Two programs of different blocks met. Only of what is compiled with checks, and instead of [`Kind::BlockRace`] there.
    ProgramRace,
    /// Memory of a block was read that nobody wrote.
    Uninitialized,
    /// Memory was touched while a copy to it was under way that nobody had waited for.
    UnderWay,
    /// An engine was sent to what a thread had written, and not made known to engines.
    Unfenced,
    /// A position outside of a Ref, which was moved inside or dropped. Only of what is compiled with checks.
    Outside,
    /// An index outside of its array. What is read there is 0, what is written is dropped.
    OutOfBounds,
    /// NaN on its way to an output. Only of what is compiled with a trap for it.
    NotANumber,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 9] = [
        Kind::Race,
        Kind::BlockRace,
        Kind::ProgramRace,
        Kind::Uninitialized,
        Kind::UnderWay,
        Kind::Unfenced,
        Kind::Outside,
        Kind::OutOfBounds,
        Kind::NotANumber,
    ];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Race => "a race between threads",
            Kind::BlockRace => "a race between blocks",
            Kind::ProgramRace => "a race between programs",
            Kind::Uninitialized => "a read of memory that nobody wrote",
            Kind::Unfenced => "an engine's read of what was not made known to engines",
            Kind::Outside => "a position outside",
            Kind::UnderWay => "an access to what is being copied",
            Kind::OutOfBounds => "an index out of bounds",
            Kind::NotANumber => "NaN on its way to an output",
        }
    }
}

impl Report {
    /// Complaints that are kept of each kind.
    pub const KEPT: u64 = 4;

    /// How often an access was wrong in this way.
    pub fn count(&self, kind: Kind) -> u64 {
        self.counts[kind as usize]
    }

    /// Whether nothing was wrong.
    pub fn is_clean(&self) -> bool {
        self.counts.iter().all(|&count| count == 0)
    }

    pub(super) fn complain(&mut self, complaint: impl FnOnce() -> Complaint, kind: Kind) {
        let count = &mut self.counts[kind as usize];
        *count += 1;
        if *count <= Report::KEPT {
            self.complaints.push(complaint());
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (thread, other) = self.threads;
        write!(f, "{} in {}[{}], block {}, thread {thread}", self.kind.words(), self.memory, self.element, self.block)?;
        match other {
            Some(other) => write!(f, " and thread {other}"),
            None => Ok(()),
        }
    }
}
