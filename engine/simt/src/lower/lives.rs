//! When a block's own arrays are needed. Everything that is read of such an array was stored before in the same run of the region that
//! has all that touches it: arrays are filled where they begin, and tiles that change hands are stored just before. So nothing is
//! left in an array from one round of a loop to the next unless somebody touches it outside of the loop as well.

use crate::ir::{Inst, MemoryId, Op, Region};
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;

/// What touches which arrays in a region: of each the first and the last instruction, those inside of instructions included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lives {
    spans: HashMap<MemoryId, (usize, usize)>,
    /// Regions inside, by instruction.
    inner: HashMap<usize, Vec<Lives>>,
}

/// The arrays of a block that an instruction touches, each once.
pub(crate) fn touched(op: &Op) -> SmallVec<[MemoryId; 2]> {
    match op {
        Op::Load { memory, .. }
        | Op::Store { memory, .. }
        | Op::Atomic { memory, .. }
        | Op::LoadMatrix { memory, .. }
        | Op::CopyAhead { memory, .. } => smallvec![*memory],
        Op::Multiply(product) => product.factors().collect(),
        _ => SmallVec::new(),
    }
}

impl Lives {
    pub(crate) fn of(region: &Region) -> Lives {
        let mut lives = Lives::default();
        for (position, inst) in region.insts.iter().enumerate() {
            let inner: Vec<Lives> = inst.regions.iter().map(Lives::of).collect();
            let inside = inner.iter().flat_map(|inner| inner.spans.keys().copied());
            let memories: Vec<MemoryId> = touched(&inst.op).into_iter().chain(inside).collect();
            for memory in memories {
                lives.spans.entry(memory).or_insert((position, position)).1 = position;
            }
            if !inner.is_empty() {
                lives.inner.insert(position, inner);
            }
        }
        lives
    }

    /// Whether two arrays are needed at the same time.
    pub(crate) fn meet(&self, one: MemoryId, other: MemoryId) -> bool {
        let (Some(&mine), Some(&theirs)) = (self.spans.get(&one), self.spans.get(&other)) else { return false };
        if mine.1 < theirs.0 || theirs.1 < mine.0 {
            return false;
        }
        // In one instruction with regions inside: of two branches one is taken, and rounds leave nothing behind.
        match self.inner.get(&mine.0) {
            Some(inner) if mine == theirs && mine.0 == mine.1 => inner.iter().any(|inner| inner.meet(one, other)),
            _ => true,
        }
    }
}

/// Whether an array is touched by an instruction, or inside of it.
pub(crate) fn touches(inst: &Inst, memory: MemoryId) -> bool {
    let inner = inst.regions.iter().flat_map(|region| &region.insts);
    touched(&inst.op).contains(&memory) || inner.into_iter().any(|inst| touches(inst, memory))
}
