//! A part of an array that nobody else holds, in the array's own memory: what is left of a padded array without its padding.

use crate::array::Array;
use crate::buffer::{Buffer, with_elements};
use crate::error::OpError;
use crate::ops::slice;
use crate::shape::Shape;

/// The elements from `start` to `limit`. Where nobody else holds the array they are moved inside of it, which takes no memory.
///
/// # Errors
/// As [`slice`].
pub fn crop(mut array: Array, start: &[usize], limit: &[usize]) -> Result<Array, OpError> {
    let outer = array.shape().clone();
    let fits = start.len() == outer.len()
        && limit.len() == outer.len()
        && (0..outer.len()).all(|axis| start[axis] <= limit[axis] && limit[axis] <= outer[axis]);
    let inner: Shape = start.iter().zip(limit).map(|(&start, &limit)| limit.saturating_sub(start)).collect();
    if !fits || inner == outer || inner.size() == 0 || !array.is_unique() {
        return slice(&array, start, limit, None);
    }
    // Dimensions that are kept whole, and the one before them, are stretches of memory.
    let whole = (0..outer.len()).rev().take_while(|&axis| inner[axis] == outer[axis]).count();
    let first = outer.len() - whole - 1;
    let stretch: usize = inner[first..].iter().product();
    let strides: Vec<usize> = (0..=first).map(|axis| outer[axis + 1..].iter().product()).collect();
    let stretches: usize = inner[..first].iter().product();
    let dtype = array.dtype();
    let mut buffer = std::mem::replace(array.make_mut(), Buffer::U8(Vec::new()));
    with_elements!(&mut buffer, elements => {
        for number in 0..stretches {
            let mut rest = number;
            let mut from = start[first] * strides[first];
            for axis in (0..first).rev() {
                from += (start[axis] + rest % inner[axis]) * strides[axis];
                rest /= inner[axis];
            }
            // What is moved lies at or behind where it goes, and what was moved before lies in front of that.
            elements.copy_within(from..from + stretch, number * stretch);
        }
        elements.truncate(stretches * stretch);
    });
    Ok(Array::from_parts(dtype, inner, buffer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;

    #[test]
    fn what_is_left_is_what_a_slice_takes() {
        let shapes: [(&[usize], &[usize], &[usize]); 7] = [
            (&[7], &[2], &[6]),
            (&[5, 4], &[0, 0], &[3, 4]),
            (&[5, 4], &[1, 0], &[5, 3]),
            (&[5, 4], &[1, 2], &[4, 3]),
            (&[3, 5, 4], &[1, 1, 0], &[3, 4, 4]),
            (&[3, 5, 4], &[0, 2, 1], &[3, 5, 4]),
            (&[3, 5, 4], &[1, 2, 1], &[1, 5, 4]),
        ];
        for (shape, start, limit) in shapes {
            let size: usize = shape.iter().product();
            let array = || Array::new(shape, Buffer::I32((0..size as i32).collect())).expect("as many");
            let expected = slice(&array(), start, limit, None).expect("inside");
            assert_eq!(crop(array(), start, limit).expect("inside"), expected, "{shape:?} {start:?} {limit:?}");
            let held = array();
            assert_eq!(crop(held.clone(), start, limit).expect("inside"), expected);
            assert_eq!(held, array());
        }
        let small = Array::zeros(DType::I32, Shape::from([3])).expect("small");
        assert!(crop(small.clone(), &[2], &[4]).is_err() && crop(small, &[0, 0], &[1, 1]).is_err());
    }
}
