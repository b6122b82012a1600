//! The order of matrix units written down once more, element by element, against the loops and the unit.

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
        (2.0, &[(4, 32, 16), (33, 40, 70), (64, 64, 64), (40, 2100, 33), (5, 31, 530), (32, 96, 64)][..]),
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
        let loops = |result: &mut [f32], [left, right]: [Strided<'_, bf16>; 2], sizes: (usize, usize, usize), onto| {
            let mut scratch = Scratch::default();
            singles::multiply(set, &mut scratch, (result, sizes.2), (left, right), sizes, onto);
        };
        check(&loops, &format!("{set:?}"));
    }
}
