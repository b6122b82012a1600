//! A box of an array that one owner may write while others write the rest: what lets threads fill one array without copying it together
//! afterwards. Where it is a stretch of memory, chains write to it, too.

use crate::array::Array;
use crate::buffer::{BufferMut, Element, with_elements_mut};
use crate::dtype::DType;
use crate::error::OpError;
use crate::ops::fused::{Target, stream};
use crate::ops::{Pattern, signed_strides};
use crate::pieces::{Pieces, Stretch};
use crate::shape::Shape;
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// Elements of an array that nobody else reads or writes, in a shape of their own.
#[derive(Debug)]
pub struct Part<'a> {
    dtype: DType,
    shape: Shape,
    elements: Pieces<BufferMut<'a>>,
    /// Whether it is part of so much that it is written past the caches.
    streams: bool,
}

impl Stretch for BufferMut<'_> {
    fn length(&self) -> usize {
        with_elements_mut!(self, elements => elements.len())
    }

    fn cut(self, count: usize) -> (Self, Self) {
        self.split_at(count)
    }
}

impl Array {
    /// All of the array, to be written; copied first if another one shares its elements.
    pub fn part(&mut self) -> Part<'_> {
        let (dtype, shape) = (self.dtype(), self.shape().clone());
        let streams = shape.size() >= stream::LARGE;
        Part { dtype, shape, elements: Pieces::whole(self.make_mut().as_mut()), streams }
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

    /// Whether it is one stretch of memory.
    pub fn is_stretch(&self) -> bool {
        self.elements.leading() == 0
    }

    /// The first `rows` along `axis`, and the rest: stretches, if all dimensions before the axis are of size 1.
    ///
    /// # Errors
    /// If there are not as many rows, or it was cut along a later dimension before.
    pub fn split(self, axis: usize, rows: usize) -> Result<(Part<'a>, Part<'a>), OpError> {
        let Part { dtype, shape, elements, streams } = self;
        let (first, rest) = elements.split(&shape, axis, rows)?;
        let mut sizes = [shape.clone(), shape];
        sizes[1][axis] -= rows;
        sizes[0][axis] = rows;
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

    /// Where a block of `sizes` at `starts` lies in each piece that it has elements in, and the numbers of these pieces; an error unless it
    /// lies inside.
    fn pattern(&self, starts: &[usize], sizes: &Shape) -> Result<(Pattern, SmallVec<[usize; 1]>), OpError> {
        self.check(starts, sizes)?;
        let leading = self.elements.leading();
        let along = |shape: &Shape| shape.iter().skip(leading).copied().collect::<Shape>();
        let strides = signed_strides(&along(&self.shape));
        let base = starts[leading..].iter().zip(&strides).map(|(&start, &stride)| start as isize * stride).sum();
        let mut pieces: SmallVec<[usize; 1]> = smallvec![0];
        for (axis, &start) in starts.iter().enumerate().take(leading) {
            let next = |number: usize| (start..start + sizes[axis]).map(move |at| number * self.shape[axis] + at);
            pieces = pieces.into_iter().flat_map(next).collect();
        }
        Ok((Pattern::new(base, &along(sizes), &strides), pieces))
    }

    /// The block of `sizes` at `starts`.
    ///
    /// # Errors
    /// If it does not lie inside.
    pub fn read(&self, starts: &[usize], sizes: &Shape) -> Result<Array, OpError> {
        let (pattern, pieces) = self.pattern(starts, sizes)?;
        if let [only] = pieces[..] {
            let buffer = with_elements_mut!(&self.elements.all()[only], elements => {
                Element::wrap(pattern.read(elements, sizes)?)
            });
            return Ok(Array::from_parts(self.dtype, sizes.clone(), buffer));
        }
        let mut block = Array::unwritten(self.dtype, sizes.clone())?;
        let each = sizes.size().checked_div(pieces.len()).unwrap_or(0);
        for (number, piece) in pieces.into_iter().enumerate() {
            with_elements_mut!(&self.elements.all()[piece], elements => {
                if let Some(block) = Element::slice_mut(block.make_mut()) {
                    pattern.read_into(elements, &mut block[number * each..][..each]);
                }
            });
        }
        Ok(block)
    }

    /// The block of `sizes` at `starts` as what a chain writes to, with the strides that [`Part::strides`] gave.
    ///
    /// # Errors
    /// If it does not lie inside, or this is no stretch.
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
        let in_pieces = || OpError::argument("target", "a box in several pieces".to_string());
        let elements = self.elements.only().ok_or_else(in_pieces)?.reborrow();
        Ok(Target { elements, base: base as isize, strides: Cow::Borrowed(strides), streams: self.streams })
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
        let (pattern, pieces) = self.pattern(starts, sizes)?;
        let each = sizes.size().checked_div(pieces.len()).unwrap_or(0);
        for (number, piece) in pieces.into_iter().enumerate() {
            with_elements_mut!(&mut self.elements.all_mut()[piece], target => {
                if let Some(values) = Element::slice(values.buffer()) {
                    let values = &values[number * each..][..each];
                    match self.streams {
                        true => pattern.write_by(target, values, stream::copy),
                        false => pattern.write(target, values),
                    }
                }
            });
        }
        if self.streams {
            stream::done();
        }
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
        assert!(rest.split(2, 9).is_err());
        drop(first);
        assert_eq!(array, Array::from_i32s([1, 4, 3], &[0, 0, 9, 0, 0, 0, 0, 1, 2, 0, 3, 4]).expect("twelve"));
        assert_eq!(kept, Array::from_i32s([1, 4, 3], &[0; 12]).expect("twelve"));
    }

    #[test]
    fn boxes_beside_each_other_are_written_and_read_row_by_row() {
        let mut array = Array::from_i32s([3, 2, 4], &[0; 24]).expect("as many");
        let (mut left, right) = array.part().split(2, 1).expect("columns");
        let (mut middle, mut right) = right.split(2, 2).expect("columns");
        assert!(!middle.is_stretch() && middle.target(&[0, 0, 0], &Shape::from([1, 1, 1]), &[]).is_err());
        let block = Shape::from([2, 1, 2]);
        let values = Array::from_i32s([4], &[1, 2, 3, 4]).expect("four");
        middle.write(&[1, 1, 0], &block, &values).expect("inside");
        left.write(&[0, 0, 0], &Shape::from([1, 2, 1]), &Array::from_i32s([2], &[5, 6]).expect("two")).expect("inside");
        right
            .write(&[2, 0, 0], &Shape::from([1, 2, 1]), &Array::from_i32s([2], &[7, 8]).expect("two"))
            .expect("inside");
        assert_eq!(middle.read(&[1, 1, 0], &block), Ok(crate::ops::reshape(&values, block.clone()).expect("four")));
        assert!(middle.write(&[2, 1, 0], &block, &values).is_err());
        drop((left, middle, right));
        let expected = [5, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 7, 0, 3, 4, 8];
        assert_eq!(array, Array::from_i32s([3, 2, 4], &expected).expect("as many"));
    }
}
