//! Chains over operands that lie as they did before: where each begins is all that differs from one run to the next. Loops, chunks,
//! how far they reach and which code there is are found out once; a kernel of small programs does little else otherwise.
//!
//! What has no code, or not yet, goes the way of all chains.

#[cfg(test)]
mod tests;

use super::chain::Chain;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
use super::code::{Prepared, is_narrow};
use super::lanes::Lanes;
use super::layout::{Dim, Strides, View, merged};
use super::rows::rows_at_once;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
use super::rows::{Rows, combine};
use super::target::Target;
use super::walk::{Piece, Walk};
use crate::buffer::{Buffer, BufferMut, Element, with_elements};
use crate::dtype::DType;
use crate::ops::reduce::ReduceOp;
use crate::ops::reduce_lanes::WINDOW;
use crate::ops::turn::LANES;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::Arc;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
use std::sync::OnceLock;

/// Elements of a result that are worth it, at most.
const LARGE: usize = 1 << 16;
/// Chunks, at most.
const PIECES: usize = 64;
/// Elements times operations that the loops could have computed while they find out what they are to do.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
const ASIDE: u64 = 512;

/// Something that is read.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The array's elements.
    pub buffer: &'a Buffer,
    /// The position of the first that the chain reads: see [`Ready::first`].
    pub base: usize,
    /// How much farther in the array lies what is read next in its place, where that is known.
    pub next: Option<isize>,
}

/// A chain, and how its operands lie.
#[derive(Debug)]
pub struct Ready {
    pub(super) chain: Arc<Chain>,
    /// For each read how far behind its array's first element that is which the chain reads first.
    pub(super) first: SmallVec<[usize; 4]>,
    /// Strides of each operand by dimension of the result, the result last.
    pub(super) strides: SmallVec<[Strides; 4]>,
    dims: SmallVec<[Dim; 4]>,
    /// The chunks: of all of the result, or of as many rows as are reduced at a time.
    pub(super) groups: Vec<Group>,
    /// Whether the result is the sums of the rows of chunks, one row for each.
    adds: bool,
    /// Whether the result is what is read, as it lies.
    copies: bool,
    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
    code: OnceLock<Prepared>,
}

/// Chunks that go through together.
#[derive(Debug)]
#[cfg_attr(
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux"))),
    expect(dead_code, reason = "only code asks")
)]
pub(super) struct Group {
    /// From one element of the result to another.
    from: usize,
    pub(super) to: usize,
    pub(super) pieces: Vec<Piece>,
    /// For each operand how far its elements in one piece are from those in the next, where there are several, all alike.
    pub(super) distances: Option<Strides>,
    pub(super) reach: SmallVec<[Reach; 4]>,
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
impl Group {
    /// What code asks for.
    pub(super) fn parts(&self) -> (&[Piece], &[Reach], Option<&[isize]>) {
        (&self.pieces, &self.reach, self.distances.as_deref())
    }
}

/// The first and the last element that chunks reach of an operand, from where it begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    pub(super) first: isize,
    pub(super) last: isize,
}

/// What rows of a chain's result are reduced to: see [`Chain::reduce`].
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// With what.
    pub op: ReduceOp,
    /// So many elements, so far apart.
    pub sizes: [usize; 2],
    /// Whether what is computed is kept.
    pub keeps: bool,
}

impl Ready {
    /// Prepares a chain whose result has some strides where it goes. `arrays` are the strides of what each read takes part of. None
    /// where there is so much to compute that it does not matter.
    pub fn new(chain: &Arc<Chain>, arrays: &[&[isize]], target: &[isize]) -> Option<Ready> {
        Ready::with(chain, arrays, target, None)
    }

    /// The same where rows of the result are reduced.
    pub fn reducing(chain: &Arc<Chain>, arrays: &[&[isize]], reduction: Reduction) -> Option<Ready> {
        let downward =
            down(chain, reduction).and_then(|target| Ready::with(chain, arrays, &target, None)?.adding(reduction));
        downward.or_else(|| Ready::with(chain, arrays, &chain.even, Some(reduction)))
    }

    /// The same where each chunk is what one row of sums is made of; none where chunks are something else.
    fn adding(mut self, reduction: Reduction) -> Option<Ready> {
        let [length, inner] = reduction.sizes;
        let [group] = &self.groups[..] else { return None };
        let fits = group.pieces.iter().all(|piece| (piece.rows, piece.columns) == (length, inner));
        self.adds = true;
        fits.then_some(self)
    }

    fn with(chain: &Arc<Chain>, arrays: &[&[isize]], target: &[isize], reduction: Option<Reduction>) -> Option<Ready> {
        let size = chain.shape.checked_size().filter(|&size| size > 0 && size <= LARGE)?;
        let fits = arrays.len() == chain.reads.len()
            && target.len() == chain.shape.rank()
            && chain.reads.iter().zip(arrays).all(|(read, array)| read.shape.rank() == array.len());
        if !fits {
            return None;
        }
        let (mut first, mut strides) = (SmallVec::new(), SmallVec::<[Strides; 4]>::new());
        for (read, array) in chain.reads.iter().zip(arrays) {
            let (start, along) = read.place.locate_signed(0, array);
            first.push(usize::try_from(start).ok()?);
            strides.push(along);
        }
        strides.push(Strides::from_slice(target));
        let dims = merged(&chain.shape, strides.iter().map(|strides| &strides[..]));
        let mut ready = Ready {
            chain: chain.clone(),
            first,
            strides,
            dims,
            groups: Vec::new(),
            adds: false,
            copies: false,
            #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
            code: OnceLock::new(),
        };
        let even = |dims: &[Dim]| matches!(dims, [dim] if dim.strides.iter().all(|&stride| stride == 1));
        ready.copies = chain.is_empty() && chain.reads.len() == 1 && even(&ready.dims);
        let (span, keeps) = match reduction {
            Some(Reduction { sizes: [length, inner], keeps, .. }) => {
                let row = length.checked_mul(inner).filter(|&row| row > 0 && size.is_multiple_of(row))?;
                (rows_at_once(row) * row, keeps)
            }
            None => (size, true),
        };
        for from in (0..size).step_by(span) {
            let to = size.min(from + span);
            // What is not kept is written to the same place again and again.
            let start = if keeps { 0 } else { -(from as isize) };
            ready.groups.push(ready.group(from, to, start)?);
        }
        Some(ready)
    }

    /// The chunks from one element to another of a result that begins at `start`.
    fn group(&self, from: usize, to: usize, start: isize) -> Option<Group> {
        let operands = self.strides.len();
        let mut offsets = SmallVec::from_elem(0, operands);
        offsets[operands - 1] = start;
        let mut walk = Walk::new(&self.dims, offsets, (from, to), LARGE)?;
        let mut pieces = Vec::new();
        let mut piece = Piece::empty(operands);
        while walk.next(&mut piece) {
            pieces.push(piece.clone());
        }
        let inner = self.dims.last()?;
        let outer = self.dims.iter().nth_back(1).unwrap_or(inner);
        let reach = (0..operands).map(|operand| {
            let mut reach: Option<Reach> = None;
            for piece in &pieces {
                let offset = piece.offsets[operand];
                let down = (piece.rows as isize - 1) * outer.strides[operand];
                let along = (piece.columns as isize - 1) * inner.strides[operand];
                let first = offset + down.min(0) + along.min(0);
                let last = offset + down.max(0) + along.max(0);
                reach = Some(reach.map_or(Reach { first, last }, |reach| Reach {
                    first: reach.first.min(first),
                    last: reach.last.max(last),
                }));
            }
            reach.unwrap_or_default()
        });
        let reach = reach.collect();
        let distances = distances(&pieces);
        (pieces.len() <= PIECES).then_some(Group { from, to, pieces, distances, reach })
    }

    /// The dtype of what is computed.
    pub fn dtype(&self) -> DType {
        self.chain.result
    }

    /// How many elements the result has.
    pub fn size(&self) -> usize {
        self.chain.shape.size()
    }

    /// How far behind the first element of its array that is which a read begins with.
    pub fn first(&self, read: usize) -> usize {
        self.first[read]
    }

    /// Computes the result, which begins at an element of the target. `read` says where the operand with a number begins.
    #[inline]
    pub fn run<'a>(&self, read: impl Fn(usize) -> Start<'a>, target: &mut Buffer, base: usize, lanes: &mut Lanes) {
        assert_eq!(
            matches!(target, Buffer::Bool(_)),
            self.chain.result == DType::Bool,
            "a chain writes what it computes"
        );
        if self.copies && copied(read(0), target, base, self.size()) {
            return;
        }
        #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
        if let ([group], Some(code)) = (&self.groups[..], self.code(&read, || target.as_mut()))
            && code.run(group.parts(), &read, (target, base as isize), &mut lanes.call)
        {
            return;
        }
        self.chain.run(&self.views(&read), &mut self.target(target.as_mut(), base), lanes);
    }

    /// Computes the result to where it belongs, which may lie in another way than the chain was prepared for.
    pub fn run_to<'a>(&self, read: impl Fn(usize) -> Start<'a>, target: &mut Target<'_>, lanes: &mut Lanes) {
        self.chain.run(&self.views(&read), target, lanes);
    }

    /// Computes rows and reduces them. What is computed goes to `keep`, where it was prepared for that.
    pub fn reduce<'a>(
        &self,
        reduction: Reduction,
        read: impl Fn(usize) -> Start<'a>,
        keep: Option<&mut Buffer>,
        result: &mut Buffer,
        lanes: &mut Lanes,
    ) {
        let Reduction { op, sizes, .. } = reduction;
        #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
        let mut keep = keep;
        #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
        if self.adds
            && let ([group], Some(code)) = (&self.groups[..], self.code(&read, || BufferMut::F32(&mut [])))
            && code.run(group.parts(), &read, (result, 0), &mut lanes.call)
        {
            return;
        }
        let Some(result) = f32::slice_mut(result) else { return };
        #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
        if !self.adds
            && let Some(combine) = combine(op)
            && let Some(code) = self.code(&read, || BufferMut::F32(&mut []))
        {
            let mut rows = std::mem::take(&mut lanes.row);
            if keep.is_none() {
                rows.resize(rows.len().max(self.groups.first().map_or(0, |group| group.to)), 0.0);
            }
            let mut rows = Buffer::F32(rows);
            let target = keep.as_deref_mut().unwrap_or(&mut rows);
            let is_kept = reduction.keeps;
            let mut reduced = Rows::new(combine, sizes, result, &mut lanes.windows);
            let done = self.groups.iter().all(|group| {
                let done = code.run(group.parts(), &read, (target, 0), &mut lanes.call);
                if let (true, Some(values)) = (done, f32::slice(target)) {
                    let values = match is_kept {
                        true => &values[group.from..group.to],
                        false => &values[..group.to - group.from],
                    };
                    reduced.take(group.from, values);
                }
                done
            });
            reduced.finish();
            lanes.row = f32::unwrap_buffer(rows).unwrap_or_default();
            if done {
                return;
            }
        }
        let keep = keep.and_then(|keep| f32::slice_mut(keep));
        self.chain.reduce(op, sizes, &self.views(&read), keep, result, lanes);
    }

    fn target<'a>(&'a self, elements: BufferMut<'a>, base: usize) -> Target<'a> {
        let strides = Cow::Borrowed(self.strides.last().map_or(&[][..], |strides| &strides[..]));
        Target { elements, base: base as isize, strides, streams: false }
    }

    pub(super) fn views<'a, 'b: 'a>(&'a self, read: &impl Fn(usize) -> Start<'b>) -> SmallVec<[View<'a>; 6]> {
        let view = |(number, strides): (usize, &'a Strides)| {
            let Start { buffer, base, next } = read(number);
            View { buffer, base, strides: Cow::Borrowed(&strides[..]), next }
        };
        self.strides[..self.chain.reads.len()].iter().enumerate().map(view).collect()
    }

    /// The code, once it pays.
    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
    #[inline]
    pub(super) fn code<'a, 'b>(
        &self,
        read: &impl Fn(usize) -> Start<'b>,
        target: impl FnOnce() -> BufferMut<'a>,
    ) -> Option<&Prepared> {
        self.code.get().or_else(|| self.prepare(read, target()))
    }

    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
    #[cold]
    fn prepare<'a>(&self, read: &impl Fn(usize) -> Start<'a>, target: BufferMut<'_>) -> Option<&Prepared> {
        let work = self.size() as u64 * self.chain.len() as u64 + ASIDE;
        if is_narrow(&self.dims) || !self.chain.pays(work) {
            return None;
        }
        let target = self.target(target, 0);
        Some(self.code.get_or_init(|| Prepared::new(&self.chain, &self.views(read), &target, (&self.dims, self.adds))))
    }
}

/// How far pieces that are alike are from each other, by operand.
fn distances(pieces: &[Piece]) -> Option<Strides> {
    let [first, second, ..] = pieces else { return None };
    let between = |a: &Piece, b: &Piece| -> Strides { b.offsets.iter().zip(&a.offsets).map(|(b, a)| b - a).collect() };
    let distances = between(first, second);
    let alike = |pair: &[Piece]| {
        let [a, b] = pair else { return false };
        (a.rows, a.columns) == (b.rows, b.columns) && between(a, b) == distances
    };
    pieces.windows(2).all(alike).then_some(distances)
}

/// Copies so many elements to a place in the target; false if it has others, or not as many.
fn copied(Start { buffer, base, .. }: Start<'_>, target: &mut Buffer, to: usize, count: usize) -> bool {
    fn copy<T: Element>(elements: &[T], from: usize, target: &mut Buffer, to: usize, count: usize) -> Option<()> {
        let target = T::slice_mut(target)?.get_mut(to..to + count)?;
        target.copy_from_slice(elements.get(from..from + count)?);
        Some(())
    }
    with_elements!(buffer, elements => copy(elements, base, target, to, count)).is_some()
}

/// Strides of sums of rows in the place of rows, where code may add them: no more than are added one after the other.
fn down(chain: &Chain, Reduction { op, sizes: [length, inner], keeps }: Reduction) -> Option<Strides> {
    if op != ReduceOp::Sum || keeps || inner < LANES || !(2..=WINDOW).contains(&length) {
        return None;
    }
    let (mut strides, mut behind) = (Strides::from_elem(0, chain.shape.rank()), 1);
    for (stride, &size) in strides.iter_mut().zip(&chain.shape).rev() {
        *stride = match behind {
            _ if behind < inner => behind as isize,
            _ if behind < length * inner => 0,
            _ => (behind / length) as isize,
        };
        behind *= size;
    }
    Some(strides)
}
