//! Which code a chain has: made once for each way in which its operands lie, when there has been enough to compute.

use super::super::chain::Chain;
use super::Compilation;
use super::frame::function;
use super::memory::{CONTROL, Call, Executable};
use super::translate::translated;
use crate::isa::{Isa, isa};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// How an operand of a code lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Kind {
    /// Whether one element meets all of a row.
    pub(super) is_one: bool,
    /// Whether the memory is asked for what comes next.
    pub(super) is_ahead: bool,
    /// Whether it is written past the caches.
    pub(super) streams: bool,
    /// Bytes of an element.
    pub(super) size: u32,
}

/// Ways to lie that there is code for.
const WAYS: usize = 4;

/// Elements times operations that a chain has computed before it is compiled: the loops take some hundred microseconds for them,
/// which is what it takes to compile it.
const PAID: u64 = 1 << 21;

/// The codes of a chain.
#[derive(Debug, Default)]
pub(in super::super) struct Codes {
    /// Elements times operations so far.
    work: AtomicU64,
    made: [OnceLock<Made>; WAYS],
}

/// A copy of a chain makes its own.
impl Clone for Codes {
    fn clone(&self) -> Codes {
        Codes::default()
    }
}

#[derive(Debug)]
struct Made {
    kinds: Vec<Kind>,
    /// None where the loops have to do it.
    code: Option<Code>,
}

/// A function, and the constants that it reads.
#[derive(Debug)]
pub(super) struct Code {
    executable: Executable,
    constants: Box<[u32]>,
}

impl Codes {
    /// Whether there is, or may be, code for so much more work.
    pub(super) fn pays(&self, work: u64) -> bool {
        match Compilation::now() {
            Compilation::Never => false,
            Compilation::Always => isa() == Isa::Avx512,
            Compilation::WherePaid => {
                let so_far = self.work.load(Ordering::Relaxed);
                if so_far < PAID {
                    // (Two threads at a time may count as one.)
                    self.work.store(so_far.saturating_add(work), Ordering::Relaxed);
                }
                so_far.saturating_add(work) >= PAID && isa() == Isa::Avx512
            }
        }
    }

    /// Whether there is any.
    #[cfg(test)]
    pub(super) fn are_made(&self) -> bool {
        self.made.iter().any(|made| made.get().is_some_and(|made| made.code.is_some()))
    }

    /// The code for operands of some kinds.
    pub(super) fn of(&self, chain: &Chain, kinds: &[Kind]) -> Option<&Code> {
        for made in &self.made {
            let made = made.get_or_init(|| Made { kinds: kinds.to_vec(), code: Code::new(chain, kinds) });
            if made.kinds == kinds {
                return made.code.as_ref();
            }
        }
        None
    }
}

impl Code {
    fn new(chain: &Chain, kinds: &[Kind]) -> Option<Code> {
        let function = function(&translated(chain)?, kinds)?;
        let executable = Executable::new(&function.code)?;
        Some(Code { executable, constants: function.constants.into() })
    }

    /// Runs the code over rows.
    ///
    /// # Safety
    /// All rows of all operands lie in memory that may be read, and that of the last operand written; the processor is one with
    /// AVX-512.
    #[expect(unsafe_code, reason = "what is called was made when the program ran")]
    pub(super) unsafe fn call(&self, call: &mut Call) {
        call.constants = self.constants.as_ptr().expose_provenance();
        call.control = CONTROL;
        // The bytes come from `function`.
        unsafe { self.executable.call(call) };
    }
}
