//! Where a chain's operands lie: a position and a stride for each dimension of the result, and how dimensions are put
//! together that all of them walk through evenly.

use crate::buffer::Buffer;
use crate::shape::Shape;
use smallvec::SmallVec;
use std::borrow::Cow;

/// One stride per dimension.
pub(crate) type Strides = SmallVec<[isize; 6]>;

/// Which part of an array a chain reads, and how it is stretched to the shape of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// For each dimension of the result the dimension of the array, and the distance of positions along it; none where the
    /// same element meets all.
    pub dims: SmallVec<[Option<(usize, usize)>; 6]>,
    /// The first position along each dimension of the array.
    pub starts: SmallVec<[usize; 6]>,
}

impl Place {
    /// All of an array that has the result's shape.
    pub fn same(rank: usize) -> Place {
        Place { dims: (0..rank).map(|axis| Some((axis, 1))).collect(), starts: SmallVec::from_elem(0, rank) }
    }

    /// Whether it is all of an array that has the result's shape.
    pub fn is_same(&self) -> bool {
        let in_order = |(axis, dim): (usize, &Option<(usize, usize)>)| *dim == Some((axis, 1));
        self.starts.len() == self.dims.len()
            && self.starts.iter().all(|&start| start == 0)
            && self.dims.iter().enumerate().all(in_order)
    }

    /// The one element of an array of this rank, for all elements of a result.
    pub fn one(rank: usize, array: usize) -> Place {
        Place { dims: SmallVec::from_elem(None, rank), starts: SmallVec::from_elem(0, array) }
    }

    /// Whether everything that a result of a shape reads lies in the array.
    pub(super) fn is_inside(&self, array: &Shape, result: &Shape) -> bool {
        let mut ends: SmallVec<[usize; 6]> = self.starts.clone();
        if self.dims.len() != result.rank()
            || ends.len() != array.rank()
            || result.checked_size().is_none_or(|s| s == 0)
        {
            return false;
        }
        for (dim, &size) in self.dims.iter().zip(result) {
            let Some((axis, step)) = *dim else { continue };
            let Some(end) = ends.get_mut(axis) else { return false };
            *end = end.saturating_add((size - 1).saturating_mul(step));
        }
        ends.iter().zip(array).all(|(&end, &size)| end < size)
    }

    /// The place in an array with these strides whose first element is at `base`: the first position, and strides by
    /// dimension of the result.
    pub fn locate(&self, base: usize, strides: &[isize]) -> (usize, Strides) {
        let (base, strides) = self.locate_signed(base as isize, strides);
        (base as usize, strides)
    }

    /// The same where the first position may lie before the start.
    pub(super) fn locate_signed(&self, base: isize, strides: &[isize]) -> (isize, Strides) {
        let first: isize = self.starts.iter().zip(strides).map(|(&start, &stride)| start as isize * stride).sum();
        let along = |dim: &Option<(usize, usize)>| dim.map_or(0, |(axis, step)| strides[axis] * step as isize);
        (base + first, self.dims.iter().map(along).collect())
    }
}

/// Elements of an array that a chain reads.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The array's elements.
    pub buffer: &'a Buffer,
    /// The position of the first.
    pub base: usize,
    /// Strides by dimension of the result; 0 where the same element meets all.
    pub strides: Cow<'a, [isize]>,
    /// How much farther in the array lies what is read next in its place, where that is known.
    pub next: Option<isize>,
}

/// A dimension of the loop: its size, and for each operand, the target last, its stride.
#[derive(Clone, Debug)]
pub(super) struct Dim {
    pub(super) size: usize,
    pub(super) strides: SmallVec<[isize; 8]>,
}

/// The loop over a result's elements with as few dimensions as possible, outermost first; one at least.
pub(super) fn merged<'a>(shape: &Shape, operands: impl Iterator<Item = &'a [isize]> + Clone) -> SmallVec<[Dim; 4]> {
    let mut dims: SmallVec<[Dim; 4]> = SmallVec::new();
    for (axis, &size) in shape.iter().enumerate() {
        if size == 1 {
            continue;
        }
        if let Some(last) = dims.last_mut() {
            let even = |(&outer, strides): (&isize, &[isize])| outer == strides[axis] * size as isize;
            if last.strides.iter().zip(operands.clone()).all(even) {
                last.size *= size;
                for (stride, operand) in last.strides.iter_mut().zip(operands.clone()) {
                    *stride = operand[axis];
                }
                continue;
            }
        }
        dims.push(Dim { size, strides: operands.clone().map(|strides| strides[axis]).collect() });
    }
    if dims.is_empty() {
        // What is stretched to the result is stretched to one element too.
        let along = |strides: &[isize]| isize::from(strides.iter().any(|&stride| stride != 0));
        dims.push(Dim { size: 1, strides: operands.map(along).collect() });
    }
    dims
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_that_all_walk_through_evenly_are_one() {
        let shape = Shape::from([2, 3, 1, 4]);
        let (whole, row): ([isize; 4], [isize; 4]) = ([12, 4, 4, 1], [0, 0, 0, 1]);
        let sizes = |operands: &[&[isize]]| -> Vec<usize> {
            merged(&shape, operands.iter().copied()).iter().map(|dim| dim.size).collect()
        };
        assert_eq!(sizes(&[&whole]), [24]);
        assert_eq!(sizes(&[&whole, &row]), [6, 4]);
        assert_eq!(sizes(&[&[100, 8, 8, 1]]), [2, 3, 4]);
        assert_eq!(merged(&Shape::scalar(), [&whole[..0]].into_iter()).len(), 1);
    }

    #[test]
    fn places_skip_step_and_stretch() {
        // [1:, ::2] of an array of (4, 10), its rows repeated along a new first dimension.
        let place = Place {
            dims: [None, Some((0, 1)), Some((1, 2))].into_iter().collect(),
            starts: [1, 0].into_iter().collect(),
        };
        let (base, strides) = place.locate(100, &[10, 1]);
        assert_eq!((base, strides.as_slice()), (110, [0, 10, 2].as_slice()));
    }
}
