//! The tuned matrix product. The right factor is packed into panels, so that a small block of the result stays in registers
//! while it runs along the inner dimension.
//!
//! Every element is one fused multiply-add after the other along the whole inner dimension, whatever the sizes and the
//! processor: the digits of the plain loop, and of XLA on the CPU where it does not cut the inner dimension.

mod column;
mod halves;
mod kernel;
mod numbers;
mod pack;
mod rows;
mod shorts;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod turned;
#[cfg(target_arch = "x86_64")]
mod vector;

pub(crate) use halves::{grouped_product, is_grouped};
pub(crate) use numbers::Product;
pub(crate) use shorts::{Short, short_product};

use crate::isa::isa;
use crate::lack::collected;
use kernel::{Rows, block};
use rows::{Cut, by_rows};

/// Rows of the block of the result that stays in registers.
const MR: usize = 12;
/// Columns of the block of the result that stays in registers.
const NR: usize = 32;
/// Inner elements, rows and columns of what is multiplied before the next: a panel of the right factor stays in the innermost
/// cache, a stretch of panels and rows in the second.
const INNER: usize = 256;
const ROWS: usize = MR * 6;
const COLUMNS: usize = NR * 16;
/// Rows up to which panels are packed one after the other.
const FEW_ROWS: usize = MR * 12;
/// Rows of a block where registers suffice for more: that many have as much under way, and leave no rest of sizes that are powers of two.
const EVEN: usize = 8;

/// Multiplications that a thread is worth starting for.
const SHARE: usize = 1 << 22;

/// A matrix as it lies in memory: the element of row `i` and column `j` is at `i * row + j * column`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided<'a, T> {
    pub(crate) elements: &'a [T],
    pub(crate) row: usize,
    pub(crate) column: usize,
}

impl<T: Copy> Strided<'_, T> {
    #[inline(always)]
    pub(crate) fn at(&self, row: usize, column: usize) -> T {
        self.elements[row * self.row + column * self.column]
    }

    /// What begins at a row and column.
    fn part(self, row: usize, column: usize) -> Self {
        Strided { elements: &self.elements[row * self.row + column * self.column..], ..self }
    }
}

/// What becomes of a product of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Onto {
    /// It is the result.
    Nothing,
    /// It goes on with the sums that the result has so far.
    Sums,
    /// Once complete it is added to the result.
    Addend,
}

/// `result = left @ right` for a row-major `result`, sizes (rows, inner, columns), or added to it; on all cores that are
/// available, each with rows of its own.
pub(crate) fn matrix_product<T: Product>(
    result: &mut [T],
    left: Strided<'_, T>,
    right: Strided<'_, T>,
    (rows, inner, columns): (usize, usize, usize),
    onto: Onto,
) {
    // One column takes as long as its rows take to be read.
    let share = if columns == 1 { SHARE / 4 } else { SHARE };
    let cut = Cut { height: MR, depth: INNER, share };
    by_rows(result, (rows, inner, columns), onto, &cut, |part, first, sizes, onto| {
        rows_product(part, left.part(first, 0), right, sizes, onto);
    });
}

/// [`matrix_product`] on this thread; what is added to is complete after one pass.
fn rows_product<T: Product>(
    result: &mut [T],
    left: Strided<'_, T>,
    right: Strided<'_, T>,
    (rows, inner, columns): (usize, usize, usize),
    onto: Onto,
) {
    if columns == 1 && left.column == 1 {
        let right: Vec<T> = collected((0..inner).map(|place| right.at(place, 0)));
        let left = Rows { elements: left.elements, stride: left.row, depth: inner };
        return column::column(result, left, &right, onto);
    }
    T::scratch().with_borrow_mut(|scratch| {
        // Of few rows a panel is read soon after it was packed: it stays in the innermost cache, one after the other.
        if rows <= FEW_ROWS {
            for first in (0..inner).step_by(INNER) {
                let depth = INNER.min(inner - first);
                let onto = if first == 0 { onto } else { Onto::Sums };
                let left = pack::rows(&mut scratch.rows, left.part(0, first), rows, depth);
                for column in (0..columns).step_by(NR) {
                    let width = NR.min(columns - column);
                    let panel = pack::panels(&mut scratch.panels, right.part(first, column), width, depth);
                    blocks(&mut result[column..], columns, left, panel, (rows, depth, width), onto);
                }
            }
            return;
        }
        for first_column in (0..columns).step_by(COLUMNS) {
            let some_columns = COLUMNS.min(columns - first_column);
            for first in (0..inner).step_by(INNER) {
                let depth = INNER.min(inner - first);
                let onto = if first == 0 { onto } else { Onto::Sums };
                let panels = pack::panels(&mut scratch.panels, right.part(first, first_column), some_columns, depth);
                for first_row in (0..rows).step_by(ROWS) {
                    let some_rows = ROWS.min(rows - first_row);
                    let left = pack::rows(&mut scratch.rows, left.part(first_row, first), some_rows, depth);
                    let result = &mut result[first_row * columns + first_column..];
                    blocks(result, columns, left, panels, (some_rows, depth, some_columns), onto);
                }
            }
        }
    });
}

/// Rows of a block of so many.
fn tall(rows: usize) -> usize {
    if isa().has_many_registers() && rows.is_multiple_of(EVEN) { EVEN } else { MR }
}

/// Block after block of what panels and rows give; rows of the result are `stride` elements apart.
fn blocks<T: Product>(
    result: &mut [T],
    stride: usize,
    left: Rows<'_, T>,
    panels: &[T],
    (rows, depth, columns): (usize, usize, usize),
    onto: Onto,
) {
    let isa = isa();
    let most = tall(rows);
    for (number, panel) in panels.chunks_exact(NR * depth).enumerate() {
        let column = number * NR;
        let width = NR.min(columns - column);
        for row in (0..rows).step_by(most) {
            let height = most.min(rows - row);
            let left = Rows { elements: &left.elements[row * left.stride..], ..left };
            let target = &mut result[row * stride + column..];
            if width == NR {
                block(isa, left, height, panel, (target, stride), onto);
                continue;
            }
            // Aside, as the block is narrower than its panel.
            let mut aside = [T::default(); MR * NR];
            for (aside, target) in aside.chunks_exact_mut(NR).zip(target.chunks(stride)).take(height) {
                aside[..width].copy_from_slice(&target[..width]);
            }
            block(isa, left, height, panel, (&mut aside, NR), onto);
            for (aside, target) in aside.chunks_exact(NR).zip(target.chunks_mut(stride)).take(height) {
                target[..width].copy_from_slice(&aside[..width]);
            }
        }
    }
}
