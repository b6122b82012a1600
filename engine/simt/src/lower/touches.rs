//! What instructions touch, as far as that says whether they may change places with others.

use crate::ir::{Inst, MemoryId, Op};
use std::collections::HashSet;

/// Arrays that instructions read and write, registers of products among them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touches {
    reads: HashSet<MemoryId>,
    writes: HashSet<MemoryId>,
    prints: bool,
    /// Whether one of them orders others that touch other memory.
    orders: bool,
}

impl Touches {
    /// Of instructions, those inside of them included.
    pub(crate) fn of(insts: &[Inst]) -> Touches {
        let mut touches = Touches::default();
        touches.add(insts);
        touches
    }

    fn add(&mut self, insts: &[Inst]) {
        for inst in insts {
            self.op(&inst.op);
            inst.regions.iter().for_each(|region| self.add(&region.insts));
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Const(_)
            | Op::Block
            | Op::Team
            | Op::Coord { .. }
            | Op::Owner(_)
            | Op::Scalar(..)
            | Op::Pick(_)
            | Op::ShuffleXor(_)
            | Op::Mma(_)
            | Op::For
            | Op::While
            | Op::Switch
            | Op::Check(..)
            | Op::Mark(_) => {}
            // Who stores what is multiplied tells engines of it, and who starts a product waits for it: all of that moves together.
            Op::Publish | Op::WaitProducts(_) => {}
            Op::Load { memory, .. } | Op::LoadMatrix { memory, .. } | Op::Owned { memory, writes: false, .. } => {
                self.reads.insert(*memory);
            }
            Op::Store { memory, .. } | Op::Atomic { memory, .. } | Op::Owned { memory, .. } => {
                self.writes.insert(*memory);
            }
            Op::Witness { memory, .. } => {
                self.writes.insert(*memory);
            }
            Op::Take(acc) => {
                self.reads.insert(*acc);
            }
            Op::Keep(acc) => {
                self.writes.insert(*acc);
            }
            Op::Multiply(product) => {
                self.writes.insert(product.acc);
                self.reads.extend(product.factors());
            }
            Op::Print { .. } => self.prints = true,
            _ => self.orders = true,
        }
    }

    /// Whether neither changes what the other sees.
    pub(crate) fn are_apart(&self, other: &Touches) -> bool {
        let meet = |writes: &HashSet<MemoryId>, other: &Touches| {
            !writes.is_disjoint(&other.writes) || !writes.is_disjoint(&other.reads)
        };
        let in_order = self.orders || other.orders || self.prints && other.prints;
        !(in_order || meet(&self.writes, other) || meet(&other.writes, self))
    }
}
