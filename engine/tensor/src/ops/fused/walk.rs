//! The way through a result: chunk after chunk, and where each lies in the operands.

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
    /// Where the operands begin.
    start: SmallVec<[isize; 8]>,
    /// Where we are in the outer dimensions.
    counters: SmallVec<[usize; 4]>,
    /// Where we are in the inner one.
    column: usize,
    left: usize,
    /// How many elements are a chunk, and how many rows fit one.
    chunk: usize,
    most: usize,
}

/// The rows and columns of a whole result, where it is no more than a chunk: there is nothing to walk through then.
pub(super) fn whole(dims: &[Dim], (from, to): (usize, usize), chunk: usize) -> Option<(usize, usize)> {
    let (rows, columns) = match dims {
        [columns] => (1, columns.size),
        [rows, columns] => (rows.size, columns.size),
        _ => return None,
    };
    (from == 0 && to <= chunk && to == rows * columns && to > 0).then_some((rows, columns))
}

impl Piece {
    /// One of no elements, for so many operands.
    pub(super) fn empty(operands: usize) -> Piece {
        Piece { rows: 0, columns: 0, offsets: SmallVec::from_elem(0, operands) }
    }
}

impl<'a> Walk<'a> {
    /// From one position in row-major order to another, with so many elements at a time. Where it is not all of them, both
    /// stand between rows: everything but the first dimension is complete.
    pub(super) fn new(
        dims: &'a [Dim],
        start: SmallVec<[isize; 8]>,
        (from, to): (usize, usize),
        chunk: usize,
    ) -> Option<Walk<'a>> {
        let (inner, outer) = dims.split_last()?;
        let mut counters = SmallVec::from_elem(0, outer.len());
        let mut rest = from / inner.size;
        for (counter, dim) in counters.iter_mut().zip(outer).rev() {
            *counter = rest % dim.size;
            rest /= dim.size;
        }
        let (column, left) = (from % inner.size, to.saturating_sub(from));
        let most = (chunk / inner.size).max(1);
        Some(Walk { outer, inner, start, counters, column, left, chunk, most })
    }

    /// Makes a piece the next chunk; false where there is none. Rows that fit a chunk several times go through together.
    ///
    /// Where a chunk lies is computed from the counters each time. Positions that are moved on and handed out as a whole
    /// would be read in larger pieces than they were written in just before, and that waits until the memory has taken
    /// everything that the chunk before has written.
    pub(super) fn next(&mut self, piece: &mut Piece) -> bool {
        if self.left == 0 {
            return false;
        }
        piece.rows = match (self.outer.last(), self.counters.last()) {
            (Some(dim), Some(&counter)) if self.column == 0 && self.left >= self.inner.size && self.most > 1 => {
                self.most.min(dim.size - counter).min(self.left / self.inner.size)
            }
            _ => 1,
        };
        piece.columns = (self.inner.size - self.column).min(self.left).min(self.chunk);
        for (number, offset) in piece.offsets.iter_mut().enumerate() {
            let mut place = self.start[number] + self.column as isize * self.inner.strides[number];
            for (dim, &counter) in self.outer.iter().zip(&self.counters) {
                place += counter as isize * dim.strides[number];
            }
            *offset = place;
        }
        self.left -= piece.rows * piece.columns;
        self.column += piece.columns;
        if self.column == self.inner.size {
            self.column = 0;
            // To the next row, and where a dimension is done, to the next one of the dimension around it.
            let mut count = piece.rows;
            for (counter, dim) in self.counters.iter_mut().zip(self.outer).rev() {
                *counter += count;
                if *counter < dim.size {
                    break;
                }
                (*counter, count) = (0, 1);
            }
        }
        true
    }
}
