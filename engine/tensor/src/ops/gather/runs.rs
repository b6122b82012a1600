//! Runs of elements at computed places: what a gather along some axes takes together, and a scatter that replaces puts together.

use super::{OP_GATHER, OP_SCATTER, Position};
use crate::array::Array;
use crate::buffer::{Element, with_elements};
use crate::dtype::DType;
use crate::error::OpError;
use crate::isa::for_each_isa;
use crate::ops::convert;
use crate::recycled;
use crate::shape::Shape;
use crate::threads::{portion, spread};

/// Where runs of elements lie in an array, one behind the other: one for each of `places`, and that for each of `before`.
#[derive(Clone, Copy, Debug)]
pub struct Runs<'a> {
    /// The positions that places are counted from.
    pub before: &'a [usize],
    /// How far from there a run begins; negative if it is outside.
    pub places: &'a [i64],
    /// Elements of a run.
    pub length: usize,
}

impl Runs<'_> {
    fn size(&self) -> Option<usize> {
        self.before.len().checked_mul(self.places.len())?.checked_mul(self.length)
    }

    /// Calls `some(from, places, first)` for runs of a range, as many as are counted from the same position: that, their places, and
    /// the number of the first one in the range.
    fn each(&self, range: std::ops::Range<usize>, mut some: impl FnMut(usize, &[i64], usize)) {
        let mut run = range.start;
        while run < range.end {
            let (outer, place) = (run / self.places.len(), run % self.places.len());
            let count = (self.places.len() - place).min(range.end - run);
            some(self.before[outer], &self.places[place..place + count], run - range.start);
            run += count;
        }
    }

    /// The elements of all runs, in the given shape, and `fill` for those of runs that are not inside of the array.
    ///
    /// # Errors
    /// If they are not as many as the shape has, or `fill` is not a scalar of the dtype.
    pub fn take(&self, array: &Array, shape: impl Into<Shape>, fill: &Array) -> Result<Array, OpError> {
        let shape = shape.into();
        if shape.checked_size().is_none() || shape.checked_size() != self.size() {
            return Err(OpError::argument(OP_GATHER, format!("{:?} elements for shape {shape}", self.size())));
        }
        if fill.dtype() != array.dtype() || fill.size() != 1 {
            return Err(OpError::DTypeMismatch { op: OP_GATHER, left: array.dtype(), right: fill.dtype() });
        }
        let buffer = with_elements!(array.buffer(), elements => {
            let too_large = || OpError::too_large(&shape);
            let mut result = recycled::take(shape.size()).ok_or_else(too_large)?.elements;
            if let (Some(&[fill]), false) = (Element::slice(fill.buffer()), result.is_empty()) {
                self.read(elements, &mut result, fill);
            }
            Element::wrap(result)
        });
        Ok(Array::from_parts(array.dtype(), shape, buffer))
    }

    fn read<T: Element>(&self, elements: &[T], result: &mut [T], fill: T) {
        let runs = portion(self.length, result.len());
        let jobs = result.chunks_mut(runs * self.length).enumerate().collect();
        spread(jobs, |(number, part): (usize, &mut [T])| {
            let (first, count) = (number * runs, part.len() / self.length);
            self.each(first..first + count, |from, places, place| {
                let row = elements.get(from..).unwrap_or_default();
                let targets = &mut part[place * self.length..][..places.len() * self.length];
                if self.length == 1 {
                    // (A negative place is past every end.)
                    let pairs = targets.iter_mut().zip(places);
                    pairs.for_each(|(target, &place)| *target = *row.get(place as usize).unwrap_or(&fill));
                    return;
                }
                for (target, &place) in targets.chunks_exact_mut(self.length).zip(places) {
                    match row.get(place as usize..).and_then(|run| run.get(..self.length)) {
                        Some(run) => target.copy_from_slice(run),
                        None => target.fill(fill),
                    }
                }
            });
        });
    }

    /// The array with updates in the place of its elements, run after run, or with one update in the place of all; those outside are
    /// left out. In place if nobody else holds the buffer.
    ///
    /// # Errors
    /// If there are not as many updates as elements of runs, or they are of another dtype.
    pub fn put(&self, mut array: Array, updates: &Array) -> Result<Array, OpError> {
        if array.dtype() != updates.dtype() {
            return Err(OpError::DTypeMismatch { op: OP_SCATTER, left: array.dtype(), right: updates.dtype() });
        }
        let is_one = updates.size() == 1;
        if self.size() != Some(updates.size()) && !is_one {
            let message = format!("{:?} elements for {} updates", self.size(), updates.size());
            return Err(OpError::argument(OP_SCATTER, message));
        }
        if self.size() == Some(0) {
            return Ok(array);
        }
        with_elements!(array.make_mut(), elements => {
            let updates = Element::slice(updates.buffer()).unwrap_or_default();
            self.each(0..self.before.len() * self.places.len(), |from, places, first| {
                let row = elements.get_mut(from..).unwrap_or_default();
                for (number, &place) in places.iter().enumerate() {
                    let run = row.get_mut(place as usize..).and_then(|run| run.get_mut(..self.length));
                    match (run, updates) {
                        (None, _) => {}
                        (Some(run), &[update]) => run.fill(update),
                        (Some(run), _) => {
                            let start = (first + number) * self.length;
                            run.copy_from_slice(&updates[start..start + self.length]);
                        }
                    }
                }
            });
        });
        Ok(array)
    }
}

/// How far from the first element of an array those lie that indices along some axes point at: the sums of index times stride; -1
/// where an index is not inside of its axis, unless `clip`. Each axis comes with its size and its stride. They are `int64`.
///
/// # Errors
/// For indices that are no integers, or not as many as `count`.
pub fn places(axes: &[(&Array, usize, usize)], count: usize, clip: bool) -> Result<Array, OpError> {
    let shape = Shape::from([count]);
    let too_large = || OpError::too_large(&shape);
    let mut places: Vec<i64> = recycled::take(count).ok_or_else(too_large)?.elements;
    let axis = |&(index, size, stride): &(_, usize, usize)| {
        Ok((Axis { size: size as i64, stride: stride as i64, clip }, Index::of(index, count)?))
    };
    let axes = axes.iter().map(axis).collect::<Result<Vec<_>, OpError>>()?;
    let some = portion(1, count);
    spread(places.chunks_mut(some).enumerate().collect(), |(number, part): (usize, &mut [i64])| {
        // Some at a time, which stay in the innermost cache from axis to axis.
        for (place, part) in part.chunks_mut(NEAR).enumerate() {
            part.fill(0);
            axes.iter().for_each(|(axis, index)| index.walk(*axis, number * some + place * NEAR, part));
        }
    });
    // (As an array: memory for so many is used again.)
    Ok(Array::from_parts(DType::I64, shape, Element::wrap(places)))
}

/// Places that the innermost cache holds beside the indices of some axes.
const NEAR: usize = 1 << 11;

/// Indices as they are walked through.
enum Index<'a> {
    Short(&'a [i32]),
    Long(Vec<i64>),
}

impl Index<'_> {
    fn of(index: &Array, count: usize) -> Result<Index<'_>, OpError> {
        if !index.dtype().is_integer() || index.size() != count {
            return Err(OpError::DType { op: OP_GATHER, dtype: index.dtype() });
        }
        if let Some(index) = index.elements::<i32>() {
            return Ok(Index::Short(index));
        }
        Ok(Index::Long(match index.dtype() {
            // What is above the range of an i64 is outside anyway.
            DType::U64 => index.iter_scalars().map(|x| x.as_int().unwrap_or(-1).min(i64::MAX.into()) as i64).collect(),
            _ => convert(index, DType::I64)?.into_elements().unwrap_or_default(),
        }))
    }

    /// Goes on with places, the first of which has this number.
    fn walk(&self, axis: Axis, first: usize, places: &mut [i64]) {
        let all = first..first + places.len();
        match self {
            Index::Short(index) => walk(axis, places, &index[all]),
            Index::Long(index) => walk(axis, places, &index[all]),
        }
    }
}

/// An axis that is indexed.
#[derive(Clone, Copy)]
struct Axis {
    size: i64,
    stride: i64,
    clip: bool,
}

for_each_isa! {
/// Places after one more index of each.
fn walk<F, P: Position>(axis: Axis, places: &mut [i64], index: &[P]) {
    let Axis { size, stride, clip } = axis;
    for (place, &at) in places.iter_mut().zip(index) {
        let at: i64 = at.into();
        let at = if clip { at.min(size - 1).max(0) } else { at };
        let is_inside = (at as u64) < size as u64 && *place >= 0;
        *place = if is_inside { place.wrapping_add(at.wrapping_mul(stride)) } else { -1 };
    }
}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Combine, scatter_flat, take_flat};
    use crate::scalar::Scalar;

    #[test]
    fn runs_are_the_elements_at_all_of_their_positions() {
        let array = Array::from_i32s([4, 5, 6], &(0..120).collect::<Vec<_>>()).expect("as many");
        let fill = Array::scalar(DType::I32, Scalar::Int(-7));
        for clip in [false, true] {
            // Along the middle axis, and along the last one, with some indices outside.
            for (axis, before, length) in [(1, vec![0, 30, 60, 90], 6), (2, (0..20).map(|row| row * 6).collect(), 1)] {
                let (size, stride) = (array.shape()[axis], array.shape().strides()[axis]);
                for dtype in [DType::I32, DType::I64, DType::U64, DType::I8] {
                    let index = Array::from_i32s([7], &[3, 0, -1, 4, 9, 2, 2]).expect("seven");
                    let index = convert(&index, dtype).expect("integers");
                    let places = places(&[(&index, size, stride)], 7, clip).expect("integers");
                    let places = places.elements::<i64>().expect("of that type");
                    let runs = Runs { before: &before, places, length };
                    let start = |from: usize, place: i64| if place < 0 { -1 } else { from as i64 + place };
                    let starts = before.iter().flat_map(|&from| places.iter().map(move |&place| start(from, place)));
                    let each = |start: i64| (0..length as i64).map(move |i| if start < 0 { -1 } else { start + i });
                    let positions: Vec<i64> = starts.flat_map(each).collect();
                    let expected = take_flat(&array, &positions, [positions.len()], &fill).expect("they fit");
                    let found = runs.take(&array, [positions.len()], &fill).expect("they fit");
                    assert_eq!(found, expected, "{axis} {clip} {dtype}");
                    let updates: Vec<i32> = (0..positions.len() as i32).map(|i| 1000 + i).collect();
                    let updates = Array::from_i32s([updates.len()], &updates).expect("as many");
                    let expected =
                        scatter_flat(array.clone(), &positions, &updates, Combine::Replace).expect("they fit");
                    assert_eq!(runs.put(array.clone(), &updates).expect("they fit"), expected, "{axis} {clip} {dtype}");
                    // One update for all of them.
                    let expected = scatter_flat(array.clone(), &positions, &fill, Combine::Replace).expect("one");
                    assert_eq!(runs.put(array.clone(), &fill).expect("one"), expected, "{axis} {clip} {dtype}");
                }
            }
        }
    }
}
