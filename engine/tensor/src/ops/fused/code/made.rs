//! Which code a chain has: made once for each way in which its operands lie, when there has been enough to compute.

use super::super::chain::Chain;
use super::Compilation;
#[cfg(target_arch = "aarch64")]
use super::arm::{Neon, function};
#[cfg(target_arch = "x86_64")]
use super::memory::{CONTROL, USUAL};
use super::memory::{Call, Executable, Function, Line};
#[cfg(target_arch = "x86_64")]
use super::translate::both;
use super::translate::translated;
#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512::Avx512, frame::function};
use crate::isa::{Isa, isa};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// How an operand of a code lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Kind {
    /// Whether one element meets all of a row.
    pub(super) is_one: bool,
    /// Whether the memory is asked for what comes next.
    pub(super) is_ahead: bool,
    /// Whether what comes next is another block.
    pub(super) is_far: bool,
    /// Whether it is written past the caches.
    pub(super) streams: bool,
    /// Of a result: whether it is the sum of all rows.
    pub(super) adds: bool,
    /// Bytes of an element.
    pub(super) size: u32,
}

/// Ways to lie that there is code for.
const WAYS: usize = 16;

/// Elements times operations that a chain has computed before it is compiled: the loops take some 30 microseconds for them,
/// which is what it takes to compile it.
const PAID: u64 = 1 << 18;

/// Whether code goes through several pieces by itself.
pub(super) const GOES_ON: bool = cfg!(target_arch = "x86_64");

/// Whether there is code for an instruction set.
pub(super) fn has_code(isa: Isa) -> bool {
    cfg!(target_arch = "aarch64") || isa != Isa::Baseline
}

/// The codes of a chain.
#[derive(Debug, Default)]
pub(in super::super) struct Codes {
    /// Elements times operations so far.
    work: AtomicU64,
    made: [OnceLock<Made>; WAYS],
}

#[derive(Debug)]
struct Made {
    isa: Isa,
    kinds: Vec<Kind>,
    /// None where the loops have to do it.
    code: Option<Arc<Code>>,
}

/// A function, and the constants that it reads.
#[derive(Debug)]
pub(super) struct Code {
    executable: Executable,
    constants: Box<[Line]>,
}

impl Codes {
    /// Whether there is, or may be, code for so much more work.
    pub(super) fn pays(&self, work: u64) -> bool {
        match Compilation::now() {
            Compilation::Never => false,
            Compilation::Always => has_code(isa()),
            Compilation::WherePaid => {
                let so_far = self.work.load(Ordering::Relaxed);
                if so_far < PAID {
                    // (Two threads at a time may count as one.)
                    self.work.store(so_far.saturating_add(work), Ordering::Relaxed);
                }
                so_far.saturating_add(work) >= PAID && has_code(isa())
            }
        }
    }

    /// Whether there is any for an instruction set.
    #[cfg(test)]
    pub(super) fn are_made(&self, isa: Isa) -> bool {
        self.made.iter().any(|made| made.get().is_some_and(|made| made.isa == isa && made.code.is_some()))
    }

    /// The code for operands of some kinds.
    pub(super) fn of(&self, chain: &Chain, kinds: &[Kind]) -> Option<&Arc<Code>> {
        let isa = isa();
        for made in &self.made {
            let make = || Made { isa, kinds: kinds.to_vec(), code: Code::new(chain, kinds, isa).map(Arc::new) };
            let made = made.get_or_init(make);
            // (Only tests compute with several instruction sets.)
            if made.kinds == kinds && made.isa == isa {
                return made.code.as_ref();
            }
        }
        None
    }
}

impl Code {
    fn new(chain: &Chain, kinds: &[Kind], isa: Isa) -> Option<Code> {
        let function = match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => function::<Avx512>(&translated::<Avx512>(chain)?, kinds)?,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => function::<Avx2>(&translated::<Avx2>(chain)?, kinds)?,
            #[cfg(target_arch = "x86_64")]
            Isa::Baseline => return None,
            #[cfg(target_arch = "aarch64")]
            Isa::Baseline => function(&translated::<Neon>(chain)?, kinds)?,
        };
        Code::of(&function)
    }

    /// The code of two chains side by side, over rows that are equally long. Operands are those of the first one, its result, and then those
    /// of the second one.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn both(first: &Chain, second: &Chain, kinds: &[Kind], isa: Isa) -> Option<Code> {
        let function = match isa {
            Isa::Avx512 => function::<Avx512>(&both::<Avx512>(first, second)?, kinds)?,
            Isa::Avx2 => function::<Avx2>(&both::<Avx2>(first, second)?, kinds)?,
            Isa::Baseline => return None,
        };
        Code::of(&function)
    }

    /// Puts a function where it can be called.
    fn of(function: &Function) -> Option<Code> {
        let executable = Executable::new(&function.code)?;
        Some(Code { executable, constants: Line::lines(&function.constants) })
    }

    /// Runs the code over rows of one piece, or of as many as `pieces` says where it goes through several ([`GOES_ON`]).
    ///
    /// # Safety
    /// All rows of all operands lie in memory that may be read, and those of results written; the processor is the one
    /// that the code was made for.
    #[expect(unsafe_code, reason = "what is called was made when the program ran")]
    pub(super) unsafe fn call(&self, call: &mut Call, pieces: usize) {
        debug_assert!(pieces == 1 || GOES_ON && pieces > 1, "code goes through as many pieces as it knows of");
        call.pieces = pieces;
        call.constants = self.constants.as_ptr().expose_provenance();
        #[cfg(target_arch = "x86_64")]
        {
            (call.control, call.usual) = (CONTROL, USUAL);
        }
        // The bytes come from `function`.
        unsafe { self.executable.call(call) };
    }
}
