//! For which operands of a chain the memory is asked ahead. Where several read the same lines, as the neighbours of a stencil do, or
//! what one reads next is what another one reads now, asking once is enough: to ask takes as long as to read.

use super::layout::{Dim, View};
use smallvec::SmallVec;

/// Elements that are so far apart are about the same place.
const NEAR: usize = 1 << 12;

/// Whether a read, so much further, is about where another one is.
fn near(a: &View<'_>, further: isize, b: &View<'_>) -> bool {
    let place = (a.base as isize).wrapping_add(further);
    std::ptr::eq(a.buffer, b.buffer) && place.abs_diff(b.base as isize) <= NEAR
}

/// How many of the reads are blocks of their own: neither one row or element for all, nor about where another one is.
pub(super) fn blocks(reads: &[View<'_>], dims: &[Dim]) -> usize {
    let is_block = |number: usize| dims.iter().all(|dim| dim.size == 1 || dim.strides[number] != 0);
    let is_own = |number: usize| !reads[..number].iter().any(|other| near(&reads[number], 0, other));
    (0..reads.len()).filter(|&number| is_block(number) && is_own(number)).count()
}

/// Whether it is asked for what each reads next.
pub(super) fn asks(reads: &[View<'_>]) -> SmallVec<[bool; 8]> {
    let asks = |(number, read): (usize, &View<'_>)| {
        let alike = reads[..number].iter().any(|other| other.next == read.next && near(read, 0, other));
        let next = read.next.filter(|&next| next != 0);
        let others = reads.iter().enumerate().filter(|(other, _)| *other != number);
        let follows = next.is_some_and(|next| others.into_iter().any(|(_, other)| near(read, next, other)));
        !alike && !follows
    };
    reads.iter().enumerate().map(asks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;
    use std::borrow::Cow;

    #[test]
    fn places_that_others_read_are_asked_for_once() {
        let (one, other) = (Buffer::F32(Vec::new()), Buffer::F32(Vec::new()));
        let plane = 1 << 16;
        let view = |buffer, base, next| View { buffer, base, strides: Cow::Borrowed(&[][..]), next };
        let next = Some(plane as isize);
        let stencil = [
            view(&one, 0, next),
            view(&one, plane, next),
            view(&one, plane + 256, next),
            view(&one, 2 * plane, next),
            view(&other, 2 * plane, next),
        ];
        assert_eq!(asks(&stencil)[..], [false, false, false, true, true]);
        let dims = |strides: &[[isize; 5]]| -> Vec<Dim> {
            strides.iter().map(|strides| Dim { size: 8, strides: strides.iter().copied().collect() }).collect()
        };
        assert_eq!(blocks(&stencil, &dims(&[[256; 5], [1; 5]])), 4);
        // One is the same for all rows, another one for all columns.
        assert_eq!(blocks(&stencil, &dims(&[[0, 256, 256, 256, 256], [1, 1, 1, 0, 1]])), 2);
        // Nothing is known of what comes next, or the same comes again.
        assert_eq!(asks(&[view(&one, 0, None), view(&one, 1, None), view(&one, plane, None)])[..], [true, false, true]);
        assert_eq!(asks(&[view(&one, 0, Some(0)), view(&other, 0, Some(0))])[..], [true, true]);
    }
}
