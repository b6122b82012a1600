//! Numbers at equal distances: what ranges are filled with, stretch by stretch.

use std::ops::Range;

use crate::array::{Array, reserve};
use crate::buffer::Buffer;
use crate::dtype::DType;
use crate::error::OpError;
use crate::isa::for_each_isa;
use crate::shape::Shape;

/// Places that are counted in 32 bits, which processors turn into floats several at a time.
const RUN: usize = 1 << 20;

for_each_isa! {
/// Appends `start + place * step`, computed in `f64`, as many as there is room for.
fn singles<F>(out: &mut [f32], from: f64, start: f64, step: f64) {
    for (place, out) in out.iter_mut().enumerate() {
        *out = (start + (from + f64::from(place as i32)) * step) as f32;
    }
}

fn doubles<F>(out: &mut [f64], from: f64, start: f64, step: f64) {
    for (place, out) in out.iter_mut().enumerate() {
        *out = start + (from + f64::from(place as i32)) * step;
    }
}

fn integers<F>(out: &mut [i32], from: i32, start: i32, step: i32) {
    for (place, out) in out.iter_mut().enumerate() {
        *out = start.wrapping_add(from.wrapping_add(place as i32).wrapping_mul(step));
    }
}
}

/// So many elements, filled run by run from the number of each run's first place.
fn filled<T: Copy + Default>(range: &Range<usize>, mut fill: impl FnMut(&mut [T], usize)) -> Result<Vec<T>, OpError> {
    let mut elements: Vec<T> = reserve(&Shape::from([range.len()]))?;
    elements.resize(range.len(), T::default());
    for (number, run) in elements.chunks_mut(RUN).enumerate() {
        fill(run, range.start + number * RUN);
    }
    Ok(elements)
}

/// `start + place * step` for each of these places, as numpy computes it: in `f64`, one rounding after the other, then cast.
///
/// # Errors
/// For other dtypes than `float32` and `float64`, and [`OpError::TooLarge`].
pub fn steps(dtype: DType, start: f64, step: f64, range: Range<usize>) -> Result<Array, OpError> {
    let shape = Shape::from([range.len()]);
    let buffer = match dtype {
        DType::F32 => Buffer::F32(filled(&range, |run, from| singles(run, from as f64, start, step))?),
        DType::F64 => Buffer::F64(filled(&range, |run, from| doubles(run, from as f64, start, step))?),
        _ => return Err(OpError::DType { op: "range", dtype }),
    };
    Ok(Array::from_parts(dtype, shape, buffer))
}

/// The same in `int32`, which wraps around.
///
/// # Errors
/// [`OpError::TooLarge`].
pub fn integer_steps(start: i32, step: i32, range: Range<usize>) -> Result<Array, OpError> {
    let elements = filled(&range, |run, from| integers(run, from as i32, start, step))?;
    Ok(Array::from_parts(DType::I32, Shape::from([range.len()]), Buffer::I32(elements)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::asked_for::with_each;

    #[test]
    fn every_instruction_set_has_the_numbers_of_one_after_the_other() {
        let range = (1 << 24) - 5..(1 << 24) + RUN + 7;
        for found in with_each(|_| steps(DType::F32, 0.25, 0.37, range.clone()).expect("they fit")) {
            let expected: Vec<f32> = range.clone().map(|place| (0.25 + place as f64 * 0.37) as f32).collect();
            assert_eq!(found.elements::<f32>(), Some(&expected[..]));
        }
        for found in with_each(|_| steps(DType::F64, -3.0, 1e-3, 3..50).expect("they fit")) {
            let expected: Vec<f64> = (3..50).map(|place| -3.0 + f64::from(place) * 1e-3).collect();
            assert_eq!(found.elements::<f64>(), Some(&expected[..]));
        }
        let wraps = integer_steps(i32::MAX - 2, 3, 0..4).expect("they fit");
        let expected: Vec<i32> = (0..4).map(|place| (i32::MAX - 2).wrapping_add(place * 3)).collect();
        assert_eq!(wraps.elements::<i32>(), Some(&expected[..]));
    }
}
