//! Inputs that were put off and never come to be: where programs read every element about once, each block is computed when it is
//! brought, right into the tile that the program reads. What would take a core as long to write down, and the system to make room
//! for, as to compute, need not be in memory then.
//!
//! Which arrays are cheap enough is the tensors' business (`Array::may_stay_unmade`). Here it is said which launches read them so.

use crate::affine::IndexMap;
use crate::hooks::Hooks;
use crate::launch::{LaunchPlan, OperandPlan};
use crate::parallel;
use pallas_ir::Role;
use pallas_tensor::Array;

/// Bytes from which on a tile is no longer one that a core has in its caches.
const LARGE: usize = 1 << 20;

impl LaunchPlan {
    /// Computes inputs that were put off, while all cores are free for it, but for those that need not be there.
    pub(crate) fn settle_inputs(&self, grid: &[usize], inputs: &[Array], hooks: &dyn Hooks) {
        let mut threads = None;
        let mut goes = || *threads.get_or_insert_with(|| self.brings_blocks(grid, hooks));
        let known = self.operands.iter().filter(|operand| operand.role != Role::Output);
        for (operand, input) in known.zip(inputs) {
            let once = operand.reads_once(grid) && goes();
            if !(once && input.may_stay_unmade(operand.blocks.block())) {
                input.buffer();
            }
        }
    }

    /// Whether programs get blocks as they want them, on all cores, and nobody looks at single programs.
    fn brings_blocks(&self, grid: &[usize], hooks: &dyn Hooks) -> bool {
        let looked_at = hooks.looks_at_programs() || hooks.is_strict() || hooks.wants_stores();
        let alone = self.is_quiet && self.peers.is_none() && !self.has_batch() && self.aliases.is_empty();
        let threads = parallel::threads(self, hooks);
        alone && !looked_at && (threads == 1 || parallel::goes(self, grid, threads))
    }
}

impl OperandPlan {
    /// Whether it comes in blocks that programs read about once each.
    fn reads_once(&self, grid: &[usize]) -> bool {
        let IndexMap::Affine(rows) = &self.map else { return false };
        let blocks = &self.blocks;
        if self.role != Role::Input || self.is_whole || blocks.is_one() || blocks.is_padded() {
            return false;
        }
        // The block stays where it is along all axes behind the last one that moves it.
        let moves = |axis: &usize| rows.iter().any(|row| row.factors.get(*axis).is_some_and(|&factor| factor != 0));
        let Some(last) = (0..grid.len()).rev().find(moves) else { return false };
        let size = blocks.block().size();
        let read = grid[..=last].iter().fold(size, |read, &extent| read.saturating_mul(extent));
        read <= blocks.array().size() && size.saturating_mul(blocks.dtype().size_bytes()) < LARGE
    }
}
