//! Reductions of chains along dimensions that stand together: rows, or several of them where more dimensions come behind, are computed,
//! as many at a time as stay in the caches, and reduced before the next ones; they are kept if somebody else wants them.

use super::CHUNK;
use super::chain::Chain;
use super::lanes::Lanes;
use super::layout::View;
use super::run::Onto;
use super::target::Target;
use crate::buffer::{Buffer, BufferMut};
use crate::dtype::DType;
use crate::ops::reduce::ReduceOp;
use crate::ops::reduce_lanes::{Combine, WINDOW, middle};
use std::borrow::Cow;

/// Elements that are computed before they are reduced: the innermost cache has them beside what they are computed from.
const GROUP: usize = 2048;
/// Elements that code computes before their windows are added: the innermost cache has them beside what they are computed from.
const STRETCH: usize = 4 * CHUNK;

impl Chain {
    /// Whether the rows of a result can be reduced while they are computed: `float32` only, and only what does not
    /// depend on more than the row.
    pub fn reduces(op: ReduceOp, dtype: DType) -> bool {
        dtype == DType::F32 && combine(op).is_some()
    }

    /// Reduces `length` elements that lie `inner` apart: neighbouring dimensions of the chain's result (one at most of them longer
    /// than 1 where the order of a sum counts) with `inner` elements in those behind them. What is computed goes to `keep` where it
    /// is given; it is as long as the chain's result.
    pub fn reduce(
        &self,
        op: ReduceOp,
        [length, inner]: [usize; 2],
        reads: &[View<'_>],
        keep: Option<&mut [f32]>,
        result: &mut [f32],
        lanes: &mut Lanes,
    ) {
        let Some(combine) = combine(op) else { return };
        let span = length * inner;
        if span == 0 || result.is_empty() {
            return;
        }
        if let (true, None, [read]) = (self.is_empty(), &keep, reads)
            && let Some(values) = in_a_row(self, read)
        {
            middle(combine, values, [result.len() / inner, length, inner], result);
            return;
        }
        if combine == Combine::Sum && inner == 1 && length.is_multiple_of(WINDOW) {
            self.sum_windows(length, reads, keep, result, lanes);
            return;
        }
        let group = rows_at_once(span);
        match keep {
            Some(keep) => {
                for (number, result) in result.chunks_mut(group * inner).enumerate() {
                    let count = result.len() / inner;
                    let (from, to) = (number * group * span, (number * group + count) * span);
                    let elements = BufferMut::F32(&mut *keep);
                    let strides = Cow::Borrowed(&self.even[..]);
                    let mut target = Target { elements, base: 0, strides, streams: false };
                    self.run_between(reads, &mut target, lanes, from, to);
                    middle(combine, &keep[from..to], [count, length, inner], result);
                }
            }
            None => {
                let mut rows = std::mem::take(&mut lanes.row);
                rows.resize(rows.len().max(group.min(result.len() / inner) * span), 0.0);
                for (number, result) in result.chunks_mut(group * inner).enumerate() {
                    let count = result.len() / inner;
                    let (from, to) = (number * group * span, (number * group + count) * span);
                    let elements = BufferMut::F32(&mut rows);
                    let (base, strides) = (-(from as isize), Cow::Borrowed(&self.even[..]));
                    let mut target = Target { elements, base, strides, streams: false };
                    self.run_between(reads, &mut target, lanes, from, to);
                    middle(combine, &rows[..to - from], [count, length, inner], result);
                }
                lanes.row = rows;
            }
        }
    }
}

impl Chain {
    /// Sums of rows that consist of windows: those of each chunk are added while the innermost cache has it, then the windows'
    /// sums of all rows together, which are few for one row.
    fn sum_windows(
        &self,
        length: usize,
        reads: &[View<'_>],
        keep: Option<&mut [f32]>,
        result: &mut [f32],
        lanes: &mut Lanes,
    ) {
        let size = result.len() * length;
        let mut windows = std::mem::take(&mut lanes.windows);
        let mut row = std::mem::take(&mut lanes.row);
        let mut reduced = Rows::new(Combine::Sum, [length, 1], result, &mut windows);
        row.resize(row.len().max(STRETCH), 0.0);
        let (elements, onto) = match keep {
            Some(keep) => (keep, Onto::Place),
            None => (&mut row[..], Onto::Start),
        };
        let (elements, strides) = (BufferMut::F32(elements), Cow::Borrowed(&self.even[..]));
        let mut target = Target { elements, base: 0, strides, streams: false };
        self.run_chunks(reads, &mut target, lanes, (0, size), (onto, STRETCH), |target, place| {
            let BufferMut::F32(elements) = &target.elements else { return };
            let elements = match onto {
                Onto::Place => &elements[place.clone()],
                Onto::Start => &elements[..place.len()],
            };
            // Rows are whole windows, and so are parts of them that are a chunk.
            reduced.take(place.start, elements);
        });
        reduced.finish();
        (lanes.windows, lanes.row) = (windows, row);
    }
}

/// Rows that are computed some at a time, and reduced while they are near.
pub(super) struct Rows<'a> {
    combine: Combine,
    sizes: [usize; 2],
    result: &'a mut [f32],
    /// Sums of all windows, where rows consist of windows: those of all rows are added up together, which takes hardly longer than those
    /// of one.
    windows: Option<&'a mut [f32]>,
}

impl<'a> Rows<'a> {
    /// Rows of `length` elements that lie `inner` apart. Sums of windows have room of their own.
    pub(super) fn new(
        combine: Combine,
        [length, inner]: [usize; 2],
        result: &'a mut [f32],
        windows: &'a mut Vec<f32>,
    ) -> Rows<'a> {
        let in_windows = combine == Combine::Sum && inner == 1 && length > WINDOW && length.is_multiple_of(WINDOW);
        let many = result.len() * length / WINDOW;
        let windows = in_windows.then(|| {
            windows.resize(windows.len().max(many), 0.0);
            &mut windows[..many]
        });
        Rows { combine, sizes: [length, inner], result, windows }
    }

    /// Takes rows that begin with an element of all rows, or whole windows of one.
    pub(super) fn take(&mut self, from: usize, values: &[f32]) {
        if let Some(windows) = &mut self.windows {
            let sums = &mut windows[from / WINDOW..][..values.len() / WINDOW];
            middle(Combine::Sum, values, [sums.len(), WINDOW, 1], sums);
            return;
        }
        let [length, inner] = self.sizes;
        let result = &mut self.result[from / length..][..values.len() / length];
        middle(self.combine, values, [result.len() / inner, length, inner], result);
    }

    /// Has the result be there.
    pub(super) fn finish(self) {
        if let Some(windows) = self.windows {
            let length = self.sizes[0] / WINDOW;
            middle(Combine::Sum, windows, [self.result.len(), length, 1], self.result);
        }
    }
}

/// As many rows as make a group.
pub(super) fn rows_at_once(length: usize) -> usize {
    (GROUP / length).max(1)
}

/// What a chain that computes nothing reads, if it lies in one piece.
fn in_a_row<'a>(chain: &Chain, read: &View<'a>) -> Option<&'a [f32]> {
    let Buffer::F32(elements) = read.buffer else { return None };
    let even = chain.shape.iter().zip(read.strides.iter().zip(&chain.even)).all(|(&size, (a, b))| size == 1 || a == b);
    even.then(|| elements.get(read.base..read.base + chain.shape.size())).flatten()
}

pub(super) fn combine(op: ReduceOp) -> Option<Combine> {
    match op {
        ReduceOp::Sum => Some(Combine::Sum),
        ReduceOp::Max => Some(Combine::Max),
        ReduceOp::Min => Some(Combine::Min),
        _ => None,
    }
}
