//! Memory of numpy arrays and views into it: several arrays may share one buffer under different offsets and strides.
//! No dtype rules and no Python here.

use pallas_tensor::ops::{Combine, scatter_flat, take_flat};
use pallas_tensor::{Array, DType, OpError, Scalar, Shape};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// What a buffer holds.
pub(super) enum Content {
    /// Data, in row-major order.
    Known(Array),
    /// In analysis: a dtype only.
    Unknown(DType),
}

/// A buffer that several arrays may share.
pub(super) type Base = Rc<RefCell<Content>>;

/// An array in a buffer.
#[derive(Clone)]
pub(super) struct View {
    /// The buffer.
    pub(super) base: Base,
    /// Position of the first element.
    pub(super) offset: i64,
    /// Distance between neighbours along each dimension, in elements.
    pub(super) strides: SmallVec<[i64; 6]>,
    /// Extents.
    pub(super) shape: Shape,
}

impl View {
    /// An array with a buffer of its own.
    pub(super) fn new(array: Array) -> View {
        let shape = array.shape().clone();
        View::over(Content::Known(array), shape)
    }

    /// An array of a known type without data.
    pub(super) fn unknown(dtype: DType, shape: Shape) -> View {
        View::over(Content::Unknown(dtype), shape)
    }

    fn over(content: Content, shape: Shape) -> View {
        let strides = row_major(&shape);
        View { base: Rc::new(RefCell::new(content)), offset: 0, strides, shape }
    }

    /// Element type.
    pub(super) fn dtype(&self) -> DType {
        match &*self.base.borrow() {
            Content::Known(array) => array.dtype(),
            Content::Unknown(dtype) => *dtype,
        }
    }

    /// Whether there is no data, in analysis.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(&*self.base.borrow(), Content::Unknown(_))
    }

    /// Whether the elements follow each other in row-major order.
    pub(super) fn is_contiguous(&self) -> bool {
        let expected = row_major(&self.shape);
        self.shape.size() == 0
            || self.shape.iter().zip(self.strides.iter().zip(&expected)).all(|(&n, (a, b))| n == 1 || a == b)
    }

    /// Whether it is all of its buffer, in order.
    fn is_whole(&self) -> bool {
        self.offset == 0
            && self.is_contiguous()
            && match &*self.base.borrow() {
                Content::Known(array) => array.size() == self.shape.size(),
                Content::Unknown(_) => true,
            }
    }

    /// Positions in the buffer of every element, in row-major order.
    pub(super) fn positions(&self) -> Vec<i64> {
        expand(vec![self.offset], self.shape.iter().copied().zip(self.strides.iter().copied()))
    }

    /// The data, in row-major order; `None` where analysis has none.
    pub(super) fn to_array(&self) -> Result<Option<Array>, OpError> {
        let whole = self.is_whole();
        match &*self.base.borrow() {
            Content::Unknown(_) => Ok(None),
            Content::Known(array) if whole => {
                if array.shape() == &self.shape {
                    return Ok(Some(array.clone()));
                }
                pallas_tensor::ops::reshape(array, self.shape.clone()).map(Some)
            }
            Content::Known(array) => gather(array, &self.positions(), self.shape.clone()).map(Some),
        }
    }

    /// The elements at positions of the buffer.
    pub(super) fn take(&self, positions: &[i64], shape: Shape) -> Result<Option<Array>, OpError> {
        match &*self.base.borrow() {
            Content::Unknown(_) => Ok(None),
            Content::Known(array) => gather(array, positions, shape).map(Some),
        }
    }

    /// Writes an array of this shape and dtype over all of it.
    pub(super) fn write(&self, values: Array) -> Result<(), OpError> {
        if self.is_whole() {
            let same = match &*self.base.borrow() {
                Content::Known(array) => Some(array.shape().clone()),
                Content::Unknown(_) => None,
            };
            if let Some(shape) = same {
                let values = pallas_tensor::ops::reshape(&values, shape)?;
                *self.base.borrow_mut() = Content::Known(values);
            }
            return Ok(());
        }
        self.put(&self.positions(), &values)
    }

    /// Writes elements at positions of the buffer; the last of several to one position stays.
    pub(super) fn put(&self, positions: &[i64], values: &Array) -> Result<(), OpError> {
        let mut content = self.base.borrow_mut();
        if let Content::Known(array) = &mut *content {
            // Taken out while it is written, so that nobody else holds it and it is written in place. With a dtype and
            // count that fit, writing cannot fail; otherwise a copy is what fails.
            let fits = values.dtype() == array.dtype() && values.size() == positions.len();
            let target = if fits {
                let placeholder = Array::scalar(array.dtype(), Scalar::zero(array.dtype()));
                std::mem::replace(array, placeholder)
            } else {
                array.clone()
            };
            *array = scatter_flat(target, positions, values, Combine::Replace)?;
        }
        Ok(())
    }

    /// Analysis no longer knows the data.
    pub(super) fn forget(&self) {
        let dtype = self.dtype();
        *self.base.borrow_mut() = Content::Unknown(dtype);
    }

    /// The same elements under another shape, if that needs no copy.
    pub(super) fn reshaped(&self, shape: &Shape) -> Option<View> {
        self.is_contiguous().then(|| View { strides: row_major(shape), shape: shape.clone(), ..self.clone() })
    }

    /// Dimensions in another order.
    pub(super) fn transposed(&self, permutation: &[usize]) -> View {
        View {
            strides: permutation.iter().map(|&dim| self.strides[dim]).collect(),
            shape: permutation.iter().map(|&dim| self.shape[dim]).collect(),
            ..self.clone()
        }
    }

    /// Without some dimensions, each at its first position.
    pub(super) fn without(&self, axes: &[usize]) -> View {
        let kept: Vec<usize> = (0..self.shape.rank()).filter(|axis| !axes.contains(axis)).collect();
        self.transposed(&kept)
    }
}

fn gather(array: &Array, positions: &[i64], shape: Shape) -> Result<Array, OpError> {
    let filler = Array::scalar(array.dtype(), Scalar::zero(array.dtype()));
    take_flat(array, positions, shape, &filler)
}

/// Strides of a contiguous array.
pub(super) fn row_major(shape: &Shape) -> SmallVec<[i64; 6]> {
    shape.strides().iter().map(|&stride| stride as i64).collect()
}

/// Positions with further dimensions (extent and stride) nested inside.
pub(super) fn expand(positions: Vec<i64>, dims: impl IntoIterator<Item = (usize, i64)>) -> Vec<i64> {
    dims.into_iter().fold(positions, |positions, (extent, stride)| {
        if extent == 1 {
            return positions;
        }
        let mut next = Vec::with_capacity(positions.len() * extent);
        for position in positions {
            next.extend((0..extent as i64).map(|at| position + at * stride));
        }
        next
    })
}
