//! Reductions of floats over neighbouring axes, several sums or extremes at a time: the same numbers in the same order as
//! `reduce` has them one by one, without moving elements first.

mod columns;

use crate::isa::for_each_isa;
use crate::ops::number::Float;
use crate::ops::reduce::by_slabs;
use crate::ops::turn::LANES;
use columns::{down, product_rows};

/// Elements along one dimension that are added one after the other; see `reduce`.
pub(super) use crate::ops::turn::WINDOW;

/// What elements are combined with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Combine {
    /// In XLA's order.
    Sum,
    /// In that order, too.
    Product,
    Max,
    Min,
}

impl Combine {
    #[inline(always)]
    fn identity<T: Float>(self) -> T {
        match self {
            Combine::Sum => T::ZERO,
            Combine::Product => T::ONE,
            Combine::Max => T::INFINITY.negate(),
            Combine::Min => T::INFINITY,
        }
    }
}

for_each_isa! {
/// Each of `result` from as many rows of `length` elements.
fn rows<F, T: Float>(combine: Combine, values: &[T], length: usize, result: &mut [T]) {
    if combine == Combine::Sum {
        sum_rows(values, length, result);
        return;
    }
    if length <= LANES && T::short_rows(combine, values, length, result) {
        return;
    }
    match combine {
        Combine::Max => extremes(values, length, result, combine.identity(), |best, x| x > best, T::maximum),
        _ => extremes(values, length, result, combine.identity(), |best, x| x < best, T::minimum),
    }
}
}

/// Extremes of rows. Those of sixteen rows are first looked for by plain comparisons, which is good enough where a row has no
/// NaN, and what is found is neither zero, whose sign would matter, nor subnormal.
#[inline(always)]
fn extremes<T: Float>(
    values: &[T],
    length: usize,
    result: &mut [T],
    identity: T,
    is_better: impl Fn(T, T) -> bool,
    combine: impl Fn(T, T) -> T,
) {
    if length <= LANES && result.len() < LANES {
        for (row, result) in values.chunks_exact(length).zip(result) {
            *result = short_extreme(row, identity, &combine);
        }
        return;
    }
    let better = |best: T, x: T| if is_better(best, x) { x } else { best };
    let mut windows = [identity; LANES * WINDOW];
    let mut turned = [[identity; LANES]; WINDOW];
    for (rows, result) in values.chunks(LANES * length).zip(result.chunks_mut(LANES)) {
        let mut unordered = false;
        for (row, lanes) in rows.chunks_exact(length).zip(windows.as_chunks_mut::<WINDOW>().0) {
            unordered |= fold_row(row, lanes, identity, better);
        }
        // A window for each row: their elements are compared for all rows at once.
        T::turn(&windows, &mut turned);
        let mut found = turned[0];
        for turned in &turned[1..] {
            for lane in 0..LANES {
                found[lane] = better(found[lane], turned[lane]);
            }
        }
        for ((row, result), found) in rows.chunks_exact(length).zip(result).zip(found) {
            let usual = !unordered && found.flush() != T::ZERO;
            *result = if usual { found } else { extreme_row(row, identity, &combine) };
        }
    }
}

/// The extreme of up to sixteen elements.
#[inline(always)]
fn short_extreme<T: Float>(row: &[T], identity: T, combine: impl Fn(T, T) -> T) -> T {
    let mut lanes = [identity; LANES];
    lanes[..row.len()].copy_from_slice(row);
    across(&mut lanes, combine)
}

/// The extreme of sixteen lanes, which are put onto each other in halves.
#[inline(always)]
fn across<T: Float>(lanes: &mut [T; LANES], combine: impl Fn(T, T) -> T) -> T {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] = combine(lanes[lane], lanes[lane + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// The best elements of a row at each place of windows of it; whether there is a NaN among them.
#[inline(always)]
fn fold_row<T: Float>(row: &[T], lanes: &mut [T; WINDOW], identity: T, better: impl Fn(T, T) -> T) -> bool {
    let mut best = [identity; WINDOW];
    let mut unordered = false;
    let (groups, rest) = row.as_chunks::<WINDOW>();
    for group in groups {
        for lane in 0..WINDOW {
            best[lane] = better(best[lane], group[lane]);
        }
        // One comparison for two elements.
        unordered |= (0..LANES).fold(false, |any, lane| any | group[lane].is_nan() | group[lane + LANES].is_nan());
    }
    for (best, &x) in best.iter_mut().zip(rest) {
        *best = better(*best, x);
        unordered |= x.is_nan();
    }
    *lanes = best;
    unordered
}

/// The order does not matter: four vectors of extremes, so that none waits for the one before it.
#[inline(always)]
fn extreme_row<T: Float>(row: &[T], identity: T, combine: impl Fn(T, T) -> T) -> T {
    const WIDE: usize = 4 * LANES;
    let mut lanes = [identity; WIDE];
    let (groups, rest) = row.as_chunks::<WIDE>();
    for group in groups {
        for lane in 0..WIDE {
            lanes[lane] = combine(lanes[lane], group[lane]);
        }
    }
    let (groups, rest) = rest.as_chunks::<LANES>();
    for group in groups {
        for lane in 0..LANES {
            lanes[lane] = combine(lanes[lane], group[lane]);
        }
    }
    // Halves onto each other: a short row would spend its time on its lanes, one after the other.
    for lane in 0..WIDE / 2 {
        lanes[lane] = combine(lanes[lane], lanes[lane + WIDE / 2]);
    }
    let mut half = [identity; LANES];
    for lane in 0..LANES {
        half[lane] = combine(lanes[lane], lanes[lane + LANES]);
    }
    rest.iter().fold(across(&mut half, &combine), |best, &x| combine(best, x))
}

/// Sums of rows: windows of all rows at once where they fill their rows, else row by row.
#[inline(always)]
fn sum_rows<T: Float>(values: &[T], mut length: usize, result: &mut [T]) {
    let mut sums = Vec::new();
    while length > WINDOW && length.is_multiple_of(WINDOW) {
        let from = if sums.is_empty() { values } else { &sums };
        let mut windows = vec![T::ZERO; from.len() / WINDOW];
        equal_windows(from, WINDOW, &mut windows);
        sums = windows;
        length /= WINDOW;
    }
    let values = if sums.is_empty() { values } else { &sums };
    if length <= WINDOW {
        equal_windows(values, length, result);
    } else {
        values.chunks_exact(length).zip(result).for_each(|(row, result)| *result = sum_row(row));
    }
}

/// Sums of windows of up to [`WINDOW`] elements that lie one behind the other. Sixteen at a time are laid side by side,
/// so that each of them is added from its first element to its last.
#[inline(always)]
fn equal_windows<T: Float>(values: &[T], width: usize, result: &mut [T]) {
    match width {
        2 => return short_windows::<T, 2>(values, result),
        3 => return short_windows::<T, 3>(values, result),
        4 => return short_windows::<T, 4>(values, result),
        _ => {}
    }
    if width <= LANES && T::short_rows(Combine::Sum, values, width, &mut result[..values.len() / width]) {
        return;
    }
    // Sums of some groups beside each other: each has to wait for its last addition before the next.
    const GROUPS: usize = 4;
    // (Made where it is needed: to clear it takes longer than the sums of some windows.)
    let mut turned: Option<[[[T; LANES]; WINDOW]; GROUPS]> = None;
    let windows = values.len() / width;
    let (values, rest) = values.split_at(windows / LANES * LANES * width);
    let (whole, last) = result[..windows].split_at_mut(windows / LANES * LANES);
    for (groups, result) in values.chunks(GROUPS * LANES * width).zip(whole.chunks_mut(GROUPS * LANES)) {
        if width == WINDOW {
            result.fill(T::ZERO);
            if T::add_windows(groups, result) {
                continue;
            }
        }
        let turned = match &mut turned {
            Some(turned) => turned,
            none => none.insert([[[T::ZERO; LANES]; WINDOW]; GROUPS]),
        };
        for (group, turned) in groups.chunks_exact(LANES * width).zip(&mut *turned) {
            turn_windows(group, width, turned);
        }
        let mut lanes = [[T::ZERO; LANES]; GROUPS];
        for place in 0..width {
            // One group after the other, written out: in a loop over them the compiler would gather elements from all.
            add(&mut lanes[0], &turned[0], place);
            add(&mut lanes[1], &turned[1], place);
            add(&mut lanes[2], &turned[2], place);
            add(&mut lanes[3], &turned[3], place);
        }
        // Those of groups that are not there are nobody's.
        result.copy_from_slice(&lanes.as_flattened()[..result.len()]);
    }
    if last.len() < 2 {
        for (window, result) in rest.chunks_exact(width).zip(last) {
            *result = window.iter().fold(T::ZERO, |sum, &x| sum.plus(x));
        }
        return;
    }
    match width {
        0..=LANES => few_windows::<T, LANES>(rest, width, last),
        _ => few_windows::<T, WINDOW>(rest, width, last),
    }
}

/// Sums of fewer than sixteen windows of up to `MOST` elements, beside each other.
#[inline(always)]
fn few_windows<T: Float, const MOST: usize>(values: &[T], width: usize, result: &mut [T]) {
    if width == WINDOW {
        // Of sixteen, the last of which are nobody's, where that is done in registers.
        let (mut windows, mut sums) = ([T::ZERO; LANES * WINDOW], [T::ZERO; LANES]);
        windows[..values.len()].copy_from_slice(values);
        if T::add_windows(&windows, &mut sums) {
            result.copy_from_slice(&sums[..result.len()]);
            return;
        }
    }
    let mut turned = [[T::ZERO; LANES]; MOST];
    for (lane, window) in values.chunks_exact(width).enumerate() {
        for (turned, &x) in turned.iter_mut().zip(window) {
            turned[lane] = x;
        }
    }
    let mut lanes = [T::ZERO; LANES];
    for column in &turned[..width] {
        // (Sums that are new each time stay in registers.)
        let mut next = [T::ZERO; LANES];
        for lane in 0..LANES {
            next[lane] = lanes[lane].plus(column[lane]);
        }
        lanes = next;
    }
    result.copy_from_slice(&lanes[..result.len()]);
}

/// Sums of windows of a few elements, which are not worth to be laid side by side.
#[inline(always)]
fn short_windows<T: Float, const WIDTH: usize>(values: &[T], result: &mut [T]) {
    let (groups, rest) = values.as_chunks::<WIDTH>().0.as_chunks::<LANES>();
    let (whole, last) = result.as_chunks_mut::<LANES>();
    for (group, result) in groups.iter().zip(whole) {
        let mut sums = [T::ZERO; LANES];
        #[expect(clippy::needless_range_loop, reason = "each window has an element at the place")]
        for place in 0..WIDTH {
            for lane in 0..LANES {
                sums[lane] = sums[lane].plus(group[lane][place]);
            }
        }
        *result = sums;
    }
    for (window, result) in rest.iter().zip(last) {
        *result = window.iter().fold(T::ZERO, |sum, &x| sum.plus(x));
    }
}

/// Adds the elements of one place of sixteen windows.
#[inline(always)]
fn add<T: Float>(sums: &mut [T; LANES], turned: &[[T; LANES]; WINDOW], place: usize) {
    for lane in 0..LANES {
        sums[lane] = sums[lane].plus(turned[place][lane]);
    }
}

/// Lays windows of up to [`WINDOW`] elements side by side.
#[inline(always)]
fn turn_windows<T: Float>(group: &[T], width: usize, turned: &mut [[T; LANES]; WINDOW]) {
    if let Ok(windows) = <&[T; LANES * WINDOW]>::try_from(group) {
        T::turn(windows, turned);
        return;
    }
    for lane in 0..LANES {
        let window = &group[lane * width..(lane + 1) * width];
        for place in 0..width {
            turned[place][lane] = window[place];
        }
    }
}

/// Windows of elements from the front, centred; then windows of their sums, until one is left.
#[inline(always)]
fn sum_row<T: Float>(row: &[T]) -> T {
    if row.len() <= WINDOW {
        return row.iter().fold(T::ZERO, |sum, &x| sum.plus(x));
    }
    let mut sums = window_sums(row);
    while sums.len() > WINDOW {
        sums = window_sums(&sums);
    }
    sums.iter().fold(T::ZERO, |sum, &x| sum.plus(x))
}

#[inline(always)]
fn window_sums<T: Float>(row: &[T]) -> Vec<T> {
    let windows = row.len().div_ceil(WINDOW);
    let before = (windows * WINDOW - row.len()) / 2;
    let mut sums = Vec::with_capacity(windows);
    let first = WINDOW - before;
    sums.push(row[..first].iter().fold(T::ZERO, |sum, &x| sum.plus(x)));
    let whole = (row.len() - first) / WINDOW;
    let (windows, rest) = row[first..].split_at(whole * WINDOW);
    sums.resize(1 + whole, T::ZERO);
    equal_windows(windows, WINDOW, &mut sums[1..]);
    if !rest.is_empty() {
        sums.push(rest.iter().fold(T::ZERO, |sum, &x| sum.plus(x)));
    }
    sums
}

/// Combines the middle one of three axes, (outer, length, inner), into `result` of (outer, inner).
pub(super) fn middle<T: Float>(combine: Combine, values: &[T], [outer, length, inner]: [usize; 3], result: &mut [T]) {
    let slab = length * inner;
    // (Stretches of columns begin within the first row.)
    let columns = |values: &[T], result: &mut [T]| down(combine, values, inner, values.len().div_ceil(inner), result);
    let slabs = |values: &[T], result: &mut [T]| match (inner, combine) {
        (1, Combine::Product) => product_rows(values, length, result),
        (1, _) => rows(combine, values, length, result),
        _ => {
            let slabs = values.chunks_exact(slab).zip(result.chunks_exact_mut(inner)).take(outer);
            slabs.for_each(|(values, result)| columns(values, result));
        }
    };
    let in_any_order = matches!(combine, Combine::Max | Combine::Min);
    by_slabs(values, [length, inner], result, in_any_order, slabs, columns);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums in order, of floats some of which are taken for zero, where windows are short, few, or lie in the innermost cache.
    #[test]
    fn sums_of_short_rows_and_of_near_columns_are_those_in_order() {
        let value = |i: usize| if i.is_multiple_of(13) { 3e-39 } else { (i * 37 % 101) as f32 * 0.31 - 15.5 };
        let values: Vec<f32> = (0..40 * 31 * 64).map(value).collect();
        let in_order = |numbers: &mut dyn Iterator<Item = f32>| numbers.fold(0.0f32, |sum, x| sum.plus(x)).to_bits();
        let bits = |found: &[f32]| -> Vec<u32> { found.iter().map(|x| x.to_bits()).collect() };
        for rows in [1, 2, 7, 15, 16, 17, 31, 40] {
            for length in 1..=31 {
                let values = &values[..rows * length];
                let mut found = vec![-1.0; rows];
                middle(Combine::Sum, values, [rows, length, 1], &mut found);
                let expected: Vec<u32> = values.chunks(length).map(|row| in_order(&mut row.iter().copied())).collect();
                assert_eq!(bits(&found), expected, "{rows} rows of {length}");
            }
        }
        for (count, width) in [(2, 32), (16, 64), (31, 64), (5, 33), (3, 4096)] {
            let values = &values[..count * width];
            let column = |column: usize| values.iter().skip(column).step_by(width).copied();
            let mut found = vec![-1.0; width];
            middle(Combine::Sum, values, [1, count, width], &mut found);
            let expected: Vec<u32> = (0..width).map(|place| in_order(&mut column(place))).collect();
            assert_eq!(bits(&found), expected, "{count} rows of {width}, added");
            middle(Combine::Max, values, [1, count, width], &mut found);
            let most = |place: usize| column(place).fold(f32::NEG_INFINITY, Float::maximum).to_bits();
            assert_eq!(bits(&found), (0..width).map(most).collect::<Vec<_>>(), "{count} rows of {width}, the greatest");
        }
    }

    /// NaN of either sign, infinities, zeros of both signs and what is taken for them, at every place of short rows.
    #[test]
    fn extremes_of_short_rows_are_those_of_the_elements_in_order() {
        let odd = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e-40, -1e-40];
        let value = |i: usize| match i * 31 % 97 {
            place if place < odd.len() => odd[place],
            place if i.is_multiple_of(5) => odd[4 + place % 4],
            place => (place as f32 - 50.5) * if i.is_multiple_of(3) { 1e-39 } else { 1.0 },
        };
        let values: Vec<f32> = (0..40 * 16).map(value).collect();
        let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        for count in [1, 3, 16, 17, 40] {
            for length in 1..=16 {
                // Also where no row has a NaN.
                for first in [0.0, f32::NAN] {
                    let known = |&x: &f32| if first == 0.0 && x.is_nan() { first } else { x };
                    let values: Vec<f32> = values[..count * length].iter().map(known).collect();
                    let mut found = vec![-1.0; count];
                    for (combine, start, one) in [
                        (Combine::Max, f32::NEG_INFINITY, Float::maximum as fn(f32, f32) -> f32),
                        (Combine::Min, f32::INFINITY, Float::minimum),
                    ] {
                        middle(combine, &values, [count, length, 1], &mut found);
                        for (row, found) in values.chunks(length).zip(&found) {
                            let best = row.iter().fold(start, |best, &x| one(best, x));
                            assert!(same(*found, best), "{found} is not {best}: {row:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn extremes_of_rows_are_those_of_the_elements_in_order() {
        let usual: Vec<f32> = (0..131).map(|i| (i * 37 % 101) as f32 - 50.5).collect();
        let tiny = [0.0, -0.0, 1e-40, -1e-40];
        let mut rows: Vec<Vec<f32>> = vec![usual.clone(), vec![-3.0; 131], vec![f32::NEG_INFINITY; 131]];
        for place in [0, 5, 64, 127, 130] {
            for odd in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40] {
                let mut row = usual.clone();
                row[place] = odd;
                rows.push(row);
            }
            // Nothing but zeros and what is taken for zero, below or above all others.
            for (sign, start) in [(1.0, 0), (-1.0, 0), (1.0, 1), (-1.0, 3)] {
                let mut row: Vec<f32> = (0..131).map(|i| sign * (1 + i) as f32).collect();
                row[place] = tiny[start];
                row[(place + 70) % 131] = tiny[(start + 1) % 4];
                rows.push(row);
            }
        }
        let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        // All together, and each alone.
        let groups: Vec<Vec<Vec<f32>>> = rows.iter().map(|row| vec![row.clone()]).chain([rows.clone()]).collect();
        for rows in groups {
            let mut found = vec![0.0; rows.len()];
            middle(Combine::Max, &rows.concat(), [rows.len(), 131, 1], &mut found);
            for (row, found) in rows.iter().zip(&found) {
                let most = row.iter().fold(f32::NEG_INFINITY, |best, &x| Float::maximum(best, x));
                assert!(same(*found, most), "{found} is not {most}: {row:?}");
            }
            middle(Combine::Min, &rows.concat(), [rows.len(), 131, 1], &mut found);
            for (row, found) in rows.iter().zip(&found) {
                let least = row.iter().fold(f32::INFINITY, |best, &x| Float::minimum(best, x));
                assert!(same(*found, least), "{found} is not {least}: {row:?}");
            }
        }
    }
}
