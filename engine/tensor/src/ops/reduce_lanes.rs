//! Reductions of floats over neighbouring axes, several sums or extremes at a time: the same numbers in the same order as
//! `reduce` has them one by one, without moving elements first.

use crate::isa::for_each_isa;
use crate::ops::number::Float;

/// Elements along one dimension that are added one after the other; see `reduce`.
pub(super) const WINDOW: usize = 32;
/// Sums and extremes that are computed side by side.
const LANES: usize = 16;

/// What elements are combined with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Combine {
    /// In XLA's order.
    Sum,
    Max,
    Min,
}

impl Combine {
    #[inline(always)]
    fn identity<T: Float>(self) -> T {
        match self {
            Combine::Sum => T::ZERO,
            Combine::Max => T::INFINITY.negate(),
            Combine::Min => T::INFINITY,
        }
    }
}

for_each_isa! {
/// Each of `result` from as many rows of `length` elements.
fn rows<F, T: Float>(combine: Combine, values: &[T], length: usize, result: &mut [T]) {
    for (row, result) in values.chunks_exact(length).zip(result) {
        *result = match combine {
            Combine::Sum => sum_row(row),
            Combine::Max => extreme_row(row, combine.identity(), T::maximum),
            Combine::Min => extreme_row(row, combine.identity(), T::minimum),
        };
    }
}

/// `result` is the combination of `count` neighbouring rows as long as it is.
fn columns<F, T: Float>(combine: Combine, values: &[T], count: usize, result: &mut [T]) {
    let width = result.len();
    // A stretch of columns stays in the innermost cache.
    const STRETCH: usize = 1024;
    for start in (0..width).step_by(STRETCH) {
        let end = width.min(start + STRETCH);
        let result = &mut result[start..end];
        result.fill(combine.identity());
        for row in 0..count {
            let row = &values[row * width + start..row * width + end];
            let pairs = result.iter_mut().zip(row);
            match combine {
                Combine::Sum => pairs.for_each(|(sum, &x)| *sum = sum.add(x)),
                Combine::Max => pairs.for_each(|(sum, &x)| *sum = sum.maximum(x)),
                Combine::Min => pairs.for_each(|(sum, &x)| *sum = sum.minimum(x)),
            }
        }
    }
}
}

#[inline(always)]
fn extreme_row<T: Float>(row: &[T], identity: T, combine: impl Fn(T, T) -> T) -> T {
    let mut lanes = [identity; LANES];
    let groups = row.chunks_exact(LANES);
    let rest = groups.remainder();
    for group in groups {
        for (lane, &x) in lanes.iter_mut().zip(group) {
            *lane = combine(*lane, x);
        }
    }
    lanes.iter().chain(rest).fold(identity, |best, &x| combine(best, x))
}

/// Windows of elements from the front, centred; then windows of their sums, until one is left.
#[inline(always)]
fn sum_row<T: Float>(row: &[T]) -> T {
    if row.len() <= WINDOW {
        return row.iter().fold(T::ZERO, |sum, &x| sum.add(x));
    }
    let mut sums = window_sums(row);
    while sums.len() > WINDOW {
        sums = window_sums(&sums);
    }
    sums.iter().fold(T::ZERO, |sum, &x| sum.add(x))
}

#[inline(always)]
fn window_sums<T: Float>(row: &[T]) -> Vec<T> {
    let windows = row.len().div_ceil(WINDOW);
    let before = (windows * WINDOW - row.len()) / 2;
    let mut sums = Vec::with_capacity(windows);
    let first = WINDOW - before;
    sums.push(row[..first].iter().fold(T::ZERO, |sum, &x| sum.add(x)));
    let groups = row[first..].chunks_exact(LANES * WINDOW);
    let rest = groups.remainder();
    for group in groups {
        let mut lanes = [T::ZERO; LANES];
        for place in 0..WINDOW {
            for (lane, sum) in lanes.iter_mut().enumerate() {
                *sum = sum.add(group[lane * WINDOW + place]);
            }
        }
        sums.extend_from_slice(&lanes);
    }
    sums.extend(rest.chunks(WINDOW).map(|window| window.iter().fold(T::ZERO, |sum, &x| sum.add(x))));
    sums
}

/// Combines the middle one of three axes, (outer, length, inner), into `result` of (outer, inner).
pub(super) fn middle<T: Float>(combine: Combine, values: &[T], [outer, length, inner]: [usize; 3], result: &mut [T]) {
    if inner == 1 {
        rows(combine, values, length, result);
        return;
    }
    for (values, result) in values.chunks_exact(length * inner).zip(result.chunks_exact_mut(inner)).take(outer) {
        if combine != Combine::Sum || length <= WINDOW {
            columns(combine, values, length, result);
            continue;
        }
        let mut sums = window_rows(values, length, inner);
        while sums.len() > WINDOW * inner {
            sums = window_rows(&sums, sums.len() / inner, inner);
        }
        columns(combine, &sums, sums.len() / inner, result);
    }
}

/// The sums of windows of rows, centred.
fn window_rows<T: Float>(values: &[T], length: usize, inner: usize) -> Vec<T> {
    let windows = length.div_ceil(WINDOW);
    let before = (windows * WINDOW - length) / 2;
    let mut sums = vec![T::ZERO; windows * inner];
    for (window, result) in sums.chunks_exact_mut(inner).enumerate() {
        let start = (window * WINDOW).saturating_sub(before);
        let end = length.min((window + 1) * WINDOW - before);
        columns(Combine::Sum, &values[start * inner..end * inner], end - start, result);
    }
    sums
}
