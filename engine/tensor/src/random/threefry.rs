//! The threefry-2x32 counter-based generator, and keys made by it.

use std::ops::Range;

use crate::array::{Array, reserve};
use crate::buffer::Element;
use crate::deferred::by_stretches;
use crate::error::OpError;
use crate::isa::for_each_isa;
use crate::shape::Shape;

/// A key: two words.
type Key = [u32; 2];

const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];

/// Encrypts one counter of two words: 20 rounds, the key mixed in after every four.
pub fn threefry_block(key: Key, counter: [u32; 2]) -> [u32; 2] {
    let schedule = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD1_1BDA];
    let [mut left, mut right] = counter;
    left = left.wrapping_add(schedule[0]);
    right = right.wrapping_add(schedule[1]);
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            left = left.wrapping_add(right);
            right = right.rotate_left(rotation) ^ left;
        }
        left = left.wrapping_add(schedule[(group + 1) % 3]);
        right = right.wrapping_add(schedule[(group + 2) % 3]).wrapping_add(group as u32 + 1);
    }
    [left, right]
}

/// Encrypts an array of counters as JAX pairs them: first half with second half, an odd one with 0.
pub fn threefry_2x32(key: Key, counts: &[u32]) -> Vec<u32> {
    let half = counts.len().div_ceil(2);
    let mut left = Vec::with_capacity(2 * half);
    let mut right = Vec::with_capacity(half);
    for index in 0..half {
        let second = counts.get(half + index).copied().unwrap_or(0);
        let [first, second] = threefry_block(key, [counts[index], second]);
        left.push(first);
        right.push(second);
    }
    left.append(&mut right);
    left.truncate(counts.len());
    left
}

/// The key of `jax.random.key(seed)`.
///
/// Without `x64` JAX cuts the seed to 32 bits, which leaves the first word zero.
pub fn seed(seed: i64, x64: bool) -> Key {
    let low = seed as u32;
    if x64 { [(seed as u64 >> 32) as u32, low] } else { [0, low] }
}

/// The key of `jax.random.fold_in(key, data)`.
pub fn fold_in(key: Key, data: u32) -> Key {
    threefry_block(key, [0, data])
}

for_each_isa! {
/// One block for each element, its flat index the counter: those from `start` on. Rounds go over all lanes at once.
fn blocks<F>(key: Key, start: u64, left: &mut [u32; LANES], right: &mut [u32; LANES]) {
    for lane in 0..LANES {
        let counter = start + lane as u64;
        (left[lane], right[lane]) = ((counter >> 32) as u32, counter as u32);
    }
    let schedule = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD1_1BDA];
    for lane in 0..LANES {
        left[lane] = left[lane].wrapping_add(schedule[0]);
        right[lane] = right[lane].wrapping_add(schedule[1]);
    }
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            for lane in 0..LANES {
                left[lane] = left[lane].wrapping_add(right[lane]);
                right[lane] = right[lane].rotate_left(rotation) ^ left[lane];
            }
        }
        let (first, second) = (schedule[(group + 1) % 3], schedule[(group + 2) % 3].wrapping_add(group as u32 + 1));
        for lane in 0..LANES {
            left[lane] = left[lane].wrapping_add(first);
            right[lane] = right[lane].wrapping_add(second);
        }
    }
}
}

/// Blocks that are computed side by side.
const LANES: usize = 64;

/// The blocks of some elements, as `narrow` makes one value of the two words.
fn elements<T: Element>(key: Key, range: Range<usize>, narrow: impl Fn(u32, u32) -> T) -> Result<Array, OpError> {
    let shape = Shape::from([range.len()]);
    let mut result = reserve(&shape)?;
    let (mut left, mut right) = ([0; LANES], [0; LANES]);
    for start in range.clone().step_by(LANES) {
        blocks(key, start as u64, &mut left, &mut right);
        let pairs = left.iter().zip(&right).take(range.end - start);
        result.extend(pairs.map(|(&left, &right)| narrow(left, right)));
    }
    Ok(Array::from_parts(T::DTYPE, shape, T::wrap(result)))
}

/// The keys of `jax.random.split(key, shape)`.
///
/// # Errors
/// [`OpError::TooLarge`].
pub fn split(key: Key, shape: impl Into<Shape>) -> Result<Array, OpError> {
    by_stretches(shape, move |range| elements(key, range, |left, right| [left, right]))
}

/// Uniform random bits as unsigned integers of 8, 16, 32 or 64 bits, as `jax.random.bits`.
///
/// # Errors
/// For other widths, and [`OpError::TooLarge`].
pub fn bits(key: Key, bit_width: u32, shape: impl Into<Shape>) -> Result<Array, OpError> {
    by_stretches(shape, move |range| match bit_width {
        8 => elements(key, range, |left, right| (left ^ right) as u8),
        16 => elements(key, range, |left, right| (left ^ right) as u16),
        32 => elements(key, range, |left, right| left ^ right),
        64 => elements(key, range, |left, right| u64::from(left) << 32 | u64::from(right)),
        _ => Err(OpError::argument(
            "random_bits",
            format!("requires 8-, 16-, 32- or 64-bit field width, got {bit_width}"),
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of the Random123 distribution, which JAX tests against as well.
    #[test]
    fn known_answers() {
        assert_eq!(threefry_block([0, 0], [0, 0]), [0x6b20_0159, 0x99ba_4efe]);
        let ones = u32::MAX;
        assert_eq!(threefry_block([ones, ones], [ones, ones]), [0x1cb9_96fc, 0xbb00_2be7]);
        assert_eq!(threefry_block([0x1319_8a2e, 0x0370_7344], [0x243f_6a88, 0x85a3_08d3]), [0xc492_3a9c, 0x483d_f7a0]);
    }
    /// What is computed in lanes, in stretches, on several threads, and put off is what is computed block by block.
    #[test]
    fn stretches_are_the_blocks_one_by_one() {
        let key = [7, 9];
        for size in [1, 63, 64, 65, 1000, (1 << 18) + 77] {
            let now = bits(key, 32, [size]).expect("fits");
            let later = crate::deferring(|| bits(key, 32, [size])).expect("fits");
            assert_eq!(now, later);
            for (place, &word) in now.elements::<u32>().expect("words").iter().enumerate() {
                let [left, right] = threefry_block(key, [0, place as u32]);
                assert_eq!(word, left ^ right, "element {place} of {size}");
            }
        }
    }
}
