//! Arrays: a dtype, a shape, and contiguous row-major elements, shared until written.
//!
//! Views do not exist: an operation that only relabels (reshape) shares the buffer, every other
//! one makes a new buffer or writes into one that nobody else holds.

mod made;
mod room;

pub(crate) use made::none_of_dtype;
pub use room::has_room;
pub(crate) use room::{filled, reserve, room_like};

use std::fmt;
use std::sync::Arc;

use crate::buffer::{Buffer, Element, with_elements};
use crate::deferred::Later;
use crate::dtype::DType;
use crate::error::OpError;
use crate::float8::Float8;
use crate::recycled;
use crate::scalar::Scalar;
use crate::shape::Shape;
use made::one_element;
use room::copied;

/// An array in memory. Cloning shares the elements.
///
/// Equality is of dtype, shape and elements, and like IEEE's a NaN equals nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    dtype: DType,
    shape: Shape,
    elements: Elements,
}

/// Elements, or what will compute them when somebody looks.
#[derive(Clone)]
struct Elements {
    /// Nothing while there is something that computes them.
    here: Arc<Buffer>,
    later: Option<Arc<Later>>,
}

impl Elements {
    fn new(buffer: Buffer) -> Elements {
        Elements { here: Arc::new(buffer), later: None }
    }

    fn buffer(&self) -> &Arc<Buffer> {
        self.later.as_ref().map_or(&self.here, |later| later.elements())
    }

    /// The elements, computed, for whoever wants to be their only holder.
    fn settle(&mut self) -> &mut Arc<Buffer> {
        if let Some(later) = self.later.take() {
            self.here = later.elements().clone();
        }
        &mut self.here
    }
}

impl Drop for Elements {
    fn drop(&mut self) {
        if recycled::is_large(&self.here)
            && let Some(buffer) = Arc::get_mut(&mut self.here)
        {
            recycled::keep(std::mem::replace(buffer, Buffer::U8(Vec::new())));
        }
    }
}

impl PartialEq for Elements {
    fn eq(&self, other: &Elements) -> bool {
        self.buffer() == other.buffer()
    }
}

impl fmt::Debug for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer().fmt(f)
    }
}

/// The elements of each array that stores the same type as `_like`; arrays of one dtype all do.
pub(crate) fn elements_like<'a, T: Element>(_like: &[T], arrays: &[&'a Array]) -> Vec<&'a [T]> {
    arrays.iter().filter_map(|array| array.elements()).collect()
}

impl Array {
    /// Whether two arrays are the same elements in memory, not only equal ones.
    pub fn shares_all_with(&self, other: &Array) -> bool {
        let same = match (&self.elements.later, &other.elements.later) {
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => true,
            _ => Arc::ptr_eq(self.elements.buffer(), other.elements.buffer()),
        };
        same && self.shape == other.shape && self.dtype == other.dtype
    }

    /// An array of the buffer's own dtype.
    ///
    /// # Errors
    /// If the shape's size is not the buffer's length.
    pub fn new(shape: impl Into<Shape>, buffer: Buffer) -> Result<Array, OpError> {
        Array::with_dtype(buffer.natural_dtype(), shape, buffer)
    }

    /// An array of a dtype that the buffer stores (`int4` in `i8`, 8-bit floats in `u8`).
    ///
    /// For `int4` and `uint4` the elements have to be in range.
    ///
    /// # Errors
    /// If the buffer is of another storage, or its length is not the shape's size.
    pub fn with_dtype(dtype: DType, shape: impl Into<Shape>, buffer: Buffer) -> Result<Array, OpError> {
        let shape = shape.into();
        if !buffer.stores(dtype) {
            return Err(OpError::DTypeMismatch { op: "array", left: dtype, right: buffer.natural_dtype() });
        }
        if shape.checked_size() != Some(buffer.len()) {
            return Err(OpError::argument("array", format!("shape {shape} does not hold {} elements", buffer.len())));
        }
        Ok(Array { dtype, shape, elements: Elements::new(buffer) })
    }

    /// For operations, which know that dtype, shape and buffer fit.
    pub(crate) fn from_parts(dtype: DType, shape: Shape, buffer: Buffer) -> Array {
        debug_assert!(buffer.stores(dtype), "{dtype} in {buffer:?}");
        debug_assert_eq!(shape.size(), buffer.len());
        Array { dtype, shape, elements: Elements::new(buffer) }
    }

    /// For [`crate::deferred`]: elements that are computed when somebody looks.
    pub(crate) fn later(dtype: DType, shape: Shape, later: Later) -> Array {
        debug_assert_eq!(shape.size(), later.len());
        Array {
            dtype,
            shape,
            elements: Elements { here: Arc::new(Buffer::U8(Vec::new())), later: Some(Arc::new(later)) },
        }
    }

    /// What computes the elements, or has computed them.
    pub(crate) fn put_off(&self) -> Option<&Later> {
        self.elements.later.as_deref()
    }

    /// How many arrays share the elements.
    pub(crate) fn holders(&self) -> usize {
        self.elements.later.as_ref().map_or_else(|| Arc::strong_count(&self.elements.here), Arc::strong_count)
    }

    /// The same elements under another shape of the same size; the caller knows that it is.
    pub(crate) fn relabel(self, shape: Shape) -> Array {
        debug_assert_eq!(shape.size(), self.shape.size());
        Array { shape, ..self }
    }

    /// The same elements in row-major order under another shape, without sharing them.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn reshaped(self, shape: &Shape) -> Result<Array, OpError> {
        if self.shape == *shape {
            return Ok(self);
        }
        if shape.checked_size() != Some(self.size()) {
            return Err(OpError::shapes("reshape", &self.shape, shape));
        }
        Ok(self.relabel(shape.clone()))
    }

    /// The same elements, held by nobody else.
    pub fn apart(&self) -> Array {
        Array::from_parts(self.dtype, self.shape.clone(), copied(self.buffer()))
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.elements.later.as_ref().map_or_else(|| self.elements.here.len(), |later| later.len())
    }

    /// Bytes as numpy's `nbytes` counts them: elements times item size.
    pub fn size_bytes(&self) -> usize {
        self.size() * self.dtype.size_bytes()
    }

    /// The elements.
    pub fn buffer(&self) -> &Buffer {
        self.elements.buffer()
    }

    /// The elements to write in place, copied first if another array shares them.
    ///
    /// The buffer has to keep its variant and length; for `int4` and `uint4`, its range.
    pub fn make_mut(&mut self) -> &mut Buffer {
        let here = self.elements.settle();
        // (Nobody has weak ones.)
        if Arc::strong_count(here) > 1 {
            *here = Arc::new(copied(here));
        }
        Arc::make_mut(here)
    }

    /// The elements if they are stored as `T`.
    pub fn elements<T: Element>(&self) -> Option<&[T]> {
        T::slice(self.buffer())
    }

    /// The elements if they are stored as `T`, to write in place, copied first if another array shares them.
    pub fn elements_mut<T: Element>(&mut self) -> Option<&mut [T]> {
        T::slice_mut(self.make_mut())
    }

    /// The vector of elements: taken if this is its only holder, else copied.
    pub fn into_elements<T: Element>(mut self) -> Option<Vec<T>> {
        let here = std::mem::replace(self.elements.settle(), Arc::new(Buffer::U8(Vec::new())));
        T::unwrap_buffer(Arc::try_unwrap(here).unwrap_or_else(|shared| copied(&shared)))
    }

    /// Whether writing would not have to copy.
    pub fn is_unique(&self) -> bool {
        let computed = self.put_off().and_then(Later::computed);
        self.holders() == 1 && computed.is_none_or(|buffer| Arc::strong_count(buffer) == 1)
    }

    /// The element at a flat row-major index; `None` past the end.
    pub fn get(&self, index: usize) -> Option<Scalar> {
        let scalar = match self.buffer() {
            Buffer::Bool(elements) => Scalar::Bool(*elements.get(index)?),
            Buffer::I8(elements) => Scalar::Int((*elements.get(index)?).into()),
            Buffer::I16(elements) => Scalar::Int((*elements.get(index)?).into()),
            Buffer::I32(elements) => Scalar::Int((*elements.get(index)?).into()),
            Buffer::I64(elements) => Scalar::Int((*elements.get(index)?).into()),
            Buffer::U8(elements) => {
                let bits = *elements.get(index)?;
                match Float8::of(self.dtype) {
                    Some(format) => Scalar::Float(format.decode(bits).into()),
                    None => Scalar::Int(bits.into()),
                }
            }
            Buffer::U16(elements) => Scalar::Int((*elements.get(index)?).into()),
            Buffer::U32(elements) => Scalar::Int((*elements.get(index)?).into()),
            Buffer::U64(elements) => Scalar::Int((*elements.get(index)?).into()),
            Buffer::BF16(elements) => Scalar::Float(elements.get(index)?.to_f64()),
            Buffer::F16(elements) => Scalar::Float(elements.get(index)?.to_f64()),
            Buffer::F32(elements) => Scalar::Float((*elements.get(index)?).into()),
            Buffer::F64(elements) => Scalar::Float(*elements.get(index)?),
            Buffer::Key(elements) => Scalar::Key(*elements.get(index)?),
        };
        Some(scalar)
    }

    /// Writes the element at a flat row-major index, cast to the dtype; false past the end.
    pub fn set(&mut self, index: usize, value: Scalar) -> bool {
        if index >= self.size() {
            return false;
        }
        let value = one_element(self.dtype, value);
        with_elements!(self.make_mut(), elements => {
            if let Some([value]) = Element::slice(&value) {
                elements[index] = *value;
            }
        });
        true
    }

    /// The value of an array of size 1; `None` for every other size.
    pub fn item(&self) -> Option<Scalar> {
        if self.size() == 1 { self.get(0) } else { None }
    }

    /// The elements in row-major order.
    pub fn iter_scalars(&self) -> impl ExactSizeIterator<Item = Scalar> + '_ {
        // Every index is below the size, so the default is never taken.
        (0..self.size()).map(|index| self.get(index).unwrap_or(Scalar::Int(0)))
    }

    /// Whether dtype, shape and every bit agree; here NaN equals the same NaN, and -0 is not 0.
    pub fn same_bits(&self, other: &Array) -> bool {
        let bits = |left: &Buffer, right: &Buffer| match (left, right) {
            (Buffer::F32(left), Buffer::F32(right)) => {
                left.iter().map(|x| x.to_bits()).eq(right.iter().map(|x| x.to_bits()))
            }
            (Buffer::F64(left), Buffer::F64(right)) => {
                left.iter().map(|x| x.to_bits()).eq(right.iter().map(|x| x.to_bits()))
            }
            (Buffer::F16(left), Buffer::F16(right)) => {
                left.iter().map(|x| x.to_bits()).eq(right.iter().map(|x| x.to_bits()))
            }
            (Buffer::BF16(left), Buffer::BF16(right)) => {
                left.iter().map(|x| x.to_bits()).eq(right.iter().map(|x| x.to_bits()))
            }
            (left, right) => left == right,
        };
        self.dtype == other.dtype && self.shape == other.shape && bits(self.buffer(), other.buffer())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_holds_what_it_is_given() {
        for dtype in DType::all() {
            let value = match dtype {
                DType::Bool => Scalar::Bool(true),
                DType::Key => Scalar::Key([1, 2]),
                DType::F8E8M0Fnu => Scalar::Float(2.0),
                dtype if dtype.is_float() => Scalar::Float(1.5),
                _ => Scalar::Int(1),
            };
            let mut array = Array::zeros(dtype, [2, 3]).expect("small");
            assert!(array.set(4, value));
            assert!(!array.set(6, value));
            assert_eq!(array.get(4), Some(value), "{dtype}");
            // The format of exponents only has no zero: zeros become NaN, as in JAX.
            if dtype != DType::F8E8M0Fnu {
                assert_eq!(array.get(3), Some(Scalar::zero(dtype)));
            }
            assert_eq!(array.get(6), None);
            assert_eq!(array.item(), None);
        }
    }

    #[test]
    fn writes_do_not_reach_clones() {
        let first = Array::from_i32s([3], &[1, 2, 3]).expect("three");
        let mut second = first.clone();
        assert!(!second.is_unique());
        second.set(0, Scalar::Int(9));
        assert_eq!(first.get(0), Some(Scalar::Int(1)));
        assert_eq!(second.get(0), Some(Scalar::Int(9)));
    }

    #[test]
    fn impossible_sizes_are_errors() {
        let shape = [usize::MAX / 2, 3];
        assert!(matches!(Array::zeros(DType::F32, shape), Err(OpError::TooLarge { .. })));
        assert!(matches!(Array::zeros(DType::F32, [usize::MAX / 8]), Err(OpError::TooLarge { .. })));
        assert!(Array::new([2], Buffer::F32(vec![1.0])).is_err());
        assert!(Array::with_dtype(DType::I4, [1], Buffer::F32(vec![1.0])).is_err());
    }
}
