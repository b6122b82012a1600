//! Additions to computed positions, which kernels do by the million: histograms, bins, sums by segment.
//! Only `float32` and `int32`; other dtypes and operations are done one by one by [`super::scatter_flat`].
//!
//! A processor adds to an element that it has added to just now only when that one has been written, which takes five cycles and more where
//! one would do. Integers may be added in any order, so that neighbours among the positions count into tables of their own, which
//! are added up in the end. Sums of floats have an order, and take the time.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::ops::number::Float;

/// Tables that neighbouring positions take in turn.
const TABLES: usize = 8;
/// As many elements as tables may have for all of them to stay in the innermost cache.
const LONGEST: usize = 2048;
/// So many more positions than elements there have to be, that clearing and adding up is little beside counting.
const POSITIONS: usize = 2 * TABLES;

/// Adds an update to the element at each position, or one update to all of them; positions outside are skipped. False, and nothing
/// done, if the dtype is none of those known here.
pub(super) fn add<P: Copy + Into<i64>>(array: &mut Array, positions: &[P], updates: &Array) -> bool {
    match (array.make_mut(), updates.buffer()) {
        (Buffer::F32(target), Buffer::F32(updates)) => in_order(target, positions, updates, Float::add),
        (Buffer::I32(target), Buffer::I32(updates)) => {
            if target.len() <= LONGEST && positions.len() / POSITIONS >= target.len() {
                in_tables(target, positions, updates);
            } else {
                in_order(target, positions, updates, i32::wrapping_add);
            }
        }
        _ => return false,
    }
    true
}

/// A position as an index: negative ones are past every end, so that one comparison tells.
fn index<P: Into<i64>>(position: P) -> u64 {
    position.into() as u64
}

fn in_order<P: Copy + Into<i64>, T: Copy>(target: &mut [T], positions: &[P], updates: &[T], add: impl Fn(T, T) -> T) {
    let length = target.len() as u64;
    let mut put = |position: P, update: T| {
        let index = index(position);
        if index < length {
            target[index as usize] = add(target[index as usize], update);
        }
    };
    match *updates {
        [update] => positions.iter().for_each(|&position| put(position, update)),
        _ => positions.iter().zip(updates).for_each(|(&position, &update)| put(position, update)),
    }
}

fn in_tables<P: Copy + Into<i64>>(target: &mut [i32], positions: &[P], updates: &[i32]) {
    // What is outside goes to an element behind the others, which nobody reads.
    let mut tables = vec![[0_i32; TABLES]; target.len() + 1];
    let factor = match *updates {
        // Where all updates are the same, positions are counted, and the counts multiplied.
        [update] => {
            count(&mut tables, positions);
            update
        }
        _ => {
            sum_up(&mut tables, positions, updates);
            1
        }
    };
    for (element, table) in target.iter_mut().zip(&tables) {
        let sum = table.iter().fold(0_i32, |sum, &part| sum.wrapping_add(part));
        *element = element.wrapping_add(sum.wrapping_mul(factor));
    }
}

/// How often each position comes; the last element counts those that are outside of the others.
fn count<P: Copy + Into<i64>>(tables: &mut [[i32; TABLES]], positions: &[P]) {
    // (Seeing that nothing is beyond the last one, the compiler leaves bounds unchecked.)
    let Some(last) = tables.len().checked_sub(1) else { return };
    let mut put = |position: P, table: usize| {
        let counter = &mut tables[index(position).min(last as u64) as usize][table];
        *counter = counter.wrapping_add(1);
    };
    let (groups, rest) = positions.as_chunks::<TABLES>();
    for group in groups {
        for (table, &position) in group.iter().enumerate() {
            put(position, table);
        }
    }
    rest.iter().for_each(|&position| put(position, 0));
}

/// The sum of the updates of each position, as `count` counts them.
fn sum_up<P: Copy + Into<i64>>(tables: &mut [[i32; TABLES]], positions: &[P], updates: &[i32]) {
    let Some(last) = tables.len().checked_sub(1) else { return };
    for (number, (&position, &update)) in positions.iter().zip(updates).enumerate() {
        let sum = &mut tables[index(position).min(last as u64) as usize][number % TABLES];
        *sum = sum.wrapping_add(update);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of all kinds: outside on both sides, one again and again, and all over the place.
    fn positions(count: usize, length: i64) -> Vec<i64> {
        (0..count as i64).map(|n| if n % 3 == 0 { 5 } else { n * 7919 % (length + 9) - 4 }).collect()
    }

    #[test]
    fn tables_count_what_one_after_the_other_counts() {
        for (count, length) in [(64, 8), (1000, 16), (1003, 32), (4097, 256), (9, 1)] {
            let positions = positions(count, length as i64);
            let updates: Vec<i32> = (0..count as i32).map(|n| n.wrapping_mul(0x9E37_79B9_u32 as i32)).collect();
            let begin: Vec<i32> = (0..length).map(|n: i32| n.wrapping_mul(1_000_003)).collect();
            for updates in [&updates[..], &updates[1..2]] {
                let (mut by_tables, mut in_turn) = (begin.clone(), begin.clone());
                in_tables(&mut by_tables, &positions, updates);
                in_order(&mut in_turn, &positions, updates, i32::wrapping_add);
                assert_eq!(by_tables, in_turn, "{count} positions into {length}, {} updates", updates.len());
            }
        }
    }
}
