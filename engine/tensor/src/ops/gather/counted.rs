//! Additions to computed positions, which kernels do by the million: histograms, bins, sums by segment.
//! Only `float32` and `int32`; other dtypes and operations are done one by one by [`super::Scatter`].
//!
//! A processor adds to an element that it has added to just now only when that one has been written, which takes five cycles and more where
//! one would do. Integers may be added in any order, so that neighbours among the positions count into tables of their own, which
//! are added up in the end. Sums of floats have an order, and take the time.

use super::Position;
use crate::buffer::Buffer;
use crate::isa::for_each_isa;
use crate::ops::fused::lines;
use crate::ops::number::Float;

/// Tables that neighbours count into. More would have to be cleared and added up, and take as long where positions differ: an element is as
/// good as written when its table's turn comes again.
const TABLES: usize = 4;
/// So many more positions than elements there have to be for each table, that clearing and adding up is little beside counting.
const POSITIONS: usize = 2;
/// Positions that are looked at before they are counted: they stay in the innermost cache.
const CHUNK: usize = 2048;
/// Positions that are counted before more are asked for: as many for each table.
const PART: usize = 16;

/// Adds an update to the element at each position, or one update to all of them; positions outside are skipped. False, and nothing
/// done, if the dtype is none of those known here.
pub(super) fn add<P: Position>(target: &mut Buffer, positions: &[P], wraps: bool, updates: &Buffer) -> bool {
    match (target, updates) {
        (Buffer::F32(target), Buffer::F32(updates)) => in_order(target, positions, wraps, updates, Float::add),
        (Buffer::I32(target), Buffer::I32(updates)) => {
            let is_worth = positions.len() / POSITIONS >= target.len() * TABLES;
            match target.len() {
                0..=256 if is_worth => in_tables::<P, 256>(target, positions, wraps, updates),
                // All tables together take less than the innermost cache.
                0..=2048 if is_worth => in_tables::<P, 2048>(target, positions, wraps, updates),
                _ => in_order(target, positions, wraps, updates, i32::wrapping_add),
            }
        }
        _ => return false,
    }
    true
}

pub(super) fn in_order<P: Position, T: Copy>(
    target: &mut [T],
    positions: &[P],
    wraps: bool,
    updates: &[T],
    add: impl Fn(T, T) -> T,
) {
    let length = target.len();
    let mut put = |position: P, update: T| {
        if let Some(index) = position.within(length, wraps) {
            target[index] = add(target[index], update);
        }
    };
    match *updates {
        [update] => positions.iter().for_each(|&position| put(position, update)),
        _ => positions.iter().zip(updates).for_each(|(&position, &update)| put(position, update)),
    }
}

/// Sums of what came to each element, of some of the positions.
#[repr(C)]
struct Table<const N: usize> {
    sums: [i32; N],
    /// Keeps the same element of two tables from addresses that a processor takes for the same at first sight.
    apart: [i32; 16],
}

impl<const N: usize> Table<N> {
    const EMPTY: Table<N> = Table { sums: [0; N], apart: [0; 16] };

    /// Adds to an element that is known to be there: of the place only the bits are looked at that can be set.
    #[inline(always)]
    fn add<P: Position>(&mut self, position: P, update: i32) {
        let sum = &mut self.sums[position.low_bits() & (N - 1)];
        *sum = sum.wrapping_add(update);
    }
}

/// `N`, a power of two, is not less than there are elements.
fn in_tables<P: Position, const N: usize>(target: &mut [i32], positions: &[P], wraps: bool, updates: &[i32]) {
    let mut tables = [Table::<N>::EMPTY; TABLES];
    // Where all updates are the same, positions are counted, and the counts multiplied.
    let factor = match *updates {
        [update] => update,
        _ => 1,
    };
    let each = (updates.len() != 1).then_some(updates);
    for (number, chunk) in positions.chunks(CHUNK).enumerate() {
        let updates = each.map(|updates| &updates[number * CHUNK..][..chunk.len()]);
        if !P::all_within(chunk, target.len()) {
            let update = |number: usize| updates.map_or(1, |updates| updates[number]);
            let within = |&position: &P| position.within(target.len(), wraps);
            for (number, index) in chunk.iter().map(within).enumerate() {
                if let Some(index) = index {
                    tables[number % TABLES].add(index as i64, update(number));
                }
            }
            continue;
        }
        match updates {
            None => count(&mut tables, chunk),
            Some(updates) => sum(&mut tables, chunk, updates),
        }
    }
    let [first, others @ ..] = &mut tables[..] else { return };
    let length = target.len();
    others.iter().for_each(|other| add_up(&mut first.sums[..length], &other.sums[..length], 1));
    add_up(target, &first.sums[..length], factor);
}

/// How often each position comes, all of which are within.
fn count<P: Position, const N: usize>(tables: &mut [Table<N>; TABLES], positions: &[P]) {
    let (parts, rest) = positions.as_chunks::<PART>();
    for part in parts {
        // Counting leaves memory alone: what is looked at next is on its way meanwhile, also where it is the next block.
        lines::<_, false>(part, CHUNK as isize, PART);
        for group in part.as_chunks::<TABLES>().0 {
            for (table, &position) in tables.iter_mut().zip(group) {
                table.add(position, 1);
            }
        }
    }
    rest.iter().for_each(|&position| tables[0].add(position, 1));
}

/// The sums of the updates of each position, as `count` counts them.
fn sum<P: Position, const N: usize>(tables: &mut [Table<N>; TABLES], positions: &[P], updates: &[i32]) {
    let (groups, rest) = positions.as_chunks::<TABLES>();
    let (group_updates, rest_updates) = updates.as_chunks::<TABLES>();
    for (group, updates) in groups.iter().zip(group_updates) {
        for ((table, &position), &update) in tables.iter_mut().zip(group).zip(updates) {
            table.add(position, update);
        }
    }
    rest.iter().zip(rest_updates).for_each(|(&position, &update)| tables[0].add(position, update));
}

for_each_isa! {
    /// Adds so many times something.
    fn add_up<F>(sums: &mut [i32], others: &[i32], times: i32) {
        for (sum, &other) in sums.iter_mut().zip(others) {
            *sum = sum.wrapping_add(other.wrapping_mul(times));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of all kinds: outside on both sides, one again and again, and all over the place.
    fn positions(count: usize, length: i64) -> Vec<i64> {
        (0..count as i64).map(|n| if n % 3 == 0 { 5 } else { n * 7919 % (length + 9) - 4 }).collect()
    }

    fn compare<P: Position, const N: usize>(length: usize, positions: &[P], wraps: bool) {
        let updates: Vec<i32> = (0..positions.len() as i32).map(|n| n.wrapping_mul(0x9E37_79B9_u32 as i32)).collect();
        let begin: Vec<i32> = (0..length as i32).map(|n| n.wrapping_mul(1_000_003)).collect();
        for updates in [&updates[..], &updates[1..2]] {
            let (mut by_tables, mut in_turn) = (begin.clone(), begin.clone());
            in_tables::<P, N>(&mut by_tables, positions, wraps, updates);
            in_order(&mut in_turn, positions, wraps, updates, i32::wrapping_add);
            let how = (positions.len(), length, updates.len(), wraps);
            assert_eq!(by_tables, in_turn, "positions, elements, updates, wraps: {how:?}");
        }
    }

    #[test]
    fn tables_count_what_one_after_the_other_counts() {
        for (count, length) in [(64, 8), (1000, 16), (1003, 32), (4097, 256), (9, 1), (5000, 255)] {
            let some_outside = positions(count, length as i64);
            let all_within: Vec<i64> =
                some_outside.iter().map(|&position| position.rem_euclid(length as i64)).collect();
            for positions in [some_outside, all_within] {
                let narrow: Vec<i32> = positions.iter().map(|&position| position as i32).collect();
                for wraps in [false, true] {
                    compare::<i64, 256>(length, &positions, wraps);
                    compare::<i32, 256>(length, &narrow, wraps);
                    compare::<i32, 2048>(length, &narrow, wraps);
                }
            }
        }
    }

    /// Only one chunk of several has a position outside.
    #[test]
    fn a_position_far_outside_is_none_within() {
        let mut positions: Vec<i64> = (0..3 * CHUNK as i64).map(|n| n % 7).collect();
        positions[CHUNK + 3] = 1 << 40;
        positions[CHUNK + 4] = i64::MIN;
        for wraps in [false, true] {
            compare::<i64, 256>(7, &positions, wraps);
        }
    }
}
