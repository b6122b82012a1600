//! Copies between a contiguous array and a strided pattern in another: the one loop behind
//! transpose, broadcast, slice, reverse, pad and updates. Rows that were columns are read square by square (`squares`).

mod squares;

use std::ops::Range;

use smallvec::SmallVec;

use crate::array::reserve;
use crate::buffer::Element;
use crate::error::OpError;
use crate::shape::Shape;

/// Positions in a flat buffer: `base` plus an index times a stride for each dimension.
///
/// Strides may be zero (broadcast) or negative (reverse). Whoever makes one guarantees that every
/// position lies in the buffer it is used on. A pattern without positions may have any base and
/// strides, so those are computed with wrapping arithmetic: an empty array's can overflow.
pub(crate) struct Pattern {
    base: isize,
    /// (size, stride) outermost first; adjacent dimensions that walk on evenly are merged.
    dimensions: SmallVec<[(usize, isize); 6]>,
}

impl Pattern {
    pub(crate) fn new(base: isize, shape: &Shape, strides: &[isize]) -> Pattern {
        let mut dimensions: SmallVec<[(usize, isize); 6]> = SmallVec::new();
        for (&size, &stride) in shape.iter().zip(strides) {
            if size == 1 {
                continue;
            }
            match dimensions.last_mut() {
                Some((outer_size, outer_stride)) if *outer_stride == stride.wrapping_mul(size as isize) => {
                    *outer_size = outer_size.saturating_mul(size);
                    *outer_stride = stride;
                }
                _ => dimensions.push((size, stride)),
            }
        }
        Pattern { base, dimensions }
    }

    /// How many positions there are.
    fn len(&self) -> usize {
        self.dimensions.iter().map(|&(size, _)| size).product()
    }

    /// Calls `row(position, length, stride)` for every innermost run, in row-major order.
    fn rows(&self, row: impl FnMut(isize, usize, isize)) {
        self.rows_of(0..self.len(), row);
    }

    /// The same for some of the positions: the first and the last run may be cut.
    fn rows_of(&self, mut range: Range<usize>, mut row: impl FnMut(isize, usize, isize)) {
        if range.is_empty() {
            return;
        }
        let Some((&(length, stride), outer)) = self.dimensions.split_last() else {
            row(self.base, 1, 1);
            return;
        };
        let mut counters: SmallVec<[usize; 6]> = SmallVec::from_elem(0, outer.len());
        let mut position = self.base;
        let mut first = range.start / length;
        for (counter, &(size, stride)) in counters.iter_mut().zip(outer).rev() {
            *counter = first % size;
            first /= size;
            position += stride * *counter as isize;
        }
        loop {
            let skipped = range.start % length;
            let count = range.len().min(length - skipped);
            row(position + stride * skipped as isize, count, stride);
            range.start += count;
            if range.is_empty() {
                return;
            }
            let mut axis = outer.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                let (size, stride) = outer[axis];
                counters[axis] += 1;
                position += stride;
                if counters[axis] < size {
                    break;
                }
                position -= stride * size as isize;
                counters[axis] = 0;
            }
        }
    }

    /// The elements at the positions, in row-major order; `shape` is the pattern's.
    pub(crate) fn read<T: Element>(&self, source: &[T], shape: &Shape) -> Result<Vec<T>, OpError> {
        self.stretch(source, shape, 0..self.len())
    }

    /// Some of them; `shape` is theirs.
    pub(crate) fn stretch<T: Element>(
        &self,
        source: &[T],
        shape: &Shape,
        range: Range<usize>,
    ) -> Result<Vec<T>, OpError> {
        if let Some(result) = self.turned(source, range.clone()) {
            return Ok(result);
        }
        let mut result = reserve(shape)?;
        self.rows_of(range, |position, length, stride| {
            let start = position as usize;
            match stride {
                1 => result.extend_from_slice(&source[start..start + length]),
                0 => result.extend(std::iter::repeat_n(source[start], length)),
                2.. => {
                    let run = source[start..].iter().step_by(stride as usize);
                    result.extend(run.take(length));
                }
                _ => result.extend((0..length as isize).map(|step| source[(position + step * stride) as usize])),
            }
        });
        Ok(result)
    }

    /// The elements at the positions, in row-major order, into a slice of as many.
    pub(crate) fn read_into<T: Copy>(&self, source: &[T], target: &mut [T]) {
        if self.is_turned(target.len()) {
            return self.squares(source, target, 0..target.len());
        }
        let mut rest = target;
        self.rows(|position, length, stride| {
            let (run, tail) = std::mem::take(&mut rest).split_at_mut(length);
            rest = tail;
            let start = position as usize;
            match stride {
                1 => run.copy_from_slice(&source[start..start + length]),
                _ => {
                    let places = (0..length as isize).map(|step| (position + step * stride) as usize);
                    run.iter_mut().zip(places).for_each(|(target, place)| *target = source[place]);
                }
            }
        });
    }

    /// Writes `values`, in row-major order, to the positions.
    pub(crate) fn write<T: Copy>(&self, target: &mut [T], values: &[T]) {
        self.write_by(target, values, <[T]>::copy_from_slice);
    }

    /// The same with a way to copy elements that lie one behind the other.
    pub(crate) fn write_by<T: Copy>(&self, target: &mut [T], values: &[T], copy: impl Fn(&mut [T], &[T])) {
        let mut rest = values;
        self.rows(|position, length, stride| {
            let (run, tail) = rest.split_at(length);
            rest = tail;
            let start = position as usize;
            if stride == 1 {
                copy(&mut target[start..start + length], run);
            } else {
                for (step, &value) in run.iter().enumerate() {
                    target[(position + step as isize * stride) as usize] = value;
                }
            }
        });
    }
}

/// Row-major strides as signed numbers.
pub(crate) fn signed_strides(shape: &Shape) -> SmallVec<[isize; 6]> {
    shape.strides().iter().map(|&stride| stride as isize).collect()
}
