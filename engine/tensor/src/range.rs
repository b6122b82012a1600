//! Numbers at equal distances: what ranges are filled with, stretch by stretch.

use std::ops::Range;

use crate::array::Array;
use crate::buffer::BufferMut;
use crate::dtype::DType;
use crate::error::OpError;
use crate::isa::for_each_isa;

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

/// Runs through a stretch run by run, with the number of each run's first place.
fn by_runs<T>(elements: &mut [T], range: &Range<usize>, mut fill: impl FnMut(&mut [T], usize)) {
    for (number, run) in elements.chunks_mut(RUN).enumerate() {
        fill(run, range.start + number * RUN);
    }
}

/// Numbers at equal distances, as many as are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// `start + place * step`, as numpy computes it: in `f64`, one rounding after the other, then cast.
    Singles {
        /// The first.
        start: f64,
        /// The distance.
        step: f64,
    },
    /// The same without a cast.
    Doubles {
        /// The first.
        start: f64,
        /// The distance.
        step: f64,
    },
    /// In `int32`, which wraps around.
    Integers {
        /// The first.
        start: i32,
        /// The distance.
        step: i32,
    },
}

impl Steps {
    /// Of a dtype; `None` for others than `float32` and `float64`.
    pub fn floats(dtype: DType, start: f64, step: f64) -> Option<Steps> {
        match dtype {
            DType::F32 => Some(Steps::Singles { start, step }),
            DType::F64 => Some(Steps::Doubles { start, step }),
            _ => None,
        }
    }

    /// Their dtype.
    pub(crate) fn dtype(self) -> DType {
        match self {
            Steps::Singles { .. } => DType::F32,
            Steps::Doubles { .. } => DType::F64,
            Steps::Integers { .. } => DType::I32,
        }
    }

    /// Writes those of these places to elements of their type, as many as there are; nothing to others.
    pub(crate) fn fill(self, range: &Range<usize>, elements: BufferMut<'_>) {
        match (self, elements) {
            (Steps::Singles { start, step }, BufferMut::F32(out)) => {
                by_runs(out, range, |run, from| singles(run, from as f64, start, step));
            }
            (Steps::Doubles { start, step }, BufferMut::F64(out)) => {
                by_runs(out, range, |run, from| doubles(run, from as f64, start, step));
            }
            (Steps::Integers { start, step }, BufferMut::I32(out)) => {
                by_runs(out, range, |run, from| integers(run, from as i32, start, step));
            }
            _ => {}
        }
    }

    /// Those of these places.
    ///
    /// # Errors
    /// [`OpError::TooLarge`].
    pub(crate) fn stretch(self, range: &Range<usize>) -> Result<Array, OpError> {
        let mut array = Array::unwritten(self.dtype(), [range.len()])?;
        self.fill(range, array.make_mut().as_mut());
        Ok(array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::asked_for::with_each;

    fn of(steps: Option<Steps>, range: &Range<usize>) -> Array {
        steps.expect("there are some").stretch(range).expect("they fit")
    }

    #[test]
    fn every_instruction_set_has_the_numbers_of_one_after_the_other() {
        let range = (1 << 24) - 5..(1 << 24) + RUN + 7;
        for found in with_each(|_| of(Steps::floats(DType::F32, 0.25, 0.37), &range)) {
            let expected: Vec<f32> = range.clone().map(|place| (0.25 + place as f64 * 0.37) as f32).collect();
            assert_eq!(found.elements::<f32>(), Some(&expected[..]));
        }
        for found in with_each(|_| of(Steps::floats(DType::F64, -3.0, 1e-3), &(3..50))) {
            let expected: Vec<f64> = (3..50).map(|place| -3.0 + f64::from(place) * 1e-3).collect();
            assert_eq!(found.elements::<f64>(), Some(&expected[..]));
        }
        let wraps = of(Some(Steps::Integers { start: i32::MAX - 2, step: 3 }), &(0..4));
        let expected: Vec<i32> = (0..4).map(|place| (i32::MAX - 2).wrapping_add(place * 3)).collect();
        assert_eq!(wraps.elements::<i32>(), Some(&expected[..]));
    }
}
