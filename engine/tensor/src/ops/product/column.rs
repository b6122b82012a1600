//! Products with a matrix of one column: some rows go through beside each other, one multiply-add after the other along each. Of a
//! panel that is as wide as others all columns but one would be computed in vain.

use super::Onto;
use super::kernel::Rows;
use super::numbers::Product;
use crate::isa::for_each_isa;

/// Rows beside each other: as many as a processor has additions under way.
const BESIDE: usize = 8;

for_each_isa! {
/// One element of the result for each row of the left factor.
pub(super) fn column<F, T: Product>(result: &mut [T], left: Rows<'_, T>, right: &[T], onto: Onto) {
    for (number, result) in result.chunks_mut(BESIDE).enumerate() {
        let last = result.len() - 1;
        // The last row again where there are fewer. All of one length, which the compiler sees here.
        let mut rows = [&left.elements[..0]; BESIDE];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = &left.row(number * BESIDE + i.min(last))[..right.len()];
        }
        let mut sums = [T::default(); BESIDE];
        if onto == Onto::Sums {
            sums[..=last].copy_from_slice(result);
        }
        for (k, &y) in right.iter().enumerate() {
            for i in 0..BESIDE {
                sums[i] = T::multiply_add::<F>(rows[i][k], y, sums[i]);
            }
        }
        match onto {
            Onto::Addend => result.iter_mut().zip(sums).for_each(|(result, sum)| *result = result.added(sum)),
            _ => result.copy_from_slice(&sums[..=last]),
        }
    }
}
}
