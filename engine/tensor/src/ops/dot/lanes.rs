//! Products with few columns, of which XLA adds several sums for an element and those together at the end.

use crate::isa::for_each_isa;
use crate::lack::collected;
use crate::ops::product::{Product, Strided};
use crate::threads::spread;

/// Columns up to which XLA on the CPU emits its own loops, which LLVM vectorises along the inner
/// dimension; wider products go to Eigen, which adds in order.
const OWN_LOOPS: usize = 16;

/// How many interleaved sums XLA keeps for one element of a product (observed with JAX 0.10.2 on
/// x86-64 with AVX-512); 1 means in order.
pub(super) fn lane_count(rows: usize, inner: usize, columns: usize) -> usize {
    match columns {
        1 if rows > 1 && inner.is_multiple_of(8) => 8,
        2..=OWN_LOOPS if rows > 1 && inner.is_multiple_of(4) => {
            let unrolled = inner == 4 && rows.max(columns) < 8;
            if unrolled { 1 } else { 4 }
        }
        _ => 1,
    }
}

/// Elements of the left factor that a thread takes at a time.
const PART: usize = 1 << 18;

/// The product: term `k` of an element goes to sum `k % lanes`, and neighbouring sums are added in pairs until one is left.
/// `lanes` is a power of two.
pub(super) fn in_lanes<T: Product>(
    result: &mut [T],
    left: Strided<'_, T>,
    right: Strided<'_, T>,
    (inner, columns): (usize, usize),
    lanes: usize,
) {
    if (lanes, columns, left.column) == (EIGHT, 1, 1) {
        let right: Vec<T> = collected((0..inner).map(|place| right.at(place, 0)));
        let rows = (PART / inner.max(1)).max(1);
        spread(result.chunks_mut(rows).enumerate().collect(), |(part, result): (usize, &mut [T])| {
            eight_lanes(result, Strided { elements: &left.elements[part * rows * left.row..], ..left }, &right);
        });
        return;
    }
    for (row, result) in result.chunks_exact_mut(columns).enumerate() {
        row_in_lanes(result, left, row, right, inner, lanes);
    }
}

/// The sums that one column has.
const EIGHT: usize = 8;

for_each_isa! {
/// Rows that lie in one piece each, times one column of a multiple of eight elements.
fn eight_lanes<F, T: Product>(result: &mut [T], left: Strided<'_, T>, right: &[T]) {
    for (row, result) in result.iter_mut().enumerate() {
        let left = &left.elements[row * left.row..][..right.len()];
        let mut sums = [T::default(); EIGHT];
        for (x, y) in left.as_chunks::<EIGHT>().0.iter().zip(right.as_chunks::<EIGHT>().0) {
            for lane in 0..EIGHT {
                sums[lane] = T::multiply_add::<F>(x[lane], y[lane], sums[lane]);
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        *result = ((a + b) + (c + d)) + ((e + f) + (g + h));
    }
}

/// One row of [`in_lanes`].
fn row_in_lanes<F, T: Product>(
    result: &mut [T],
    left: Strided<'_, T>,
    row: usize,
    right: Strided<'_, T>,
    inner: usize,
    lanes: usize,
) {
    let columns = result.len();
    let mut sums = vec![T::default(); lanes * columns];
    for k in 0..inner {
        let x = left.at(row, k);
        let lane = k % lanes * columns;
        let sums = sums[lane..lane + columns].iter_mut().enumerate();
        sums.for_each(|(column, sum)| *sum = T::multiply_add::<F>(x, right.at(k, column), *sum));
    }
    let mut count = lanes;
    while count > 1 {
        count /= 2;
        for lane in 0..count {
            for column in 0..columns {
                let first = sums[2 * lane * columns + column];
                let second = sums[(2 * lane + 1) * columns + column];
                sums[lane * columns + column] = first + second;
            }
        }
    }
    result.copy_from_slice(&sums[..columns]);
}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_lanes_of_one_column_are_those_of_any_number() {
        let value = |i: usize| (i as f32 * 0.37) % 5.0 - 2.4;
        for (rows, inner) in [(2, 8), (7, 1000), (1300, 512)] {
            let left: Vec<f32> = (0..rows * inner).map(value).collect();
            let right: Vec<f32> = (0..inner).map(|i| value(i * 3)).collect();
            let (left, right) =
                (Strided { elements: &left, row: inner, column: 1 }, Strided { elements: &right, row: 1, column: 1 });
            let mut expected = vec![0.0; rows];
            for (row, expected) in expected.iter_mut().enumerate() {
                row_in_lanes(std::slice::from_mut(expected), left, row, right, inner, EIGHT);
            }
            let mut found = vec![0.0; rows];
            in_lanes(&mut found, left, right, (inner, 1), EIGHT);
            assert_eq!(found, expected, "{rows} x {inner}");
        }
    }
}
