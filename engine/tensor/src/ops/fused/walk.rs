//! The way through a result: chunk after chunk, and where each lies in the operands.

use super::CHUNK;
use super::layout::Dim;
use smallvec::SmallVec;

/// A chunk: rows of columns, and where its first element is in each operand, the target last.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) offsets: SmallVec<[isize; 8]>,
}

/// The chunks of a result from one position to another.
pub(super) struct Walk<'a> {
    outer: &'a [Dim],
    inner: &'a Dim,
    /// Where we are in the outer dimensions.
    counters: SmallVec<[usize; 4]>,
    /// Where we are in the inner one.
    column: usize,
    /// The operands' positions there.
    offsets: SmallVec<[isize; 8]>,
    left: usize,
}

impl<'a> Walk<'a> {
    /// From one position in row-major order to another. Where it is not all of them, both stand between rows: everything
    /// but the first dimension is complete.
    pub(super) fn new(dims: &'a [Dim], offsets: SmallVec<[isize; 8]>, from: usize, to: usize) -> Option<Walk<'a>> {
        let (inner, outer) = dims.split_last()?;
        let counters = SmallVec::from_elem(0, outer.len());
        let mut walk =
            Walk { outer, inner, counters, column: from % inner.size, offsets, left: to.saturating_sub(from) };
        let mut rest = from / inner.size;
        for (place, dim) in outer.iter().enumerate().rev() {
            walk.counters[place] = rest % dim.size;
            rest /= dim.size;
            moved(&mut walk.offsets, dim, walk.counters[place] as isize);
        }
        moved(&mut walk.offsets, inner, walk.column as isize);
        Some(walk)
    }

    /// The next chunk. Rows that fit a chunk several times go through together.
    pub(super) fn next(&mut self) -> Option<Piece> {
        if self.left == 0 {
            return None;
        }
        let mut piece = Piece { rows: 1, columns: 0, offsets: SmallVec::from_slice(&self.offsets) };
        match (self.outer.last(), self.counters.last()) {
            (Some(dim), Some(&counter)) if self.column == 0 && self.left >= self.inner.size => {
                let rows = (CHUNK / self.inner.size).min(dim.size - counter).min(self.left / self.inner.size);
                piece.rows = rows.max(1);
            }
            _ => {}
        }
        piece.columns = (self.inner.size - self.column).min(self.left).min(CHUNK);
        self.left -= piece.rows * piece.columns;
        self.column += piece.columns;
        moved(&mut self.offsets, self.inner, piece.columns as isize);
        if self.column == self.inner.size {
            moved(&mut self.offsets, self.inner, -(self.column as isize));
            self.column = 0;
            // To the next row, and where a dimension is done, to the next one of the dimension around it.
            let mut count = piece.rows;
            for (place, dim) in self.outer.iter().enumerate().rev() {
                self.counters[place] += count;
                moved(&mut self.offsets, dim, count as isize);
                if self.counters[place] < dim.size {
                    break;
                }
                moved(&mut self.offsets, dim, -(self.counters[place] as isize));
                (self.counters[place], count) = (0, 1);
            }
        }
        Some(piece)
    }
}

/// Moves all offsets along a dimension.
#[inline(always)]
fn moved(offsets: &mut [isize], dim: &Dim, count: isize) {
    for place in 0..offsets.len().min(dim.strides.len()) {
        offsets[place] += dim.strides[place] * count;
    }
}
