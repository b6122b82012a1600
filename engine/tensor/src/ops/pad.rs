//! Padding and cropping with space between elements, `lax.pad`.

use smallvec::SmallVec;

use crate::array::{Array, filled};
use crate::buffer::{Element, with_elements};
use crate::error::OpError;
use crate::ops::strided::{Pattern, signed_strides};
use crate::ops::structural::{check_length, check_same_dtype, slice, write};
use crate::shape::Shape;

/// How much [`pad`] puts around (or, negative, takes from) one dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PadDimension {
    /// Elements before the first; negative crops.
    pub low: i64,
    /// Elements after the last; negative crops.
    pub high: i64,
    /// Elements between neighbours.
    pub interior: usize,
}

/// Surrounds and spreads the array with a value, as `lax.pad`.
///
/// # Errors
/// If `value` is not a scalar of the dtype, the rank differs, or a size would be negative.
pub fn pad(array: &Array, value: &Array, padding: &[PadDimension]) -> Result<Array, OpError> {
    const OP: &str = "pad";
    check_same_dtype(OP, array, value)?;
    check_length(OP, "padding_config", padding.len(), array.rank())?;
    if value.size() != 1 {
        return Err(OpError::argument(OP, "the padding value has to be a scalar"));
    }
    let mut shape = Shape::default();
    // What of the input survives, and where its first surviving element lands.
    let mut start = Shape::default();
    let mut limit = Shape::default();
    let mut landing = Shape::default();
    for (&size, dimension) in array.shape().iter().zip(padding) {
        let (size, step) = (size as i128, dimension.interior as i128 + 1);
        let spread = if size == 0 { 0 } else { (size - 1) * step + 1 };
        let total = spread + i128::from(dimension.low) + i128::from(dimension.high);
        let Ok(length) = usize::try_from(total) else {
            return Err(OpError::argument(
                OP,
                format!("padding {dimension:?} makes a dimension of size {size} negative"),
            ));
        };
        // Element i lands at low + i * step; it survives within 0..length.
        let low = i128::from(dimension.low);
        let ceiling = |numerator: i128| (numerator + step - 1).div_euclid(step).clamp(0, size);
        let first = ceiling(-low);
        let last = ceiling(total - low).max(first);
        shape.push(length);
        start.push(first as usize);
        limit.push(last as usize);
        landing.push((low + first * step).max(0) as usize);
    }
    let kept = slice(array, &start, &limit, None)?;
    let fill = |shape: &Shape| -> Result<Array, OpError> {
        let buffer = with_elements!(value.buffer(), elements => Element::wrap(filled(shape, elements[0])?));
        Ok(Array::from_parts(array.dtype(), shape.clone(), buffer))
    };
    let mut result = fill(&shape)?;
    if kept.size() == 0 {
        return Ok(result);
    }
    let strides = signed_strides(&shape);
    let offsets = landing.iter().zip(&strides);
    let base = offsets.map(|(&start, &stride)| (start as isize).wrapping_mul(stride)).fold(0, isize::wrapping_add);
    let spread = strides.iter().zip(padding);
    // One that lands alone never uses its stride, so saturation cannot be seen.
    let spread: SmallVec<[isize; 6]> =
        spread.map(|(stride, dimension)| stride.saturating_mul(dimension.interior as isize + 1)).collect();
    write(&mut result, &Pattern::new(base, kept.shape(), &spread), &kept);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::scalar::Scalar;

    /// Expected values printed by `lax.pad` of JAX 0.10.2.
    #[test]
    fn pads_and_crops() {
        let value = Array::scalar(DType::I32, Scalar::Int(9));
        let pad_one = |low, high, interior| -> Result<Vec<i32>, OpError> {
            let dimension = PadDimension { low, high, interior };
            let array = Array::from_i32s([3], &[0, 1, 2])?;
            let padded = pad(&array, &value, &[dimension])?;
            Ok(padded.elements::<i32>().expect("int32").to_vec())
        };
        assert_eq!(pad_one(1, 2, 1), Ok(vec![9, 0, 9, 1, 9, 2, 9, 9]));
        assert_eq!(pad_one(-1, 0, 1), Ok(vec![9, 1, 9, 2]));
        assert_eq!(pad_one(-1, -1, 0), Ok(vec![1]));
        assert_eq!(pad_one(-2, 0, 1), Ok(vec![1, 9, 2]));
        assert_eq!(pad_one(-3, 4, 0), Ok(vec![9, 9, 9, 9]));
        assert!(pad_one(-4, 0, 0).is_err());
    }
}
