//! Rows in the order of one array, by unsigned integers that have the order of its elements; each carries its place, so that no two
//! are equal and of equals the first comes first.

use crate::array::Array;
use crate::buffer::{Buffer, Element};
use crate::dtype::DType;
use crate::error::OpError;
use crate::lack::collected;
use crate::ops::convert;
use crate::threads::spread;

/// Elements that a thread takes at a time.
const PART: usize = 1 << 15;

/// The places of the first `count` of each row of `length` elements, as positions in the array; the rows are innermost.
///
/// # Errors
/// For random keys.
pub(super) fn positions(
    array: &Array,
    (length, count): (usize, usize),
    descending: bool,
) -> Result<Vec<usize>, OpError> {
    let rows = (array.size().checked_div(length)).unwrap_or(0);
    let mut positions: Vec<usize> = collected(std::iter::repeat_n(0, rows * count));
    let result = &mut positions[..];
    let turn = if descending { u64::MAX } else { 0 };
    let short = |key: u32| key ^ turn as u32;
    let long = |key: u64| key ^ turn;
    match array.buffer() {
        Buffer::Bool(x) => by_short(x, length, count, |x| short(x.into()), result),
        Buffer::I8(x) => by_short(x, length, count, |x| short(signed(x.into())), result),
        Buffer::I16(x) => by_short(x, length, count, |x| short(signed(x.into())), result),
        Buffer::I32(x) => by_short(x, length, count, |x| short(signed(x)), result),
        Buffer::U8(x) if !array.dtype().is_float() => by_short(x, length, count, |x| short(x.into()), result),
        Buffer::U16(x) => by_short(x, length, count, |x| short(x.into()), result),
        Buffer::U32(x) => by_short(x, length, count, short, result),
        Buffer::F32(x) => by_short(x, length, count, |x| short(single(x)), result),
        Buffer::I64(x) => by_long(x, length, count, |x| long(x.cast_unsigned() ^ 1 << 63), result),
        Buffer::U64(x) => by_long(x, length, count, long, result),
        Buffer::F64(x) => by_long(x, length, count, |x| long(double(x)), result),
        // Exact in `f32`; keys are an error.
        Buffer::BF16(_) | Buffer::F16(_) | Buffer::U8(_) | Buffer::Key(_) => {
            let wide = convert(array, DType::F32)?;
            let x = <f32 as Element>::slice(wide.buffer()).unwrap_or_default();
            by_short(x, length, count, |x| short(single(x)), result);
        }
    }
    Ok(positions)
}

fn signed(x: i32) -> u32 {
    x.cast_unsigned() ^ 1 << 31
}

/// Orders as `lax.sort` does: -0 equals 0, and NaN of either sign comes last.
fn single(x: f32) -> u32 {
    let bits = (if x == 0.0 { 0.0 } else { x }).to_bits();
    match bits >> 31 {
        _ if x.is_nan() => u32::MAX,
        0 => bits | 1 << 31,
        _ => !bits,
    }
}

/// As [`single`].
fn double(x: f64) -> u64 {
    let bits = (if x == 0.0 { 0.0 } else { x }).to_bits();
    match bits >> 63 {
        _ if x.is_nan() => u64::MAX,
        0 => bits | 1 << 63,
        _ => !bits,
    }
}

fn by_short<T: Copy + Sync>(
    x: &[T],
    length: usize,
    count: usize,
    key: impl Fn(T) -> u32 + Sync,
    positions: &mut [usize],
) {
    if u32::try_from(length).is_err() {
        by_long(x, length, count, |x| key(x).into(), positions);
        return;
    }
    let pack = |x: T, place: usize| u64::from(key(x)) << 32 | place as u64;
    in_rows(x, length, count, pack, |packed| packed as u32 as usize, positions);
}

fn by_long<T: Copy + Sync>(
    x: &[T],
    length: usize,
    count: usize,
    key: impl Fn(T) -> u64 + Sync,
    positions: &mut [usize],
) {
    let pack = |x: T, place: usize| u128::from(key(x)) << 64 | place as u128;
    in_rows(x, length, count, pack, |packed| packed as u64 as usize, positions);
}

fn in_rows<T: Copy + Sync, K: Ord + Copy>(
    x: &[T],
    length: usize,
    count: usize,
    pack: impl Fn(T, usize) -> K + Sync,
    place: impl Fn(K) -> usize + Sync,
    positions: &mut [usize],
) {
    if length == 0 || count == 0 {
        return;
    }
    let rows = (PART / length).max(1);
    let jobs = x.chunks(rows * length).zip(positions.chunks_mut(rows * count)).enumerate().collect();
    spread(jobs, |(number, (x, positions)): (usize, (&[T], &mut [usize]))| {
        let mut keys: Vec<K> = Vec::new();
        for (row, (x, positions)) in x.chunks_exact(length).zip(positions.chunks_exact_mut(count)).enumerate() {
            let first = (number * rows + row) * length;
            let packed = x.iter().enumerate().map(|(place, &x)| pack(x, place));
            if keys.is_empty() {
                keys = collected(packed);
            } else {
                keys.iter_mut().zip(packed).for_each(|(key, packed)| *key = packed);
            }
            // A stable sort of the standard library's has memory of its own, and ends the process where there is none.
            if count < length {
                keys.select_nth_unstable(count);
            }
            keys[..count].sort_unstable();
            positions.iter_mut().zip(&keys).for_each(|(position, &key)| *position = first + place(key));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::sort::order;

    #[test]
    fn keys_order_as_comparisons_do() {
        let mut numbers: Vec<f32> = (0..4000).map(|i| ((i * 7919) % 211) as f32 - 100.0).collect();
        for (place, x) in
            [-0.0, 0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40].into_iter().enumerate()
        {
            numbers.splice(place * 301..place * 301 + 2, [x, x]);
        }
        let floats = Array::from_f32s([8, 500], &numbers).expect("as many");
        for dtype in DType::all().filter(|dtype| *dtype != DType::Key) {
            let array = convert(&floats, dtype).expect("numbers");
            // Two keys are compared.
            let expected = order(&[array.clone(), array.clone()], 500).expect("rows").positions;
            assert_eq!(positions(&array, (500, 500), false).expect("rows"), expected, "{dtype}");
            let all = positions(&array, (500, 500), true).expect("rows");
            let first = positions(&array, (500, 7), true).expect("rows");
            let expected: Vec<usize> = all.chunks(500).flat_map(|row| row[..7].to_vec()).collect();
            assert_eq!(first, expected, "the first of {dtype}");
        }
    }
}
