//! What a schedule in time consists of, and what it comes to.

use crate::max_plus::Ticks;

/// A stage of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// A block on its way in.
    CopyIn,
    /// The kernel.
    Compute,
    /// A block on its way back.
    CopyOut,
    /// Nothing is computed until a copy is done.
    Wait,
}

impl Stage {
    /// As it is written: `copy_in`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::CopyIn => "copy_in",
            Stage::Compute => "compute",
            Stage::CopyOut => "copy_out",
            Stage::Wait => "wait",
        }
    }
}

/// Something that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The program, by its number: the one whose block it is, or which waits.
    pub program: usize,
    /// What is done.
    pub stage: Stage,
    /// Position in [`Schedule::streams`]; `None` for compute.
    pub stream: Option<usize>,
    /// The slot of the copy, or that is waited for.
    pub slot: usize,
    /// When it begins: copies when they are started.
    pub start: Ticks,
    /// When it is done.
    pub end: Ticks,
}

/// Totals of a schedule in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// From the first line to the last.
    pub time: Ticks,
    /// Time in which the kernel runs.
    pub compute: Ticks,
    /// The bubble before the first program computes.
    pub fill: Ticks,
    /// The bubble after the last one has.
    pub drain: Ticks,
    /// Waiting in between.
    pub stalls: Ticks,
}

impl Totals {
    /// The share of the time in which the kernel runs; 1 for no time at all.
    pub fn utilisation(&self) -> f64 {
        if self.time == 0 { 1.0 } else { self.compute as f64 / self.time as f64 }
    }
}
