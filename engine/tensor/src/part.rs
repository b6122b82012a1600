//! A stretch of an array's first dimensions that one owner may write while others write the rest: what lets threads fill
//! one array without copying it together afterwards.

use crate::array::Array;
use crate::buffer::{BufferMut, Element, with_elements_mut};
use crate::dtype::DType;
use crate::error::OpError;
use crate::ops::fused::{Target, stream};
use crate::ops::{Pattern, signed_strides};
use crate::shape::Shape;
use std::borrow::Cow;

/// Elements of an array that nobody else reads or writes, in a shape of their own.
#[derive(Debug)]
pub struct Part<'a> {
    dtype: DType,
    shape: Shape,
    elements: BufferMut<'a>,
    /// Whether it is part of so much that it is written past the caches.
    streams: bool,
}

impl Array {
    /// All of the array, to be written; copied first if another one shares its elements.
    pub fn part(&mut self) -> Part<'_> {
        let (dtype, shape) = (self.dtype(), self.shape().clone());
        let streams = shape.size() >= stream::LARGE;
        Part { dtype, shape, elements: self.make_mut().as_mut(), streams }
    }
}

impl<'a> Part<'a> {
    /// The same in memory that nobody has used before, which is brought to the caches when it is first written.
    pub fn in_new_memory(self) -> Part<'a> {
        Part { streams: false, ..self }
    }

    /// The extents.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The first `rows` along `axis`, and the rest. All dimensions before the axis have to be of size 1, so that both are
    /// stretches.
    ///
    /// # Errors
    /// If they are not, or there are not as many rows.
    pub fn split(self, axis: usize, rows: usize) -> Result<(Part<'a>, Part<'a>), OpError> {
        let Part { dtype, shape, elements, streams } = self;
        let fits = shape.get(axis).is_some_and(|&size| rows <= size) && shape[..axis].iter().all(|&size| size == 1);
        if !fits {
            return Err(OpError::argument("split", format!("{rows} rows along axis {axis} of shape {shape}")));
        }
        let mut sizes = [shape.clone(), shape];
        sizes[1][axis] -= rows;
        sizes[0][axis] = rows;
        let (first, rest) = elements.split_at(sizes[0].size());
        let [first_shape, rest_shape] = sizes;
        Ok((
            Part { dtype, shape: first_shape, elements: first, streams },
            Part { dtype, shape: rest_shape, elements: rest, streams },
        ))
    }

    /// An error unless a block of `sizes` at `starts` lies inside.
    fn check(&self, starts: &[usize], sizes: &Shape) -> Result<(), OpError> {
        let fits = starts.len() == self.shape.rank()
            && sizes.rank() == self.shape.rank()
            && self
                .shape
                .iter()
                .zip(starts.iter().zip(sizes))
                .all(|(&whole, (&start, &size))| start.checked_add(size).is_some_and(|end| end <= whole));
        if fits { Ok(()) } else { Err(OpError::shapes("part", &self.shape, sizes)) }
    }

    /// Where a block of `sizes` at `starts` lies; an error unless it lies inside.
    fn pattern(&self, starts: &[usize], sizes: &Shape) -> Result<Pattern, OpError> {
        self.check(starts, sizes)?;
        let strides = signed_strides(&self.shape);
        let base = starts.iter().zip(&strides).map(|(&start, &stride)| start as isize * stride).sum();
        Ok(Pattern::new(base, sizes, &strides))
    }

    /// The block of `sizes` at `starts`.
    ///
    /// # Errors
    /// If it does not lie inside.
    pub fn read(&self, starts: &[usize], sizes: &Shape) -> Result<Array, OpError> {
        let pattern = self.pattern(starts, sizes)?;
        let buffer = with_elements_mut!(&self.elements, elements => Element::wrap(pattern.read(elements, sizes)?));
        Ok(Array::from_parts(self.dtype, sizes.clone(), buffer))
    }

    /// The block of `sizes` at `starts` as what a chain writes to, with the strides that [`Part::strides`] gave.
    ///
    /// # Errors
    /// If it does not lie inside.
    pub fn target<'b>(
        &'b mut self,
        starts: &[usize],
        sizes: &Shape,
        strides: &'b [isize],
    ) -> Result<Target<'b>, OpError> {
        self.check(starts, sizes)?;
        let (mut base, mut stride) = (0, 1);
        for (&start, &size) in starts.iter().zip(&self.shape).rev() {
            base += start * stride;
            stride *= size;
        }
        let (elements, strides) = (self.elements.reborrow(), Cow::Borrowed(strides));
        Ok(Target { elements, base: base as isize, strides, streams: self.streams })
    }

    /// Strides along the dimensions that are `kept`.
    pub fn strides(&self, kept: impl Fn(usize) -> bool) -> Vec<isize> {
        let strides = signed_strides(&self.shape).into_iter().enumerate();
        strides.filter(|&(axis, _)| kept(axis)).map(|(_, stride)| stride).collect()
    }

    /// Replaces the block of `sizes` at `starts`; `values` has as many elements, in row-major order.
    ///
    /// # Errors
    /// If it does not lie inside, or `values` is of another size or dtype.
    pub fn write(&mut self, starts: &[usize], sizes: &Shape, values: &Array) -> Result<(), OpError> {
        if values.dtype() != self.dtype {
            return Err(OpError::DTypeMismatch { op: "part", left: self.dtype, right: values.dtype() });
        }
        if sizes.checked_size() != Some(values.size()) {
            return Err(OpError::shapes("part", sizes, values.shape()));
        }
        let pattern = self.pattern(starts, sizes)?;
        with_elements_mut!(&mut self.elements, target => {
            match Element::slice(values.buffer()) {
                Some(values) if self.streams => {
                    pattern.write_by(target, values, stream::copy);
                    stream::done();
                }
                Some(values) => pattern.write(target, values),
                None => {}
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_apart_and_read_back() {
        let mut array = Array::from_i32s([1, 4, 3], &[0; 12]).expect("twelve");
        let kept = array.clone();
        let (mut first, mut rest) = array.part().split(1, 1).expect("one row");
        assert_eq!((first.shape(), rest.shape()), (&Shape::from([1, 1, 3]), &Shape::from([1, 3, 3])));
        let block = Shape::from([1, 2, 2]);
        let values = Array::from_i32s([4], &[1, 2, 3, 4]).expect("four");
        rest.write(&[0, 1, 1], &block, &values).expect("inside");
        first.write(&[0, 0, 2], &Shape::from([1, 1, 1]), &Array::from_i32s([1], &[9]).expect("one")).expect("inside");
        assert_eq!(rest.read(&[0, 1, 1], &block), Ok(crate::ops::reshape(&values, [1, 2, 2]).expect("four")));
        assert!(rest.write(&[0, 2, 1], &block, &values).is_err());
        assert!(rest.split(2, 1).is_err());
        assert_eq!(array, Array::from_i32s([1, 4, 3], &[0, 0, 9, 0, 0, 0, 0, 1, 2, 0, 3, 4]).expect("twelve"));
        assert_eq!(kept, Array::from_i32s([1, 4, 3], &[0; 12]).expect("twelve"));
    }
}
