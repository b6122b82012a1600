//! Products of many rows, each with a row of its own: sums in order, several of them beside each other.

use crate::isa::for_each_isa;
use crate::ops::product::Product;
use crate::threads::{portion, spread};

/// Sums beside each other: as many as a processor has additions under way.
const BESIDE: usize = 8;

/// An element of the result for each row of `inner` elements of both factors.
pub(super) fn rows<T: Product>(result: &mut [T], left: &[T], right: &[T], inner: usize) {
    let some = BESIDE * portion(BESIDE * inner, left.len());
    let factors = left.chunks(some * inner).zip(right.chunks(some * inner));
    let jobs = result.chunks_mut(some).zip(factors).collect();
    spread(jobs, |(result, (left, right)): (&mut [T], (&[T], &[T]))| some_rows(result, left, right, inner));
}

for_each_isa! {
fn some_rows<F, T: Product>(result: &mut [T], left: &[T], right: &[T], inner: usize) {
    for (number, result) in result.chunks_mut(BESIDE).enumerate() {
        let last = result.len() - 1;
        // The last row again where there are fewer. All of one length, which the compiler sees here.
        let mut rows = [(&left[..0], &right[..0]); BESIDE];
        for (i, row) in rows.iter_mut().enumerate() {
            let start = (number * BESIDE + i.min(last)) * inner;
            *row = (&left[start..][..inner], &right[start..][..inner]);
        }
        let mut sums = [T::default(); BESIDE];
        for k in 0..inner {
            for i in 0..BESIDE {
                sums[i] = T::multiply_add::<F>(rows[i].0[k], rows[i].1[k], sums[i]);
            }
        }
        result.copy_from_slice(&sums[..=last]);
    }
}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_beside_each_other_have_the_sums_of_single_ones() {
        for (count, inner) in [(1, 5), (7, 100), (8, 1), (21, 33), (3000, 100)] {
            let value = |i: usize, seed: usize| ((i + seed) * 37 % 1001) as f32 * 0.37 - 185.0;
            let left: Vec<f32> = (0..count * inner).map(|i| value(i, 1)).collect();
            let right: Vec<f32> = (0..count * inner).map(|i| value(i, 500)).collect();
            let mut found = vec![0.0; count];
            rows(&mut found, &left, &right, inner);
            for (row, found) in found.into_iter().enumerate() {
                let pairs = left[row * inner..].iter().zip(&right[row * inner..]).take(inner);
                let expected = pairs.fold(0.0f32, |sum, (x, &y)| x.mul_add(y, sum));
                assert_eq!(found.to_bits(), expected.to_bits(), "row {row} of {count}, {inner}");
            }
        }
    }
}
