//! How much a kernel computes: operations counted from its IR, loops times their trip counts, branches as the program ids
//! decide them. What cannot be known is counted as said in its [`Unknown`].
//!
//! Counts are of the IR, not of what a compiler makes of it: loads and stores of on-chip memory, layout changes and
//! address arithmetic are free.

mod copied;
mod count;
mod price;

pub use count::launch_work;
pub use price::{Price, operations, price};

use pallas_ir::function::LocationId;
use pallas_tensor::DType;
use std::collections::BTreeMap;

/// What an operation is done by, and whether it counts as FLOPs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Multiplications and additions of products of matrices; two FLOPs each.
    Matrix,
    /// Arithmetic on floats, element by element, and reductions; one FLOP each.
    Vector,
    /// Exponentials, roots, and so on; one FLOP each, though hardware takes several steps.
    Transcendental,
    /// What is no arithmetic on floats: integers, comparisons, selections, conversions. No FLOPs.
    Other,
}

/// Operations, by unit and dtype.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// How many of each.
    pub terms: BTreeMap<(Unit, DType), u128>,
    /// Bytes that the kernel copies itself, to memory on chip or from it.
    pub copied: u128,
}

impl Work {
    /// Adds operations.
    pub fn add(&mut self, unit: Unit, dtype: DType, count: u128) {
        if count > 0 {
            let term = self.terms.entry((unit, dtype)).or_default();
            *term = term.saturating_add(count);
        }
    }

    /// Adds other work, so many times.
    pub fn add_times(&mut self, other: &Work, times: u128) {
        for (&(unit, dtype), &count) in &other.terms {
            self.add(unit, dtype, count.saturating_mul(times));
        }
        self.copied = self.copied.saturating_add(other.copied.saturating_mul(times));
    }

    /// Floating-point operations.
    pub fn flops(&self) -> u128 {
        self.terms.iter().filter(|((unit, _), _)| *unit != Unit::Other).map(|(_, count)| count).sum()
    }

    /// Operations of one unit.
    pub fn of(&self, unit: Unit) -> u128 {
        self.terms.iter().filter(|((u, _), _)| *u == unit).map(|(_, count)| count).sum()
    }

    /// All operations.
    pub fn operations(&self) -> u128 {
        self.terms.values().sum()
    }
}

/// Why a count may be wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unknown {
    /// Where, in the kernel; `None` for the whole of it.
    pub place: Option<LocationId>,
    /// What is not known, and what was counted instead.
    pub what: String,
}

/// The work of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchWork {
    /// The grid axes that the work of a program depends on, ascending.
    pub axes: Vec<usize>,
    /// The work of one program, one per combination of ids along those axes, the last axis fastest.
    pub programs: Vec<Work>,
    /// The work of all programs.
    pub total: Work,
    /// FLOPs of all programs by place in the kernel, in the order of the places.
    pub places: Vec<(LocationId, u128)>,
    /// What is not known.
    pub unknown: Vec<Unknown>,
}
