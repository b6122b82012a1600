//! Factors of products in shared memory: matrices, row by row, every extent rounded up to a power of two, zeros where no element
//! is.
//!
//! **Swizzle.** A row's pieces of 16 bytes are put in another order, row by row, so that eight rows' pieces of one column lie in
//! different banks: what is then read is eight pieces below each other (`ldmatrix`). The order is an exclusive or of bits of the
//! address, so that it costs nothing: addresses are layouts, too.
//!
//! **Panels.** Products of warpgroups want rows of 128 bytes at most: a matrix is cut into panels of so many columns, one behind the
//! other, each with all rows. That is another order of an address' bits.

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
    /// Of what is in panels.
    panels: Option<Bits>,
}

/// How many bits there are of a row of a panel, of a row of the matrix, and of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Bits {
    width: u32,
    columns: u32,
    rows: u32,
}

/// Memory of a block's own that stages may take for themselves, rather than in turn.
const OWN_BYTES: usize = 96 << 10;
/// Bytes that panels begin at a multiple of.
const PANELS: usize = 1024;
/// Bytes of a piece, and of all banks, as powers of two.
const PIECE: usize = 4;
const BANKS: usize = 7;

impl Swizzle {
    /// None.
    pub(crate) const PLAIN: Swizzle = Swizzle { from: 0, mask: 0, to: 0, panels: None };

    /// Of a matrix of these extents, powers of two, in panels of so many bytes.
    pub(crate) fn panels([rows, columns]: [usize; 2], swizzle: usize, bytes: usize) -> Swizzle {
        let size = log2(bytes);
        let (width, columns, rows) = (log2(swizzle) - size, log2(columns) as u32, log2(rows) as u32);
        let mask = (swizzle >> PIECE) as u32 - 1;
        let panels = Some(Bits { width: width as u32, columns, rows });
        Swizzle { from: (BANKS - size) as u32, mask, to: (PIECE - size) as u32, panels }
    }

    /// Of rows of `1 << columns` elements of so many bytes.
    pub(crate) fn new(columns: usize, bytes: usize) -> Swizzle {
        let size = log2(bytes);
        let pieces = (columns + size).saturating_sub(PIECE);
        let changed = pieces.min(BANKS - PIECE);
        let from = columns + (BANKS - PIECE - changed);
        let (from, to) = (from as u32, (PIECE - size.min(PIECE)) as u32);
        Swizzle { from, mask: (1 << changed) - 1, to, panels: None }
    }

    /// An address.
    pub(crate) fn of(self, place: u32) -> u32 {
        let address = match self.panels {
            None => place,
            Some(Bits { width, columns, rows }) => {
                let (row, column) = (place >> columns, place & ((1 << columns) - 1));
                let within = column & ((1 << width) - 1);
                (column >> width) << (width + rows) | row << width | within
            }
        };
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
    /// Puts a matrix into shared memory.
    pub(crate) fn staged(&mut self, value: ValueId, side: usize, swizzled: bool) -> Result<Stage, crate::Refusal> {
        let tile = self.held(value)?;
        let bytes = self.b.ty(tile.value).dtype.size_bytes();
        let columns = log2(tile.shape.last().copied().unwrap_or(1));
        self.staged_as(value, side, if swizzled { Swizzle::new(columns, bytes) } else { Swizzle::PLAIN })
    }

    /// The same in some order. What came from outside of a loop is put there before it.
    pub(crate) fn staged_as(&mut self, value: ValueId, side: usize, swizzle: Swizzle) -> Result<Stage, crate::Refusal> {
        let tile = self.held(value)?;
        let dtype = self.b.ty(tile.value).dtype;
        let bits = tile.shape.iter().map(|&extent| log2(extent)).sum();
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
        let (stage, depth) = (stage(memory), if own { then } else { now });
        self.lay_down(&tile, stage, depth);
        if swizzle.panels.is_some() {
            self.b.align(memory, PANELS);
            // Who has written tells engines, before threads meet.
            self.b.publish_at(depth);
        }
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
    use crate::ir::Factor;

    /// The banks of 16 bytes that eight rows' pieces of one column lie in.
    fn banks(columns: usize, bytes: usize, column: u32) -> Vec<u32> {
        let swizzle = Swizzle::new(columns, bytes);
        let mut banks: Vec<u32> =
            (0..8u32).map(|row| swizzle.of(row << columns | column) * bytes as u32 / 16 % 8).collect();
        banks.sort_unstable();
        banks
    }

    #[test]
    fn panels_lie_as_products_read_them() {
        for ([rows, columns], swizzle, bytes) in
            [([64, 64], 128, 2), ([32, 256], 128, 2), ([16, 32], 64, 2), ([128, 32], 32, 1)]
        {
            let order = Swizzle::panels([rows, columns], swizzle, bytes);
            let factor = Factor { memory: MemoryId(0), rows, swizzle, terms_last: true };
            for place in 0..rows * columns {
                let there = factor.place(0, place / columns, place % columns, bytes);
                assert_eq!(order.of(place as u32) as usize, there, "{rows} x {columns}: {place}");
            }
        }
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
