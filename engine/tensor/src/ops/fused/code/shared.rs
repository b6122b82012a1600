//! Codes of chains that are alike, which share them: a launch makes its chains anew, and finds what was made for the launch
//! before it. What a chain computes is said by its operations and dtypes; where its operands lie is the business of [`super::made`].

use super::super::chain::{Arg, Chain, Code, Slot};
use super::Compilation;
use super::made::{Codes, has_code};
use crate::dtype::DType;
#[cfg(test)]
use crate::isa::Isa;
use crate::isa::isa;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Chains whose codes are kept.
const MOST: usize = 64;

/// The chains that ran last, the latest at the end.
static KNOWN: Mutex<Vec<(Key, Arc<Codes>)>> = Mutex::new(Vec::new());

/// What a chain computes.
#[derive(Debug, PartialEq, Eq)]
struct Key {
    steps: Vec<(Code, DType, DType, SmallVec<[Arg; 3]>)>,
    reads: SmallVec<[DType; 8]>,
    result: DType,
}

impl Key {
    fn of(chain: &Chain) -> Key {
        let steps = chain.steps.iter();
        Key {
            steps: steps
                .map(|step| (step.code, step.dtype, step.result, step.args.iter().map(Slot::arg).collect()))
                .collect(),
            reads: chain.reads.iter().map(|read| read.dtype).collect(),
            result: chain.result,
        }
    }
}

/// The codes of a chain, once somebody asks for them.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Shared {
    codes: OnceLock<Arc<Codes>>,
}

impl Shared {
    fn codes(&self, chain: &Chain) -> &Codes {
        self.codes.get_or_init(|| {
            let key = Key::of(chain);
            let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
            let codes = match known.iter().position(|(other, _)| *other == key) {
                Some(place) => known.remove(place).1,
                None => Arc::default(),
            };
            if known.len() >= MOST {
                known.remove(0);
            }
            known.push((key, codes.clone()));
            codes
        })
    }

    /// Whether there is, or may be, code for so much more work.
    pub(super) fn pays(&self, chain: &Chain, work: u64) -> bool {
        let may = has_code(isa()) && Compilation::now() != Compilation::Never && !chain.is_empty();
        may && self.codes(chain).pays(work)
    }

    /// The code for operands of some kinds.
    pub(super) fn of(&self, chain: &Chain, kinds: &[super::Kind]) -> Option<&Arc<super::made::Code>> {
        self.codes(chain).of(chain, kinds)
    }

    /// Whether there is any for an instruction set.
    #[cfg(test)]
    pub(super) fn are_made(&self, isa: Isa) -> bool {
        self.codes.get().is_some_and(|codes| codes.are_made(isa))
    }

    /// Whether two chains have the same.
    #[cfg(test)]
    pub(super) fn are_those_of(&self, other: &Shared) -> bool {
        matches!((self.codes.get(), other.codes.get()), (Some(this), Some(other)) if Arc::ptr_eq(this, other))
    }
}
