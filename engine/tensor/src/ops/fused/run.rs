//! Chains in motion: chunk after chunk, where its operands lie, through all operations, to where the result belongs.

use super::CHUNK;
use super::ahead::Ahead;
use super::calm::{Calm, scalar};
use super::chain::Chain;
use super::chunk::Frame;
use super::lanes::Lanes;
use super::layout::View;
use super::stream;
use super::target::Target;
use super::walk::{Piece, Walk, whole};
use std::ops::Range;

/// Where the chunks of a result go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onto {
    /// To their places.
    Place,
    /// To the start of the target, one over the other. The target has the strides of elements one behind the other.
    Start,
}

impl Onto {
    /// Has a chunk go there.
    pub(super) fn place(self, piece: &mut Piece) {
        if let (Onto::Start, Some(offset)) = (self, piece.offsets.last_mut()) {
            *offset = 0;
        }
    }
}

impl Chain {
    /// Computes the result. `reads` are what [`Chain::place`] says of the arrays, in their order.
    pub fn run(&self, reads: &[View<'_>], target: &mut Target<'_>, lanes: &mut Lanes) {
        self.run_between(reads, target, lanes, 0, self.shape.size());
    }

    /// Computes elements of the result from one position in row-major order to another. Where it is not all of them, both
    /// stand between rows: everything but the first dimension is complete.
    pub(crate) fn run_between(
        &self,
        reads: &[View<'_>],
        target: &mut Target<'_>,
        lanes: &mut Lanes,
        from: usize,
        to: usize,
    ) {
        self.run_chunks(reads, target, lanes, (from, to), (Onto::Place, usize::MAX), |_, _| {});
    }

    /// As [`Chain::run_between`]; says of each chunk which elements of the result are done, in row-major order, while the
    /// innermost cache has them if they are no more than a chunk.
    pub(super) fn run_chunks(
        &self,
        reads: &[View<'_>],
        target: &mut Target<'_>,
        lanes: &mut Lanes,
        (from, to): (usize, usize),
        (onto, chunk): (Onto, usize),
        mut done: impl FnMut(&Target<'_>, Range<usize>),
    ) {
        if reads.len() != self.reads.len() {
            return;
        }
        let strides = reads.iter().map(|read| &read.strides[..]).chain([&target.strides[..]]);
        let dims = self.loops.of(&self.shape, strides);
        let Some(inner) = dims.last() else { return };
        #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
        if self.run_code((reads, target, lanes), &dims, (from, to), (onto, chunk), &mut done) {
            return;
        }
        // Where there is one dimension, no chunk has several rows.
        let outer = dims.iter().nth_back(1).unwrap_or(inner);
        let offsets = reads.iter().map(|read| read.base as isize).chain([target.base]).collect();
        let mut frame = Frame::new(self, reads);
        let strides = (&inner.strides[..], &outer.strides[..]);
        let chunk = chunk.min(CHUNK);
        if let Some((rows, columns)) = whole(&dims, (from, to), chunk) {
            let mut piece = Piece { rows, columns, offsets };
            onto.place(&mut piece);
            self.chunk(&mut frame, strides, (&piece, &mut None), target, lanes, |_, _| {});
            done(target, from..to);
            if target.streams {
                stream::done();
            }
            return;
        }
        let Some(mut walk) = Walk::new(&dims, offsets, (from, to), chunk) else { return };
        let ahead = Ahead::new(reads.iter().map(|read| read.buffer), target);
        // To find out what need not be flushed takes as long as some hundreds of elements.
        let mut calm = match to.saturating_sub(from) >= 2 * CHUNK {
            true => Calm::new(self, |read| scalar(reads[read].buffer, reads[read].base)),
            false => None,
        };
        // This chunk and the next, which stay where they are and change places.
        let mut pieces = [(); 2].map(|()| Piece::empty(reads.len() + 1));
        let [mut piece, mut next] = pieces.each_mut();
        let mut goes_on = walk.next(piece);
        let mut place = from;
        while goes_on {
            goes_on = walk.next(next);
            onto.place(piece);
            self.chunk(&mut frame, strides, (piece, &mut calm), target, lanes, |target, part| {
                if goes_on {
                    ahead.ask(next, strides, reads, &target.elements, part);
                }
            });
            let end = place + piece.rows * piece.columns;
            done(target, place..end);
            place = end;
            std::mem::swap(&mut piece, &mut next);
        }
        if target.streams {
            stream::done();
        }
    }
}
