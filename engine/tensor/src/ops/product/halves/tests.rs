//! The order of matrix units written down once more, element by element, against the loops and the unit.

use super::singles::Singles;
use super::*;
use crate::isa::Isa;
use crate::math::{flush, fma};

/// One element of a product. What is missing of the last group are zeros, which count where all before them is -0.
fn element(left: &[bf16], right: &[bf16], before: f32) -> f32 {
    let value = |x: bf16| flush(x.to_f32());
    left.chunks(GROUP).zip(right.chunks(GROUP)).fold(before, |sum, (left, right)| {
        let mut parts = [0.0; 2];
        for k in 0..GROUP {
            let [x, y] = [left, right].map(|row| value(row.get(k).copied().unwrap_or_default()));
            parts[k % 2] = flush(fma(x, y, parts[k % 2]));
        }
        flush(sum + flush(parts[0] + parts[1]))
    })
}

/// Numbers of all sizes between `scale` and its 64th part, some of them zero.
fn values(count: usize, scale: f32, seed: u32) -> Vec<bf16> {
    let value = |i: u32| {
        let bits = (i ^ seed).wrapping_mul(0x9E37_79B1).rotate_left(13).wrapping_mul(0x85EB_CA6B);
        let size = ((bits >> 8) as f32 / (1 << 23) as f32 - 1.0) * scale / [1.0, 4.0, 16.0, 64.0][bits as usize % 4];
        if bits % 64 < 3 { bf16::ZERO } else { bf16::from_f32(size) }
    };
    (0..count as u32).map(value).collect()
}

type Multiply<'a> = &'a dyn Fn(&mut [f32], [Strided<'_, bf16>; 2], (usize, usize, usize), Onto);

fn check(multiply: Multiply<'_>, name: &str) {
    // Products of the last two are around the smallest numbers, and below them.
    for (scale, sizes) in [
        (
            2.0,
            &[
                (4, 32, 16),
                (33, 40, 70),
                (64, 64, 64),
                (40, 2100, 33),
                (5, 31, 530),
                (32, 96, 64),
                (150, 70, 34),
                (13, 520, 40),
            ][..],
        ),
        (2e-19, &[(33, 70, 40)][..]),
        (4e-38, &[(7, 64, 33)][..]),
    ] {
        for &(rows, inner, columns) in sizes {
            let (left, right) = (values(rows * inner, scale, 1), values(inner * columns, scale, 2));
            let before: Vec<f32> = (0..rows * columns).map(|i| (i % 17) as f32 * scale * scale).collect();
            for turned in 0..4 {
                let (row, column) = if turned & 1 == 1 { (1, rows) } else { (inner, 1) };
                let a = Strided { elements: &left[..], row, column };
                let (row, column) = if turned & 2 == 2 { (1, inner) } else { (columns, 1) };
                let b = Strided { elements: &right[..], row, column };
                for onto in [Onto::Nothing, Onto::Sums, Onto::Addend] {
                    let mut result = before.clone();
                    multiply(&mut result, [a, b], (rows, inner, columns), onto);
                    for (place, &found) in result.iter().enumerate().step_by(if rows * columns > 999 { 7 } else { 1 }) {
                        let (i, j) = (place / columns, place % columns);
                        let a: Vec<bf16> = (0..inner).map(|k| a.at(i, k)).collect();
                        let b: Vec<bf16> = (0..inner).map(|k| b.at(k, j)).collect();
                        let start = if onto == Onto::Sums { before[place] } else { 0.0 };
                        let sum = element(&a, &b, start);
                        let expected = if onto == Onto::Addend { before[place].added(sum) } else { sum };
                        let place = format!("{name}: {rows} x {inner} x {columns} of {scale}, {onto:?}, ({i}, {j})");
                        assert_eq!(found.to_bits(), expected.to_bits(), "{found} is not {expected}: {place}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_size_and_layout_gives_the_order_of_the_unit() {
    let whole = |result: &mut [f32], [left, right]: [Strided<'_, bf16>; 2], sizes, onto| {
        grouped_product(result, left, right, sizes, onto);
    };
    check(&whole, "what the processor has");
    for set in Isa::all() {
        let loops = |result: &mut [f32], [left, right]: [Strided<'_, bf16>; 2], sizes, onto| {
            blocks::product(&Singles(set), result, left, right, sizes, onto);
        };
        check(&loops, &format!("{set:?}"));
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(pairs) = pairs::Pairs::available() {
        let pairs = |result: &mut [f32], [left, right]: [Strided<'_, bf16>; 2], sizes, onto| {
            blocks::product(&pairs, result, left, right, sizes, onto);
        };
        check(&pairs, "pairs");
    }
}

/// Sums that were so small once are looked at to the end, however large what comes later is.
#[test]
fn sums_that_begin_near_the_smallest_number_lose_what_is_subnormal_at_last() {
    let inner = 1024;
    // The first group gives 1.5 times the smallest number, the last takes the smallest one away.
    let (mut left, mut right) = (vec![bf16::ZERO; 4 * inner], vec![bf16::ZERO; inner * 32]);
    let tiny = f32::MIN_POSITIVE.sqrt();
    for row in left.chunks_exact_mut(inner) {
        (row[0], row[1000]) = (bf16::from_f32(tiny * 1.5), bf16::from_f32(-tiny));
    }
    for k in [0, 1000] {
        right[k * 32..][..32].fill(bf16::from_f32(tiny));
    }
    let left = Strided { elements: &left[..], row: inner, column: 1 };
    let right = Strided { elements: &right[..], row: 32, column: 1 };
    for set in Isa::all() {
        let mut result = vec![1.0; 4 * 32];
        blocks::product(&Singles(set), &mut result, left, right, (4, inner, 32), Onto::Nothing);
        assert_eq!(result, [0.0; 4 * 32], "{set:?}");
    }
    let mut result = vec![1.0; 4 * 32];
    grouped_product(&mut result, left, right, (4, inner, 32), Onto::Nothing);
    assert_eq!(result, [0.0; 4 * 32]);
}

/// Infinities, numbers that cancel each other, subnormal ones: millions of products, one instruction against one step after the
/// other. Sums are not subnormal themselves: what is nearly one rounds in two ways, and is never left to the instruction.
#[cfg(target_arch = "x86_64")]
#[test]
fn pairs_are_added_one_product_after_the_other() {
    use super::blocks::{FIRSTS, Way, step_by_step};
    use super::pairs::Pairs;
    use crate::ops::product::MR;
    let Some(pairs) = Pairs::available() else { return };
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as u32
    };
    for round in 0..1500 {
        let mut value = || {
            let bits = random();
            let exponent = match (round % 3, bits >> 16 & 63) {
                (2, 0) => 255,
                (_, 1) => 0,
                (0, place) => 124 + place / 8,
                (_, place) => 75 + 2 * place,
            };
            // Few digits: the same products again and again, with either sign.
            let digits = if round % 2 == 0 { bits & 0x60 } else { bits & 0x7f };
            let digits = if exponent == 255 { 0 } else { digits };
            bf16::from_bits((bits as u16 & 0x8000) | (exponent << 7) as u16 | digits as u16)
        };
        let mut line = || -> [bf16; GROUP] { std::array::from_fn(|_| value()) };
        let left: Vec<_> = (0..MR).map(|_| Pairs::row(&line())).collect();
        let right: [[bf16; NR]; GROUP] = std::array::from_fn(|_| line());
        let mut panel = Default::default();
        FIRSTS.into_iter().for_each(|first| Pairs::rows(&mut panel, first, [&right[first], &right[first + 2]]));
        let start = if round % 5 == 0 { -0.0 } else { 3.0 };
        let (mut found, mut expected) = ([[start; NR]; MR], [[start; NR]; MR]);
        pairs.add(&left, MR, &[panel], &mut found);
        step_by_step::<Pairs>(&left, MR, &[panel], &mut expected);
        for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "round {round}: {found:e} is not {expected:e}");
        }
    }
}
