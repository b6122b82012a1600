//! Products of `bfloat16` matrices in the order of the matrix units that XLA multiplies them with on processors that have one:
//! of 32 inner elements at a time the products of even places and those of odd places are added apart, in order, then both to
//! each other, then that to the result. Every step rounds once, and takes subnormal numbers for zero.
//!
//! The matrix unit is used where there is one. Elsewhere the same is computed in `float32`, so that the digits do not depend on
//! the processor.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
mod singles;
#[cfg(test)]
mod tests;

use super::kernel::Block;
use super::rows::{Cut, by_rows};
use super::{Onto, Product, Strided};
use crate::isa::for_each_isa;
use half::bf16;
use std::cell::RefCell;

/// Inner elements whose products are added to the result together.
pub(super) const GROUP: usize = 32;
/// Rows and columns of the blocks of the result that the unit computes at a time.
const ROWS: usize = 32;
const WIDTH: usize = super::NR;
/// Inner elements and columns of what is multiplied before the next.
const INNER: usize = 2048;
const COLUMNS: usize = 512;

/// Multiplications that a thread is worth starting for.
const SHARE: usize = 1 << 24;

/// Whether XLA takes the matrix unit for a product of this size (rows, inner, columns), observed with JAX 0.10.2 on a processor
/// that has one; products that it does not take it for are added in order.
pub(crate) fn is_grouped((rows, inner, columns): (usize, usize, usize)) -> bool {
    rows > 3 && columns > 1 && rows.saturating_mul(inner).saturating_mul(columns) >= 2048
}

/// Memory that a thread keeps for its next product.
#[derive(Debug, Default)]
struct Scratch {
    left: Vec<bf16>,
    right: Vec<bf16>,
    left_singles: Vec<f32>,
    right_singles: Vec<f32>,
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no matrix unit reads it"))]
    packed: Vec<bf16>,
    panels: Vec<f32>,
}

thread_local!(static SCRATCH: RefCell<Scratch> = RefCell::default());

/// `result = left @ right` for a row-major `result`, sizes (rows, inner, columns), or added to it; on all cores that are
/// available, each with rows of its own.
pub(crate) fn grouped_product(
    result: &mut [f32],
    left: Strided<'_, bf16>,
    right: Strided<'_, bf16>,
    (rows, inner, columns): (usize, usize, usize),
    onto: Onto,
) {
    let cut = Cut { height: ROWS, depth: INNER, share: SHARE };
    by_rows(result, (rows, inner, columns), onto, &cut, |part, first, sizes, onto| {
        let left = left.part(first, 0);
        SCRATCH.with_borrow_mut(|scratch| rows_product(scratch, part, left, right, sizes, onto));
    });
}

/// [`grouped_product`] on this thread; what is added to is complete after one pass.
fn rows_product(
    scratch: &mut Scratch,
    result: &mut [f32],
    left: Strided<'_, bf16>,
    right: Strided<'_, bf16>,
    (rows, inner, columns): (usize, usize, usize),
    onto: Onto,
) {
    for first in (0..inner).step_by(INNER) {
        let depth = INNER.min(inner - first);
        let onto = if first == 0 { onto } else { Onto::Sums };
        for column in (0..columns).step_by(COLUMNS) {
            let sizes = (rows, depth, COLUMNS.min(columns - column));
            let factors = (left.part(0, first), right.part(first, column));
            part_product(scratch, (&mut result[column..], columns), factors, sizes, onto);
        }
    }
}

/// A part of the product that is not too large for what is packed of it, with the best that the processor has.
fn part_product(
    scratch: &mut Scratch,
    target: Block<'_, f32>,
    factors: (Strided<'_, bf16>, Strided<'_, bf16>),
    sizes: (usize, usize, usize),
    onto: Onto,
) {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    if let Some(unit) = amx::Unit::configured() {
        unit.multiply(scratch, target, factors, sizes, onto);
        return;
    }
    singles::multiply(crate::isa::isa(), scratch, target, factors, sizes, onto);
}

for_each_isa! {
/// Puts a block of sums, as many rows and columns of it as there are, where it belongs.
fn put<F>(sums: &[[f32; WIDTH]], target: Block<'_, f32>, size: (usize, usize), onto: Onto) {
    let ((target, stride), (rows, columns)) = (target, size);
    for (sums, target) in sums.iter().zip(target.chunks_mut(stride)).take(rows) {
        let (sums, target) = (&sums[..columns], &mut target[..columns]);
        match onto {
            Onto::Addend => target.iter_mut().zip(sums).for_each(|(target, &sum)| *target = target.added(sum)),
            Onto::Nothing | Onto::Sums => target.copy_from_slice(sums),
        }
    }
}
}

/// Takes what [`put`] has put there, to go on with it.
fn take(sums: &mut [[f32; WIDTH]], (target, stride): (&[f32], usize), (rows, columns): (usize, usize)) {
    for (sums, target) in sums.iter_mut().zip(target.chunks(stride)).take(rows) {
        sums[..columns].copy_from_slice(&target[..columns]);
    }
}

/// A matrix row by row, with zeros to the right and below, to a multiple of so many rows and columns. Gives the length of a row.
fn padded(
    scratch: &mut Vec<bf16>,
    matrix: Strided<'_, bf16>,
    (rows, columns): (usize, usize),
    (down, along): (usize, usize),
) -> usize {
    let width = columns.next_multiple_of(along);
    scratch.resize(rows.next_multiple_of(down) * width, bf16::ZERO);
    let (whole, below) = scratch.split_at_mut(rows * width);
    below.fill(bf16::ZERO);
    for (row, target) in whole.chunks_exact_mut(width).enumerate() {
        let source = &matrix.elements[row * matrix.row..];
        let (target, rest) = target.split_at_mut(columns);
        rest.fill(bf16::ZERO);
        match matrix.column {
            1 => target.copy_from_slice(&source[..columns]),
            step => target.iter_mut().zip(source.iter().step_by(step)).for_each(|(target, &x)| *target = x),
        }
    }
    width
}
