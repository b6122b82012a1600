//! The middle one of three axes, (outer, length, inner), combined by several threads: each takes some slabs, of (length, inner), or some
//! columns of one where slabs are large.

use crate::lack::collected;
use crate::ops::turn::LANES;
use crate::threads::{LARGE, PART, available, portion, spread};

/// Columns that a thread takes at a time: what they come to stays in the innermost cache.
const STRETCH: usize = 512;
/// Columns that what rows come to stays in the innermost cache for, if they are all taken at once.
const ALL: usize = 8192;
/// Rows that are at least combined to one, of those that threads combine apart from each other, and times that each thread does so.
const ROWS: usize = 16;
const TIMES: usize = 4;

/// Has `slabs` combine whole slabs, in numbers that fill registers where there are many, or `columns` some columns of one, which begin at
/// the first value and lie `inner` elements apart.
pub(in crate::ops) fn by_slabs<T: Send + Sync>(
    values: &[T],
    [length, inner]: [usize; 2],
    result: &mut [T],
    slabs: impl Fn(&[T], &mut [T]) + Sync,
    columns: impl Fn(&[T], &mut [T]) + Sync,
) {
    let slab = length * inner;
    if values.len() < LARGE {
        return slabs(values, result);
    }
    if inner == 1 || slab <= PART {
        let some = LANES * portion(LANES * slab, values.len());
        let jobs = values.chunks(some * slab).zip(result.chunks_mut(some * inner)).collect();
        spread(jobs, |(values, result)| slabs(values, result));
        return;
    }
    let pairs = values.chunks_exact(slab).zip(result.chunks_exact_mut(inner));
    let stretches = pairs.flat_map(|(values, result)| {
        let stretches = result.chunks_mut(STRETCH).enumerate();
        stretches.map(move |(number, result)| (&values[number * STRETCH..], result))
    });
    spread(stretches.collect(), |(values, result)| columns(values, result));
}

/// The same where rows may be combined in any order: large slabs are cut between rows then, so that memory is read as it lies, and what the parts
/// come to is combined at last.
pub(in crate::ops) fn in_any_order<T: Copy + Send + Sync>(
    values: &[T],
    [length, inner]: [usize; 2],
    result: &mut [T],
    slabs: impl Fn(&[T], &mut [T]) + Sync,
    columns: impl Fn(&[T], &mut [T]) + Sync,
) {
    let slab = length * inner;
    let several = (available() * TIMES).div_ceil(result.len() / inner);
    let rows = length.div_ceil(several).max(ROWS);
    if values.len() < LARGE || !(2..=ALL).contains(&inner) || slab <= PART || rows >= length {
        return by_slabs(values, [length, inner], result, slabs, columns);
    }
    let parts = length.div_ceil(rows);
    let mut combined = collected(std::iter::repeat_n(values[0], result.len() * parts));
    let of_slabs = values.chunks_exact(slab).zip(combined.chunks_exact_mut(parts * inner));
    let jobs =
        of_slabs.flat_map(|(values, combined)| values.chunks(rows * inner).zip(combined.chunks_exact_mut(inner)));
    spread(jobs.collect(), |(values, combined)| columns(values, combined));
    combined
        .chunks_exact(parts * inner)
        .zip(result.chunks_exact_mut(inner))
        .for_each(|(parts, result)| columns(parts, result));
}
