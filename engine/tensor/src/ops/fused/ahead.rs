//! Asks the memory for what the next chunk will read and write while this one is computed: processors foresee one long
//! stream, not where the rows of a block begin, and wait for memory that nobody asked for in time.
//!
//! Asking has no effect but on time.

use super::target::Target;
use super::walk::Piece;
use crate::buffer::{Buffer, BufferMut, with_elements, with_elements_mut};
use smallvec::SmallVec;

/// Elements from which on an array is not expected to lie in the caches.
const LARGE: usize = 1 << 18;
/// Bytes that memory gives at a time.
const LINE: usize = 64;

/// Which operands of a run are asked for, the target last.
pub(super) struct Ahead {
    large: SmallVec<[bool; 8]>,
}

impl Ahead {
    pub(super) fn new<'a>(reads: impl Iterator<Item = &'a Buffer>, target: &Target<'_>) -> Ahead {
        let length = with_elements_mut!(&target.elements, elements => elements.len());
        let reads = reads.map(|read| read.len() >= LARGE);
        // What is written past the caches need not be in one.
        Ahead { large: reads.chain([length >= LARGE && !target.streams]).collect() }
    }

    /// Asks for one of `parts` equal parts of what a chunk reads, and of where its result goes. `down` are the distances of
    /// rows, `along` those of columns.
    pub(super) fn ask(
        &self,
        piece: &Piece,
        (along, down): (&[isize], &[isize]),
        reads: &[super::View<'_>],
        target: &BufferMut<'_>,
        (part, parts): (usize, usize),
    ) {
        let all = piece.rows * piece.columns;
        let (from, to) = (all * part / parts, all * (part + 1) / parts);
        for (number, large) in self.large.iter().enumerate() {
            if !large || along[number] != 1 {
                continue;
            }
            let mut place = from;
            while place < to {
                let (row, column) = (place / piece.columns, place % piece.columns);
                let count = (piece.columns - column).min(to - place);
                let start = piece.offsets[number] + row as isize * down[number] + column as isize;
                match reads.get(number) {
                    Some(read) => with_elements!(read.buffer, elements => lines::<_, false>(elements, start, count)),
                    None => with_elements_mut!(target, elements => lines::<_, true>(elements, start, count)),
                }
                place += count;
            }
        }
    }
}

/// Asks for so many elements from a position on, to be read or to be written.
#[inline(always)]
pub(crate) fn lines<T, const WRITES: bool>(elements: &[T], start: isize, count: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
        let first = elements.as_ptr().wrapping_offset(start);
        for place in (0..count).step_by((LINE / size_of::<T>()).max(1)) {
            let address = first.wrapping_add(place).cast();
            // Whatever the address is, the instruction reads and writes nothing and cannot fail.
            #[expect(unsafe_code, reason = "the intrinsic takes a pointer")]
            unsafe {
                match WRITES {
                    true => _mm_prefetch::<_MM_HINT_ET0>(address),
                    false => _mm_prefetch::<_MM_HINT_T0>(address),
                }
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (elements, start, count, LINE);
}
