//! Arrays from nothing but numbers: one value for all, positions, a list of values. Operations on arrays are [`crate::ops`]'s.

use super::Array;
use super::room::{repeated, reserve, room_like};
use crate::buffer::{Buffer, Element, storage_of, with_elements};
use crate::deferred::{by_stretches, stepped};
use crate::dtype::DType;
use crate::error::OpError;
use crate::float8::Float8;
use crate::range::Steps;
use crate::scalar::Scalar;
use crate::shape::Shape;

impl Array {
    /// Every element the same.
    ///
    /// # Errors
    /// [`OpError::TooLarge`].
    pub fn full(dtype: DType, shape: impl Into<Shape>, value: Scalar) -> Result<Array, OpError> {
        let shape = shape.into();
        let one = Array::scalar(dtype, value);
        let buffer = with_elements!(one.buffer(), elements => Element::wrap(repeated(&shape, elements[0])?));
        Ok(Array::from_parts(dtype, shape, buffer))
    }

    /// Every element zero (false; the key of zeros).
    ///
    /// # Errors
    /// [`OpError::TooLarge`].
    pub fn zeros(dtype: DType, shape: impl Into<Shape>) -> Result<Array, OpError> {
        Array::full(dtype, shape, Scalar::zero(dtype))
    }

    /// Elements that hold anything: for whoever writes all of them before somebody reads.
    ///
    /// # Errors
    /// [`OpError::TooLarge`].
    pub fn unwritten(dtype: DType, shape: impl Into<Shape>) -> Result<Array, OpError> {
        Ok(Array::room(dtype, shape)?.0)
    }

    /// The same, and whether its memory was used before.
    ///
    /// # Errors
    /// [`OpError::TooLarge`].
    pub fn room(dtype: DType, shape: impl Into<Shape>) -> Result<(Array, bool), OpError> {
        let shape = shape.into();
        let too_large = || OpError::too_large(&shape);
        let length = shape.checked_size().ok_or_else(too_large)?;
        let (buffer, is_used) = room_like(&none_of_dtype(dtype), length).ok_or_else(too_large)?;
        Ok((Array::from_parts(dtype, shape, buffer), is_used))
    }

    /// Each element its own index along `axis`, as `lax.broadcasted_iota`.
    ///
    /// # Errors
    /// If there is no such axis, for dtypes that are not numbers, and [`OpError::TooLarge`].
    pub fn iota(dtype: DType, shape: impl Into<Shape>, axis: usize) -> Result<Array, OpError> {
        let shape = shape.into();
        if !dtype.is_integer() && !dtype.is_float() {
            return Err(OpError::DType { op: "iota", dtype });
        }
        let Some(&length) = shape.get(axis) else {
            return Err(OpError::argument("iota", format!("axis {axis} is out of bounds for shape {shape}")));
        };
        shape.checked_size().ok_or_else(|| OpError::too_large(&shape))?;
        if shape.size() == 0 {
            return Array::zeros(dtype, shape);
        }
        // So many neighbours have the same index.
        let run: usize = shape[axis + 1..].iter().product();
        // In one go along the axis.
        let steps = match dtype {
            DType::I32 => Some(Steps::Integers { start: 0, step: 1 }),
            // Integers of which `f64` has each.
            DType::F32 if length < 1 << 53 => Steps::floats(dtype, 0.0, 1.0),
            _ => None,
        };
        if let Some(steps) = steps.filter(|_| run == 1 && shape.size() == length) {
            return stepped(shape, steps);
        }
        by_stretches(shape, move |range| {
            if let Some(steps) = steps.filter(|_| run == 1 && range.end <= length) {
                return steps.stretch(&range);
            }
            let part = Shape::from([range.len()]);
            let mut line = reserve(&part)?;
            let mut place = range.start;
            while place < range.end {
                let (index, left) = (place / run % length, range.end - place);
                let count = left.min(if run == 1 { length - index } else { run - place % run });
                match run {
                    1 => line.extend(index as i64..(index + count) as i64),
                    _ => line.resize(line.len() + count, index as i64),
                }
                place += count;
            }
            crate::ops::convert(&Array::from_parts(DType::I64, part, Buffer::I64(line)), dtype)
        })
    }

    /// A scalar of rank 0, the value cast to the dtype.
    pub fn scalar(dtype: DType, value: Scalar) -> Array {
        Array::from_parts(dtype, Shape::scalar(), one_element(dtype, value))
    }

    /// An array from values in row-major order, each cast to the dtype.
    ///
    /// # Errors
    /// If their number is not the shape's size.
    pub fn from_scalars(dtype: DType, shape: impl Into<Shape>, values: &[Scalar]) -> Result<Array, OpError> {
        let shape = shape.into();
        if shape.checked_size() != Some(values.len()) {
            return Err(OpError::argument("array", format!("shape {shape} does not hold {} elements", values.len())));
        }
        reserve::<u8>(&shape)?;
        Ok(Array::from_parts(dtype, shape, elements_of(dtype, values.iter().copied())))
    }

    /// A `float32` array.
    ///
    /// # Errors
    /// If the number of values is not the shape's size.
    pub fn from_f32s(shape: impl Into<Shape>, values: &[f32]) -> Result<Array, OpError> {
        Array::new(shape, Buffer::F32(values.to_vec()))
    }

    /// An `int32` array.
    ///
    /// # Errors
    /// If the number of values is not the shape's size.
    pub fn from_i32s(shape: impl Into<Shape>, values: &[i32]) -> Result<Array, OpError> {
        Array::new(shape, Buffer::I32(values.to_vec()))
    }
}

/// No elements of a dtype.
pub(crate) fn none_of_dtype(dtype: DType) -> Buffer {
    elements_of(dtype, std::iter::empty())
}

/// A buffer with the one value, cast to the dtype.
pub(super) fn one_element(dtype: DType, value: Scalar) -> Buffer {
    elements_of(dtype, std::iter::once(value))
}

/// A buffer with the values, each cast to the dtype.
fn elements_of(dtype: DType, values: impl Iterator<Item = Scalar>) -> Buffer {
    // After the cast the variant is the dtype's kind and the value in range, so neither the
    // fallbacks nor the `as` below can lose anything.
    let values = values.map(|value| value.cast(dtype));
    fn integers<T>(values: impl Iterator<Item = Scalar>, element: impl Fn(i128) -> T) -> Vec<T> {
        values.map(|value| element(value.as_int().unwrap_or(0))).collect()
    }
    fn floats<T>(values: impl Iterator<Item = Scalar>, element: impl Fn(f64) -> T) -> Vec<T> {
        values.map(|value| element(value.as_f64().unwrap_or(0.0))).collect()
    }
    match storage_of(dtype) {
        DType::Bool => Buffer::Bool(values.map(|value| value.as_bool().unwrap_or(false)).collect()),
        DType::I4 | DType::I8 => Buffer::I8(integers(values, |x| x as i8)),
        DType::I16 => Buffer::I16(integers(values, |x| x as i16)),
        DType::I32 => Buffer::I32(integers(values, |x| x as i32)),
        DType::I64 => Buffer::I64(integers(values, |x| x as i64)),
        DType::U16 => Buffer::U16(integers(values, |x| x as u16)),
        DType::U32 => Buffer::U32(integers(values, |x| x as u32)),
        DType::U64 => Buffer::U64(integers(values, |x| x as u64)),
        DType::BF16 => Buffer::BF16(floats(values, |x| half::bf16::from_f32(x as f32))),
        DType::F16 => Buffer::F16(floats(values, |x| half::f16::from_f32(x as f32))),
        DType::F32 => Buffer::F32(floats(values, |x| x as f32)),
        DType::F64 => Buffer::F64(floats(values, |x| x)),
        DType::Key => {
            let key = |value| match value {
                Scalar::Key(key) => key,
                _ => [0, 0],
            };
            Buffer::Key(values.map(key).collect())
        }
        _ => Buffer::U8(match Float8::of(dtype) {
            Some(format) => floats(values, |x| format.encode(x as f32)),
            None => integers(values, |x| x as u8),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iota_counts_along_one_axis() {
        let array = Array::iota(DType::I32, [2, 3], 1).expect("small");
        assert_eq!(array, Array::from_i32s([2, 3], &[0, 1, 2, 0, 1, 2]).expect("six"));
        let array = Array::iota(DType::F32, [2, 3], 0).expect("small");
        let expected = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        assert_eq!(array, Array::from_f32s([2, 3], &expected).expect("six"));
        assert!(Array::iota(DType::I32, [2], 1).is_err());
        // Several stretches, none of which begins with a row.
        let shape = [97, 61, 53];
        for axis in 0..3 {
            let array = Array::iota(DType::I32, shape, axis).expect("it fits");
            let run: usize = shape[axis + 1..].iter().product();
            let expected: Vec<i32> = (0..97 * 61 * 53).map(|place| (place / run % shape[axis]) as i32).collect();
            assert_eq!(array, Array::from_i32s(shape, &expected).expect("as many"), "axis {axis}");
        }
    }
}
