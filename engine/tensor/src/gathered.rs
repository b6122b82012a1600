//! Elements of an array that lie at even distances along each dimension, copied out of it. The array itself stays contiguous:
//! there are no views.

use crate::array::Array;
use crate::buffer::{Element, with_elements};
use crate::error::OpError;
use crate::ops::Pattern;
use crate::shape::Shape;

impl Array {
    /// The elements at positions of this array: the first one, and the distance of neighbours along each dimension of the
    /// result.
    ///
    /// # Errors
    /// If a position lies outside.
    pub fn gathered(&self, base: usize, shape: &Shape, strides: &[isize]) -> Result<Array, OpError> {
        let pattern = self.inside(base, shape, strides)?;
        let buffer = with_elements!(self.buffer(), elements => Element::wrap(pattern.read(elements, shape)?));
        Ok(Array::from_parts(self.dtype(), shape.clone(), buffer))
    }

    /// [`Array::gathered`] in the place of what `target` holds.
    ///
    /// # Errors
    /// If a position lies outside, or the target has another dtype.
    pub fn gather(&self, base: usize, strides: &[isize], target: &mut Array) -> Result<(), OpError> {
        fn copy<T: Element>(pattern: &Pattern, source: &[T], target: &mut Array) -> bool {
            target.elements_mut().map(|target| pattern.read_into(source, target)).is_some()
        }
        let pattern = self.inside(base, target.shape(), strides)?;
        let copied = target.dtype() == self.dtype()
            && with_elements!(self.buffer(), elements => copy(&pattern, elements, target));
        if copied {
            return Ok(());
        }
        Err(OpError::DTypeMismatch { op: "view", left: self.dtype(), right: target.dtype() })
    }

    /// Positions of this array, if all of them lie inside.
    fn inside(&self, base: usize, shape: &Shape, strides: &[isize]) -> Result<Pattern, OpError> {
        let steps = shape.iter().zip(strides);
        let reach = |(&size, &stride): (&usize, &isize)| (size as isize).saturating_sub(1).saturating_mul(stride);
        let [mut first, mut last] = [base as isize; 2];
        for reach in steps.map(reach) {
            first = first.saturating_add(reach.min(0));
            last = last.saturating_add(reach.max(0));
        }
        let inside =
            strides.len() == shape.rank() && (shape.size() == 0 || first >= 0 && (last as usize) < self.size());
        match inside {
            true => Ok(Pattern::new(base as isize, shape, strides)),
            false => Err(OpError::shapes("view", self.shape(), shape)),
        }
    }
}
