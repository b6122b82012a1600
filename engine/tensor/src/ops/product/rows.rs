//! A product of matrices cut into rows: some for each thread, and twice where what is added has to be complete before.

use super::{Onto, Product};
use crate::threads::{available, spread};

/// How a product is cut.
pub(super) struct Cut {
    /// Rows that stay together.
    pub(super) height: usize,
    /// Inner elements that go through at once.
    pub(super) depth: usize,
    /// Multiplications that a thread is worth starting for.
    pub(super) share: usize,
}

/// Has `multiply` compute rows of a result, from a row on and in sizes (rows, inner, columns), on all cores that are available.
pub(super) fn by_rows<T: Product>(
    result: &mut [T],
    (rows, inner, columns): (usize, usize, usize),
    onto: Onto,
    cut: &Cut,
    multiply: impl Fn(&mut [T], usize, (usize, usize, usize), Onto) + Sync,
) {
    let some = |part: &mut [T], first: usize, rows: usize| {
        let sizes = (rows, inner, columns);
        if onto != Onto::Addend || inner <= cut.depth {
            return multiply(part, first, sizes, onto);
        }
        // What is added is complete only after several passes.
        let mut product = vec![T::default(); part.len()];
        multiply(&mut product, first, sizes, Onto::Nothing);
        part.iter_mut().zip(product).for_each(|(result, product)| *result = result.added(product));
    };
    let work = rows.saturating_mul(inner).saturating_mul(columns);
    let threads = available().min(work / cut.share).min(rows.div_ceil(cut.height)).max(1);
    if threads == 1 {
        return some(result, 0, rows);
    }
    let share = rows.div_ceil(threads).next_multiple_of(cut.height);
    let parts = result.chunks_mut(share * columns).enumerate().collect();
    spread(parts, |(number, part): (usize, &mut [T])| some(part, number * share, part.len() / columns));
}
