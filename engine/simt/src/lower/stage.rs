//! Factors of products in shared memory: matrices, row by row, every extent rounded up to a power of two, zeros where no element
//! is.
//!
//! **Swizzle.** A row's pieces of 16 bytes are put in another order, row by row, so that eight rows' pieces of one column lie in
//! different banks: what is then read is eight pieces below each other (`ldmatrix`). The order is an exclusive or of bits of the
//! address, so that it costs nothing: addresses are layouts, too.

use super::context::{Lower, Tile};
use crate::ir::MemoryId;
use crate::layout::{Layout, log2};
use crate::lower::number::Number;
use pallas_ir::op::MemoryOp;
use pallas_ir::{OpKind, ValueId};
use pallas_tensor::Scalar;

/// A matrix in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    pub(crate) memory: MemoryId,
    pub(crate) swizzle: Swizzle,
    /// Bits of both axes.
    pub(crate) bits: usize,
}

/// Which bits of an address are changed by which others: `address ^ (address >> from & mask) << to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Swizzle {
    from: u32,
    mask: u32,
    to: u32,
}

/// Memory of a block's own that stages may take for themselves, rather than in turn.
const OWN_BYTES: usize = 96 << 10;
/// Bytes of a piece, and of all banks, as powers of two.
const PIECE: usize = 4;
const BANKS: usize = 7;

impl Swizzle {
    /// None.
    pub(crate) const PLAIN: Swizzle = Swizzle { from: 0, mask: 0, to: 0 };

    /// Of rows of `1 << columns` elements of so many bytes.
    pub(crate) fn new(columns: usize, bytes: usize) -> Swizzle {
        let size = log2(bytes);
        let pieces = (columns + size).saturating_sub(PIECE);
        let changed = pieces.min(BANKS - PIECE);
        let from = columns + (BANKS - PIECE - changed);
        Swizzle { from: from as u32, mask: (1 << changed) - 1, to: (PIECE - size.min(PIECE)) as u32 }
    }

    /// An address.
    pub(crate) fn of(self, address: u32) -> u32 {
        address ^ (address >> self.from & self.mask) << self.to
    }
}

impl Stage {
    /// Where a layout of the matrix, in its own shape, lies in memory.
    pub(crate) fn address(self, layout: &Layout) -> Layout {
        layout.mapped(&[1 << self.bits], |flips| self.swizzle.of(flips))
    }
}

impl Lower<'_> {
    /// Puts a matrix into shared memory. What came from outside of a loop is put there before it.
    pub(crate) fn staged(&mut self, value: ValueId, side: usize, swizzled: bool) -> Result<Stage, crate::Refusal> {
        let tile = self.held(value)?;
        let dtype = self.b.ty(tile.value).dtype;
        let columns = log2(tile.shape.last().copied().unwrap_or(1));
        let bits = tile.shape.iter().map(|&extent| log2(extent)).sum();
        let swizzle = if swizzled { Swizzle::new(columns, dtype.size_bytes()) } else { Swizzle::PLAIN };
        let stage = |memory| Stage { memory, swizzle, bits };
        if let Some(&memory) = self.staged.get(&(tile.value, swizzle)) {
            return Ok(stage(memory));
        }
        let (now, then) = (self.b.depth(), self.b.depth_of(tile.value));
        let bytes = dtype.size_bytes() << bits;
        let own = (then < now || (now > 0 && self.is_loaded(value))) && self.own_bytes + bytes <= OWN_BYTES;
        let memory = match own {
            true => {
                self.own_bytes += bytes;
                let number = self.b.kernel().memories.len();
                let memory = self.fresh_stage(format!("factor_{number}"), dtype, 1 << bits);
                self.staged.insert((tile.value, swizzle), memory);
                memory
            }
            // In turn with other products; 0 is for tiles that change hands.
            false => self.numbered_stage(dtype, 1 + side, 1 << bits),
        };
        let stage = stage(memory);
        self.lay_down(&tile, stage, if own { then } else { now });
        Ok(stage)
    }

    fn lay_down(&mut self, tile: &Tile, stage: Stage, depth: usize) {
        let dtype = self.b.ty(tile.value).dtype;
        let value = self.or_identity(&tile.layout, tile.value, Scalar::zero(dtype));
        let once = self.once(&tile.layout, None);
        let index = self.address(&stage.address(&tile.layout), &[1], Number::Known(0));
        self.b.store_at(depth, stage.memory, index, value, once, tile.layout.is_private());
    }

    /// Whether a value is what a load gave.
    fn is_loaded(&self, value: ValueId) -> bool {
        let loads = |op: &&pallas_ir::OpData| matches!(op.op.kind, OpKind::Memory(MemoryOp::Load));
        self.function.ops.iter().filter(loads).any(|op| op.results.contains(&value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The banks of 16 bytes that eight rows' pieces of one column lie in.
    fn banks(columns: usize, bytes: usize, column: u32) -> Vec<u32> {
        let swizzle = Swizzle::new(columns, bytes);
        let mut banks: Vec<u32> =
            (0..8u32).map(|row| swizzle.of(row << columns | column) * bytes as u32 / 16 % 8).collect();
        banks.sort_unstable();
        banks
    }

    #[test]
    fn pieces_below_each_other_are_in_different_banks() {
        for (columns, bytes) in [(3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (9, 2), (4, 1), (6, 1), (8, 1), (3, 4), (5, 4)]
        {
            for piece in 0..(bytes << columns) / 16 {
                let column = (piece * 16 / bytes) as u32;
                assert_eq!(
                    banks(columns, bytes, column),
                    (0..8).collect::<Vec<u32>>(),
                    "{columns} bits of {bytes} bytes"
                );
            }
        }
    }
}
