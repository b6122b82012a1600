//! Chunks of a chain that there is code for: where each lies, and that all of it lies in its array.

use super::super::CHUNK;
use super::super::asks::{asks, blocks};
use super::super::chain::Chain;
use super::super::lanes::{Lane, Lanes, lane_of, with_lane};
use super::super::layout::{Dim, View};
use super::super::run::Onto;
use super::super::stream;
use super::super::target::{Target, store};
use super::super::walk::{Piece, Walk, whole};
use super::Kind;
use super::made::Code;
use super::memory::{Call, OPERANDS};
use crate::buffer::{BufferMut, with_elements, with_elements_mut};
use crate::dtype::DType;
use crate::ops::turn::LANES;
use smallvec::SmallVec;
use std::ops::Range;

/// Elements from which on an array is not expected to lie in the caches.
const LARGE: usize = 1 << 18;
/// How far ahead the memory is asked for what is read, in bytes.
const AHEAD: usize = 4096;
/// Bytes of blocks that leave the second cache room for another one.
const BLOCK: std::ops::RangeInclusive<usize> = AHEAD..=(1 << 18);
/// Elements that go through at a time.
const MOST: usize = 1 << 16;

/// An array's elements.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Elements {
    pub(super) address: usize,
    pub(super) length: usize,
    /// Bytes of one.
    pub(super) size: usize,
}

impl Elements {
    pub(super) fn of<T>(elements: &[T]) -> Elements {
        Elements { address: elements.as_ptr().expose_provenance(), length: elements.len(), size: size_of::<T>() }
    }

    pub(super) fn of_mut<T>(elements: &mut [T]) -> Elements {
        let (length, size) = (elements.len(), size_of::<T>());
        Elements { address: elements.as_mut_ptr().expose_provenance(), length, size }
    }

    /// Whether rows of columns lie inside, `pitch` apart.
    pub(super) fn holds(&self, start: isize, pitch: isize, rows: usize, columns: usize) -> bool {
        let bounds = || {
            let down = (rows as isize - 1).checked_mul(pitch)?;
            let last = start.checked_add(down.max(0))?.checked_add(columns as isize - 1)?;
            Some((start.checked_add(down.min(0))?, last))
        };
        bounds().is_some_and(|(first, last)| first >= 0 && last < self.length as isize)
    }
}

/// How an operand meets the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Where it lies, with so many elements from row to row.
    There,
    /// Brought together, or put apart afterwards.
    Brought,
}

/// How the operands of a chain meet its code, the result last.
#[derive(Debug, Default)]
pub(super) struct Operands {
    pub(super) ways: SmallVec<[Way; 8]>,
    pub(super) kinds: SmallVec<[Kind; 8]>,
    pub(super) behind: SmallVec<[Behind; 8]>,
}

/// How far behind what is computed the memory is asked for the next block of an operand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Behind {
    /// Whether it is asked for at all.
    is_asked: bool,
    /// In bytes, where it lies behind this one unless somebody knows better.
    even: Option<isize>,
}

impl Behind {
    /// How many bytes, where what is read next lies so many elements further, if that is known.
    pub(super) fn bytes(self, next: Option<isize>, size: usize) -> Option<isize> {
        match next {
            _ if !self.is_asked => None,
            Some(next) => (next != 0).then_some(next * size as isize),
            None => self.even,
        }
    }
}

/// How many bytes behind the elements of a chunk memory is asked for what comes next, where `behind` does not say it: as many rows
/// further as it takes until memory has answered.
pub(super) fn ahead(behind: Option<isize>, (rows, columns): (usize, usize), pitch: isize, size: usize) -> isize {
    let further = || AHEAD.div_ceil(columns * size) as isize;
    behind.unwrap_or_else(|| if rows > 1 { further() * pitch } else { AHEAD as isize })
}

fn bytes(dtype: DType) -> usize {
    match dtype {
        DType::Bool => 1,
        DType::BF16 | DType::F16 => 2,
        _ => 4,
    }
}

/// Whether rows are shorter than a vector: those are brought together by the loops, so that they need not go through one by one.
pub(in super::super) fn is_narrow(dims: &[Dim]) -> bool {
    dims.len() > 1 && dims.last().is_none_or(|inner| inner.size < LANES)
}

impl Chain {
    /// Whether there is, or may be, code for so much more work.
    pub(in super::super) fn pays(&self, work: u64) -> bool {
        self.reads.len() < OPERANDS && self.codes.pays(self, work)
    }

    /// Computes chunks with code; false if there is none, and nothing was done.
    pub(in super::super) fn run_code(
        &self,
        (reads, target, lanes): (&[View<'_>], &mut Target<'_>, &mut Lanes),
        dims: &[Dim],
        (from, to): (usize, usize),
        (onto, chunk): (Onto, usize),
        done: &mut impl FnMut(&Target<'_>, Range<usize>),
    ) -> bool {
        let work = to.saturating_sub(from) as u64 * self.len() as u64;
        if !self.pays(work) {
            return false;
        }
        let Some((inner, outer)) = dims.split_last() else { return false };
        if is_narrow(dims) {
            return false;
        }
        let Some(Operands { ways, kinds, behind }) = self.code_operands(reads, target, dims) else { return false };
        let Some(code) = self.codes.of(self, &kinds) else { return false };

        let offsets = reads.iter().map(|read| read.base as isize).chain([target.base]).collect();
        let chunk = if ways.contains(&Way::Brought) { CHUNK } else { chunk.min(MOST) };
        let outer = outer.last().unwrap_or(inner);
        let mut call = Call::default();
        let mut compute = |piece: &mut Piece, target: &mut Target<'_>, place: usize| {
            onto.place(piece);
            let made = (&**code, &kinds[..], &ways[..], &behind[..]);
            self.chunk_by_code((reads, target, lanes), made, (inner, outer), (piece, &mut call));
            let end = place + piece.rows * piece.columns;
            done(target, place..end);
            end
        };
        if let Some((rows, columns)) = whole(dims, (from, to), chunk) {
            compute(&mut Piece { rows, columns, offsets }, target, from);
        } else {
            let Some(mut walk) = Walk::new(dims, offsets, (from, to), chunk) else { return true };
            let mut piece = Piece::empty(reads.len() + 1);
            let mut place = from;
            while walk.next(&mut piece) {
                place = compute(&mut piece, target, place);
            }
        }
        if target.streams {
            stream::done();
        }
        true
    }

    /// How operands meet code; none where the loops have to do it.
    pub(super) fn code_operands(&self, reads: &[View<'_>], target: &Target<'_>, dims: &[Dim]) -> Option<Operands> {
        let inner = dims.last()?;
        // What is read next is brought while this is computed. A block in one piece mostly has it behind it.
        let block = |number: usize, size: usize| {
            let bytes = self.shape.size() * size;
            // All that is read now has to stay where it is.
            if !BLOCK.contains(&(blocks(reads, dims) * bytes)) {
                return Behind::default();
            }
            let is_even = |pair: &[Dim]| pair[0].strides[number] == pair[1].strides[number] * pair[1].size as isize;
            let goes = inner.strides[number] == 1 && dims.windows(2).all(is_even);
            Behind { is_asked: true, even: goes.then_some(bytes as isize) }
        };
        // (Small arrays are asked for by nobody.)
        let asks = if reads.iter().any(|read| read.buffer.len() >= LARGE) {
            asks(reads)
        } else {
            SmallVec::from_elem(false, reads.len())
        };
        let mut operands = Operands::default();
        let Operands { ways, kinds, behind } = &mut operands;
        for (number, read) in self.reads.iter().enumerate() {
            let (along, buffer) = (inner.strides[number], reads[number].buffer);
            let way = match along {
                0 | 1 => Way::There,
                _ if read.dtype == read.lane => Way::Brought,
                _ => return None,
            };
            let is_one = along == 0;
            let is_ahead = along == 1 && buffer.len() >= LARGE && asks[number];
            ways.push(way);
            let block = if is_ahead { block(number, bytes(read.dtype)) } else { Behind::default() };
            behind.push(block);
            let is_far = block.is_asked;
            kinds.push(Kind { is_one, is_ahead, is_far, streams: false, adds: false, size: bytes(read.dtype) as u32 });
            if with_elements!(buffer, elements => Elements::of(elements)).size != bytes(read.dtype) {
                return None;
            }
        }
        let length = with_elements_mut!(&target.elements, elements => elements.len());
        let is_there = *inner.strides.last().unwrap_or(&0) == 1;
        if !is_there && lane_of(self.result) != Some(self.result) {
            return None;
        }
        // Lines of smaller numbers go through the caches.
        let streams = is_there && target.streams && bytes(self.result) == 4;
        let is_ahead = is_there && !streams && length >= LARGE;
        ways.push(if is_there { Way::There } else { Way::Brought });
        behind.push(Behind::default());
        kinds.push(Kind {
            is_one: false,
            is_ahead,
            is_far: false,
            streams,
            adds: false,
            size: bytes(self.result) as u32,
        });
        Some(operands)
    }

    fn chunk_by_code(
        &self,
        (reads, target, lanes): (&[View<'_>], &mut Target<'_>, &mut Lanes),
        (code, kinds, ways, behind): (&Code, &[Kind], &[Way], &[Behind]),
        (inner, outer): (&Dim, &Dim),
        (piece, call): (&Piece, &mut Call),
    ) {
        let &Piece { rows, columns, ref offsets } = piece;
        (call.rows, call.columns) = (rows, columns);
        let mut place = |number: usize, elements: Elements, start: isize, pitch: isize| {
            let kind = kinds[number];
            assert!(
                elements.size == kind.size as usize
                    && elements.holds(start, pitch, rows, if kind.is_one { 1 } else { columns }),
                "a chain reads or writes beyond its arrays"
            );
            let size = elements.size as isize;
            call.addresses[number] = elements.address.wrapping_add_signed(start * size);
            call.pitches[number] = pitch * size;
            let next = reads.get(number).and_then(|read| read.next);
            let behind = behind[number].bytes(next, elements.size);
            let ahead = ahead(behind, (rows, columns), call.pitches[number], elements.size);
            call.ahead[number] = call.addresses[number].wrapping_add_signed(ahead);
        };
        for (number, read) in self.reads.iter().enumerate() {
            let (offset, buffer) = (offsets[number], reads[number].buffer);
            let down = if rows == 1 { 0 } else { outer.strides[number] };
            match ways[number] {
                Way::There => {
                    place(number, with_elements!(buffer, elements => Elements::of(elements)), offset, down);
                }
                Way::Brought => with_lane!(read.lane, T => {
                    let mut chunk = lanes.take::<T>(read.register);
                    for (row, part) in chunk[..rows * columns].chunks_exact_mut(columns).enumerate() {
                        T::load(part, buffer, (offset + row as isize * down) as usize, inner.strides[number]);
                    }
                    place(number, Elements::of(&chunk), 0, columns as isize);
                    lanes.put(read.register, chunk);
                }),
            }
        }
        let last = self.reads.len();
        let (along, offset) = (inner.strides[last], offsets[last]);
        let down = if rows == 1 { columns as isize } else { outer.strides[last] };
        match ways[last] {
            Way::There => {
                let is_truth = matches!(target.elements, BufferMut::Bool(_));
                assert_eq!(is_truth, self.result == DType::Bool, "a chain writes numbers to numbers");
                place(
                    last,
                    with_elements_mut!(&mut target.elements, elements => Elements::of_mut(elements)),
                    offset,
                    down,
                );
                // Every row of every operand was just found to lie in its array, whose elements are of the size that the code
                // takes them for; nobody else has the target.
                #[expect(unsafe_code, reason = "code takes addresses")]
                unsafe {
                    code.call(call, 1);
                }
            }
            Way::Brought => with_lane!(self.result, T => {
                let mut chunk = lanes.take::<T>(self.spare);
                place(last, Elements::of_mut(&mut chunk), 0, columns as isize);
                // As above.
                #[expect(unsafe_code, reason = "code takes addresses")]
                unsafe {
                    code.call(call, 1);
                }
                store(&chunk[..rows * columns], target, offset, (down, columns), along);
                lanes.put(self.spare, chunk);
            }),
        }
    }
}
