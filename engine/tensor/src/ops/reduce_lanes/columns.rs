//! Rows that lie one below the other: columns are combined side by side, in XLA's order where that counts.

use super::{Combine, WINDOW};
use crate::isa::for_each_isa;
use crate::lack::collected;
use crate::ops::number::Float;
use crate::ops::strided::Pattern;
use crate::ops::turn::LANES;
use crate::shape::Shape;

/// Elements that the innermost cache holds, and columns of them that are combined at a time: as many as do not wait for each other.
const NEAR: usize = 8192;
const MANY: usize = 4 * LANES;
const BESIDE: usize = 2 * LANES;

/// Products of rows, of which some are laid side by side.
pub(super) fn product_rows<T: Float>(values: &[T], length: usize, result: &mut [T]) {
    if result.len() == 1 {
        return down(Combine::Product, values, 1, length, result);
    }
    let mut columns = collected(std::iter::repeat_n(T::ONE, length * LANES.min(result.len())));
    for (rows, result) in values.chunks(length * LANES).zip(result.chunks_mut(LANES)) {
        let columns = &mut columns[..rows.len()];
        Pattern::new(0, &Shape::from([length, result.len()]), &[1, length as isize]).read_into(rows, columns);
        down(Combine::Product, columns, result.len(), length, result);
    }
}

/// Columns of `length` elements `pitch` apart, as many as `result` has: sums and products in windows, and windows of those, until one
/// is left.
pub(super) fn down<T: Float>(combine: Combine, values: &[T], pitch: usize, length: usize, result: &mut [T]) {
    let inner = result.len();
    if length <= WINDOW || matches!(combine, Combine::Max | Combine::Min) {
        columns(combine, values, pitch, length, result);
        return;
    }
    let mut windows = window_rows(combine, values, pitch, length, inner);
    while windows.len() > WINDOW * inner {
        windows = window_rows(combine, &windows, inner, windows.len() / inner, inner);
    }
    columns(combine, &windows, inner, windows.len() / inner, result);
}

/// What windows of rows, centred, are combined to.
fn window_rows<T: Float>(combine: Combine, values: &[T], pitch: usize, length: usize, inner: usize) -> Vec<T> {
    let windows = length.div_ceil(WINDOW);
    let before = (windows * WINDOW - length) / 2;
    let mut sums = vec![T::ZERO; windows * inner];
    for (window, result) in sums.chunks_exact_mut(inner).enumerate() {
        let start = (window * WINDOW).saturating_sub(before);
        let end = length.min((window + 1) * WINDOW - before);
        columns(combine, &values[start * pitch..], pitch, end - start, result);
    }
    sums
}

for_each_isa! {
/// `result` is the combination of `count` rows as long as it is, which begin `pitch` elements apart.
fn columns<F, T: Float>(combine: Combine, values: &[T], pitch: usize, count: usize, result: &mut [T]) {
    let width = result.len();
    if pitch == width && count * width <= NEAR {
        let values = &values[..count * width];
        if width.is_multiple_of(MANY) {
            near_of::<T, MANY>(combine, values, width, result);
            return;
        }
        if width.is_multiple_of(BESIDE) {
            near_of::<T, BESIDE>(combine, values, width, result);
            return;
        }
    }
    // A stretch of columns stays in the innermost cache.
    const NEAR_COLUMNS: usize = 1024;
    for start in (0..width).step_by(NEAR_COLUMNS) {
        let end = width.min(start + NEAR_COLUMNS);
        let result = &mut result[start..end];
        result.fill(combine.identity());
        for row in 0..count {
            let row = &values[row * pitch + start..row * pitch + end];
            let pairs = result.iter_mut().zip(row);
            match combine {
                Combine::Sum => pairs.for_each(|(sum, &x)| *sum = sum.plus(x)),
                Combine::Product => pairs.for_each(|(product, &x)| *product = product.mul(x)),
                Combine::Max => pairs.for_each(|(sum, &x)| *sum = sum.maximum(x)),
                Combine::Min => pairs.for_each(|(sum, &x)| *sum = sum.minimum(x)),
            }
        }
    }
}
}

#[inline(always)]
fn near_of<T: Float, const BESIDE: usize>(combine: Combine, values: &[T], width: usize, result: &mut [T]) {
    match combine {
        Combine::Sum => near_columns::<T, BESIDE>(values, width, result, combine.identity(), T::plus),
        Combine::Product => near_columns::<T, BESIDE>(values, width, result, combine.identity(), T::mul),
        Combine::Max => near_columns::<T, BESIDE>(values, width, result, combine.identity(), T::maximum),
        Combine::Min => near_columns::<T, BESIDE>(values, width, result, combine.identity(), T::minimum),
    }
}

/// Rows that lie in the innermost cache: a few columns of all of them are combined in registers.
#[inline(always)]
fn near_columns<T: Float, const BESIDE: usize>(
    values: &[T],
    width: usize,
    result: &mut [T],
    identity: T,
    combine: impl Fn(T, T) -> T,
) {
    for (place, result) in result.as_chunks_mut::<BESIDE>().0.iter_mut().enumerate() {
        let mut combined = [identity; BESIDE];
        for row in values.chunks_exact(width) {
            if let Some(row) = row.as_chunks::<BESIDE>().0.get(place) {
                for lane in 0..BESIDE {
                    combined[lane] = combine(combined[lane], row[lane]);
                }
            }
        }
        *result = combined;
    }
}
