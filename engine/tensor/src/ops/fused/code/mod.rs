//! Machine code of chains: all operations of a chain for sixteen, eight or four elements in registers, in the place of a chunk of
//! elements that goes through one operation after the other. For processors with AVX-512 or AVX2, and for 64-bit Arm on Linux;
//! everywhere else, for operations that are not known here, and for chains that have little to compute, the loops do the work.
//!
//! A chain becomes a graph of values ([`translate`]), whose elementary functions come from their one source in [`crate::math`]
//! ([`noted`]); it is decided what is computed for a row and what for its columns ([`order`]), and of how many columns at a time
//! (`abreast`); values get registers ([`emit`]) and become instructions ([`avx512`], [`avx2`], `arm`; [`machine`] is what they have in
//! common) inside of a function over rows ([`frame`], or `down` where rows are added up), which is put into memory and called ([`memory`], [`run`]). The bits are those of
//! the loops.

#[cfg(target_arch = "x86_64")]
mod abreast;
#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod arm;
#[cfg(target_arch = "x86_64")]
mod assembler;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod beside;
#[cfg(target_arch = "x86_64")]
mod down;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod emit;
#[cfg(target_arch = "x86_64")]
mod frame;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod graph;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod integers;
#[cfg(target_arch = "x86_64")]
mod lowered;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod machine;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod made;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod memory;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod near;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod noted;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod order;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod place;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod ready;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod run;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod shared;
#[cfg(all(test, any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux"))))]
mod tests;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
mod translate;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub(super) use beside::Beside;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
pub(super) use {made::Kind, memory::Call, ready::Prepared, run::is_narrow, shared::Shared as Codes};

/// The codes of a chain, of which there are none here.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux"))))]
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
    /// Has chains that run from now on, in all threads, be compiled or not, and says what it was before. Results are the same to the
    /// bit.
    pub fn set(self) -> Compilation {
        Compilation::of(NOW.swap(self as u8, Ordering::Relaxed))
    }

    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
    fn now() -> Compilation {
        Compilation::of(NOW.load(Ordering::Relaxed))
    }

    fn of(number: u8) -> Compilation {
        match number {
            0 => Compilation::Never,
            1 => Compilation::WherePaid,
            _ => Compilation::Always,
        }
    }
}
