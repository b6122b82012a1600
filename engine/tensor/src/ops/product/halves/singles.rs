//! The order of matrix units computed in `float32`: a product of two `bfloat16` numbers is exact there, so that a fused
//! multiply-add rounds as the unit does.

use super::{GROUP, Scratch, padded, put, take};
use crate::isa::{BaselineFma, Fma, Isa};
use crate::math::flush;
use crate::ops::product::grouped::{HEIGHT, grouped};
use crate::ops::product::kernel::{Block, Rows};
use crate::ops::product::pack::panels;
use crate::ops::product::{NR, Onto, Strided};
use half::bf16;
use half::slice::HalfFloatSliceExt;

/// A part of the product.
pub(super) fn multiply(
    isa: Isa,
    scratch: &mut Scratch,
    (target, stride): Block<'_, f32>,
    (left, right): (Strided<'_, bf16>, Strided<'_, bf16>),
    (rows, depth, columns): (usize, usize, usize),
    onto: Onto,
) {
    let Scratch { left: left_halves, right: right_halves, left_singles, right_singles, panels: packed, .. } = scratch;
    // Zeros where groups and panels are not full: they change no sum.
    let whole = padded(left_halves, left, (rows, depth), (1, GROUP));
    let width = padded(right_halves, right, (depth, columns), (GROUP, NR));
    let subnormal = smallest(left_halves) + smallest(right_halves) < NEVER_SUBNORMAL;
    widen(left_halves, left_singles);
    widen(right_halves, right_singles);
    let right = Strided { elements: right_singles, row: width, column: 1 };
    let panels = panels(packed, right, width, whole);
    for (number, panel) in panels.chunks_exact(NR * whole).enumerate() {
        let column = number * NR;
        for row in (0..rows).step_by(HEIGHT) {
            let size = (HEIGHT.min(rows - row), NR.min(columns - column));
            let left = Rows { elements: &left_singles[row * whole..], stride: whole, depth: whole };
            let target = &mut target[row * stride + column..];
            let mut sums = [[0.0; NR]; HEIGHT];
            if onto == Onto::Sums {
                take(&mut sums, (&*target, stride), size);
            }
            if subnormal || !grouped(isa, left, size.0, panel, &mut sums) {
                for (i, sums) in sums.iter_mut().enumerate().take(size.0) {
                    in_groups::<BaselineFma>(left.row(i), panel, sums);
                }
            }
            put(&sums, (target, stride), size, onto);
        }
    }
}

/// Exponents of the smallest numbers of both factors, added, from which on no sum of products is subnormal: every sum is a
/// multiple of the last binary place of the smallest product, 14 places below its first.
const NEVER_SUBNORMAL: u16 = 2 * 127 - 126 + 14;

/// The smallest exponent of numbers that are not taken for zero, as their bits have it.
fn smallest(halves: &[bf16]) -> u16 {
    let exponents = halves.iter().map(|x| x.to_bits() >> 7 & 0xff);
    exponents.fold(0xff, |smallest, exponent| if exponent == 0 { smallest } else { smallest.min(exponent) })
}

/// As `float32`, subnormal numbers as zeros.
fn widen(halves: &[bf16], singles: &mut Vec<f32>) {
    singles.resize(halves.len(), 0.0);
    halves.convert_to_f32_slice(singles);
    singles.iter_mut().for_each(|x| *x = flush(*x));
}

/// One row of the product, step by step.
fn in_groups<F: Fma>(left: &[f32], panel: &[f32], sums: &mut [f32; NR]) {
    let panel = panel.as_chunks::<NR>().0;
    for (left, right) in left.chunks_exact(GROUP).zip(panel.chunks_exact(GROUP)) {
        let mut parts = [[0.0f32; NR]; 2];
        for (k, (&x, right)) in left.iter().zip(right).enumerate() {
            let pairs = parts[k % 2].iter_mut().zip(right);
            pairs.for_each(|(sum, &y)| *sum = flush(F::fma(x, y, *sum)));
        }
        for (sum, (even, odd)) in sums.iter_mut().zip(parts[0].iter().zip(parts[1])) {
            *sum = flush(*sum + flush(even + odd));
        }
    }
}
