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
/// the first value and lie `inner` elements apart: all rows of them, or some where that may be done `in_any_order`. Then large slabs are cut
/// between rows, so that memory is read as it lies, and what the parts come to is combined at last.
pub(in crate::ops) fn by_slabs<T: Copy + Send + Sync>(
    values: &[T],
    [length, inner]: [usize; 2],
    result: &mut [T],
    in_any_order: bool,
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
    let rows = length.div_ceil((available() * TIMES).div_ceil(result.len() / inner)).max(ROWS);
    if in_any_order && inner <= ALL && rows < length {
        let parts = length.div_ceil(rows) * inner;
        let mut combined = collected(std::iter::repeat_n(values[0], result.len() / inner * parts));
        let pairs = values.chunks_exact(slab).zip(combined.chunks_exact_mut(parts));
        let jobs = pairs.flat_map(|(values, parts)| values.chunks(rows * inner).zip(parts.chunks_exact_mut(inner)));
        spread(jobs.collect(), |(values, part)| columns(values, part));
        let pairs = combined.chunks_exact(parts).zip(result.chunks_exact_mut(inner));
        pairs.for_each(|(parts, result)| columns(parts, result));
        return;
    }
    let pairs = values.chunks_exact(slab).zip(result.chunks_exact_mut(inner));
    let stretches = pairs.flat_map(|(values, result)| {
        let stretches = result.chunks_mut(STRETCH).enumerate();
        stretches.map(move |(number, result)| (&values[number * STRETCH..], result))
    });
    spread(stretches.collect(), |(values, result)| columns(values, result));
}
