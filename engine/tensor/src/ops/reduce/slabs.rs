//! The middle one of three axes, (outer, length, inner), combined by several threads: each takes some slabs, of (length, inner), or some
//! columns of one where slabs are large.

use crate::ops::turn::LANES;
use crate::threads::{LARGE, PART, portion, spread};

/// Columns that a thread takes at a time: what they come to stays in the innermost cache.
const STRETCH: usize = 512;

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
