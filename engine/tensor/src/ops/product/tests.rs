//! Products of every size and layout against the plain loop.

use super::*;
use crate::math::fma;

#[test]
fn every_size_and_layout_gives_the_plain_loop() {
    let value = |i: usize| (i as f32 * 0.37) % 5.0 - 2.4;
    let sizes = [
        (1, 1, 1),
        (12, 300, 32),
        (13, 5, 33),
        (150, 257, 70),
        (3, 600, 530),
        (40, 1024, 48),
        (300, 190, 160),
        (21, 600, 1),
        (4100, 300, 1),
    ];
    for (rows, inner, columns) in sizes {
        let left: Vec<f32> = (0..rows * inner).map(value).collect();
        let right: Vec<f32> = (0..inner * columns).map(|i| value(i * 3)).collect();
        for turned in 0..4 {
            let a = if turned & 1 == 1 { (1, rows) } else { (inner, 1) };
            let b = if turned & 2 == 2 { (1, inner) } else { (columns, 1) };
            let left = Strided { elements: &left, row: a.0, column: a.1 };
            let right = Strided { elements: &right, row: b.0, column: b.1 };
            let mut result = vec![f32::NAN; rows * columns];
            matrix_product(&mut result, left, right, (rows, inner, columns), Onto::Nothing);
            for (place, &found) in result.iter().enumerate() {
                let (row, column) = (place / columns, place % columns);
                let sum = (0..inner).fold(0.0, |sum, k| fma(left.at(row, k), right.at(k, column), sum));
                assert_eq!(found, sum, "{rows} x {inner} x {columns}, row {row}, column {column}");
            }
        }
    }
}

#[test]
fn whole_numbers_wrap_in_every_size() {
    let value = |i: usize| (i as i32).wrapping_mul(0x9E37_79B1u32 as i32);
    for (rows, inner, columns) in [(2, 3, 5), (12, 300, 32), (50, 257, 70)] {
        let left: Vec<i32> = (0..rows * inner).map(value).collect();
        let right: Vec<i32> = (0..inner * columns).map(|i| value(i * 3 + 1)).collect();
        let mut result = vec![-1; rows * columns];
        let (a, b) =
            (Strided { elements: &left, row: inner, column: 1 }, Strided { elements: &right, row: columns, column: 1 });
        matrix_product(&mut result, a, b, (rows, inner, columns), Onto::Nothing);
        for (place, &found) in result.iter().enumerate() {
            let (row, column) = (place / columns, place % columns);
            let sum = (0..inner).fold(0i32, |sum, k| sum.wrapping_add(a.at(row, k).wrapping_mul(b.at(k, column))));
            assert_eq!(found, sum);
        }
    }
}

#[test]
fn blocks_are_the_same_in_all_registers_and_where_they_are_added() {
    use crate::isa::{Emulated, Fma, Isa};
    let (depth, stride) = (37, NR + 5);
    let value = |i: usize| (i as f32 * 0.37) % 5.0 - 2.4;
    let left: Vec<f32> = (0..MR * (depth + 1)).map(value).collect();
    let panel: Vec<f32> = (0..NR * depth).map(|i| value(i * 7)).collect();
    let before: Vec<f32> = (0..MR * stride).map(|i| if i % 11 == 0 { 1e-40 } else { value(i * 5) }).collect();
    let rows = Rows { elements: &left, stride: depth + 1, depth };
    for set in Isa::all() {
        for height in 1..=MR {
            for onto in [Onto::Nothing, Onto::Sums, Onto::Addend] {
                let mut result = before.clone();
                block(set, rows, height, &panel, (&mut result, stride), onto);
                for (place, &found) in result.iter().enumerate() {
                    let (i, j) = (place / stride, place % stride);
                    let start = if onto == Onto::Sums { before[place] } else { 0.0 };
                    let sum = |sum, k| Emulated::fma(left[i * (depth + 1) + k], panel[k * NR + j], sum);
                    let expected = match (i < height && j < NR, onto) {
                        (false, _) => before[place],
                        (true, Onto::Addend) => before[place].added((0..depth).fold(0.0, sum)),
                        (true, _) => (0..depth).fold(start, sum),
                    };
                    assert_eq!(found.to_bits(), expected.to_bits(), "{set:?}, {height} rows, {onto:?}, ({i}, {j})");
                }
            }
        }
    }
}

#[test]
fn products_are_added_to_what_is_there_once_they_are_complete() {
    let value = |i: usize| (i as f32 * 0.37) % 5.0 - 2.4;
    for (rows, inner, columns) in [(13, 30, 45), (24, 700, 64), (19, 30, 1), (19, 700, 1)] {
        let left: Vec<f32> = (0..rows * inner).map(value).collect();
        let right: Vec<f32> = (0..inner * columns).map(|i| value(i * 3)).collect();
        let before: Vec<f32> = (0..rows * columns).map(|i| value(i * 5)).collect();
        let left = Strided { elements: &left, row: inner, column: 1 };
        let right = Strided { elements: &right, row: columns, column: 1 };
        let (mut product, mut sum) = (vec![0.0; rows * columns], before.clone());
        matrix_product(&mut product, left, right, (rows, inner, columns), Onto::Nothing);
        matrix_product(&mut sum, left, right, (rows, inner, columns), Onto::Addend);
        let expected: Vec<f32> = before.iter().zip(product).map(|(before, product)| before.added(product)).collect();
        assert_eq!(sum, expected, "{rows} x {inner} x {columns}");
    }
}
