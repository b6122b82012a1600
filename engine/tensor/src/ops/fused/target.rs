//! Where the result of a chain goes, and how chunks of it are put there.

use super::chain::Chain;
use super::lanes::Lane;
use super::stream;
use crate::array::Array;
use crate::buffer::BufferMut;
use crate::ops::strided::signed_strides;
use std::borrow::Cow;

/// Where the result of a chain goes.
#[derive(Debug)]
pub struct Target<'a> {
    pub(crate) elements: BufferMut<'a>,
    /// The position of the first element. Before the start where only later ones are written.
    pub(crate) base: isize,
    /// Strides by dimension of the result.
    pub(crate) strides: Cow<'a, [isize]>,
    /// Whether it is written past the caches.
    pub(crate) streams: bool,
}

impl<'a> Target<'a> {
    /// All of an array, copied first if another one shares its elements.
    pub fn whole(array: &'a mut Array) -> Target<'a> {
        let strides = signed_strides(array.shape()).to_vec();
        Target::inside(array, 0, strides)
    }

    /// All of an array that has the shape of a chain's result: what [`Target::whole`] gives, without finding out how it lies.
    pub fn of(chain: &'a Chain, array: &'a mut Array) -> Target<'a> {
        debug_assert_eq!(array.shape(), chain.shape());
        Target::inside(array, 0, &chain.even[..])
    }

    /// Elements of an array: the position of the first, and strides by dimension of the result.
    pub fn inside(array: &'a mut Array, base: usize, strides: impl Into<Cow<'a, [isize]>>) -> Target<'a> {
        Target { elements: array.make_mut().as_mut(), base: base as isize, strides: strides.into(), streams: false }
    }

    /// A stretch of a result of one dimension, from an element on, past the caches or not.
    pub(crate) fn stretch(elements: BufferMut<'a>, from: usize, streams: bool) -> Target<'a> {
        let strides = Cow::Borrowed(&[1][..]);
        Target { elements, base: -(from as isize), strides, streams }
    }
}

/// Puts the rows of a chunk where they belong.
pub(super) fn store<T: Lane>(
    chunk: &[T],
    target: &mut Target<'_>,
    offset: isize,
    (down, columns): (isize, usize),
    along: isize,
) {
    let rows = chunk.chunks_exact(columns).enumerate();
    let start = |row: usize| (offset + row as isize * down) as usize;
    if target.streams
        && along == 1
        && let Some(elements) = T::all_mut(&mut target.elements)
    {
        rows.for_each(|(row, part)| stream::copy(&mut elements[start(row)..start(row) + columns], part));
        return;
    }
    rows.for_each(|(row, part)| T::store(&mut target.elements, start(row), along, part));
}
