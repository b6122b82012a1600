//! The threefry-2x32 counter-based generator, and keys made by it.

use crate::array::{Array, reserve};
use crate::buffer::{Buffer, Element};
use crate::dtype::DType;
use crate::error::OpError;
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

/// One block for each element of a shape, its flat index the counter.
fn blocks(key: Key, size: usize) -> impl Iterator<Item = [u32; 2]> {
    (0..size as u64).map(move |index| threefry_block(key, [(index >> 32) as u32, index as u32]))
}

/// The keys of `jax.random.split(key, shape)`.
///
/// # Errors
/// [`OpError::TooLarge`].
pub fn split(key: Key, shape: impl Into<Shape>) -> Result<Array, OpError> {
    let shape = shape.into();
    let mut keys = reserve(&shape)?;
    keys.extend(blocks(key, shape.size()));
    Ok(Array::from_parts(DType::Key, shape, Buffer::Key(keys)))
}

/// Uniform random bits as unsigned integers of 8, 16, 32 or 64 bits, as `jax.random.bits`.
///
/// # Errors
/// For other widths, and [`OpError::TooLarge`].
pub fn bits(key: Key, bit_width: u32, shape: impl Into<Shape>) -> Result<Array, OpError> {
    fn all<T: Element>(key: Key, shape: Shape, narrow: impl Fn([u32; 2]) -> T) -> Result<Array, OpError> {
        let mut result = reserve(&shape)?;
        result.extend(blocks(key, shape.size()).map(narrow));
        Ok(Array::from_parts(T::DTYPE, shape, T::wrap(result)))
    }
    let shape = shape.into();
    match bit_width {
        8 => all(key, shape, |[left, right]| (left ^ right) as u8),
        16 => all(key, shape, |[left, right]| (left ^ right) as u16),
        32 => all(key, shape, |[left, right]| left ^ right),
        64 => all(key, shape, |[left, right]| u64::from(left) << 32 | u64::from(right)),
        _ => Err(OpError::argument(
            "random_bits",
            format!("requires 8-, 16-, 32- or 64-bit field width, got {bit_width}"),
        )),
    }
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
}
