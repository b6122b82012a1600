//! Machine code of chains: all operations of a chain for sixteen elements in registers, in the place of a chunk of elements that goes
//! through one operation after the other. For processors with AVX-512; everywhere else, for operations that are not known here,
//! and for chains that have little to compute, the loops do the work.
//!
//! A chain becomes a graph of values ([`translate`]), whose elementary functions come from their one source in [`crate::math`]
//! ([`noted`]); values get registers and become instructions ([`emit`], [`instructions`], [`moves`]) inside of a function over rows ([`frame`]), which is put
//! into memory and called ([`memory`], [`run`]). The bits are those of the loops.

#[cfg(target_arch = "x86_64")]
mod assembler;
#[cfg(target_arch = "x86_64")]
mod emit;
#[cfg(target_arch = "x86_64")]
mod frame;
#[cfg(target_arch = "x86_64")]
mod graph;
#[cfg(target_arch = "x86_64")]
mod instructions;
#[cfg(target_arch = "x86_64")]
mod made;
#[cfg(target_arch = "x86_64")]
mod memory;
#[cfg(target_arch = "x86_64")]
mod moves;
#[cfg(target_arch = "x86_64")]
mod noted;
#[cfg(target_arch = "x86_64")]
mod run;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
#[cfg(target_arch = "x86_64")]
mod translate;

#[cfg(target_arch = "x86_64")]
pub(super) use made::{Codes, Kind};

/// The codes of a chain, of which there are none here.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Debug, Default)]
pub(super) struct Codes;

use std::sync::atomic::{AtomicU8, Ordering};

/// Whether machine code is made of chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compilation {
    /// Not at all.
    Never,
    /// Where a chain has so much to compute that it pays.
    WherePaid,
    /// Whenever it can be made: for tests.
    Always,
}

static NOW: AtomicU8 = AtomicU8::new(Compilation::WherePaid as u8);

impl Compilation {
    /// Has chains that run from now on, in all threads, be compiled or not. Results are the same to the bit.
    pub fn set(self) {
        NOW.store(self as u8, Ordering::Relaxed);
    }

    #[cfg(target_arch = "x86_64")]
    fn now() -> Compilation {
        match NOW.load(Ordering::Relaxed) {
            0 => Compilation::Never,
            1 => Compilation::WherePaid,
            _ => Compilation::Always,
        }
    }
}
