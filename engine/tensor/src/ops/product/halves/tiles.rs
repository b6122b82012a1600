//! Products with a matrix unit: how they are cut into parts, and factors that are not whole tiles.

use super::amx::{Permission, Unit};
use crate::ops::product::kernel::Block;
use crate::ops::product::rows::{Cut, by_rows};
use crate::ops::product::{NR, Onto, Strided};
use half::bf16;
use std::cell::RefCell;

/// Rows and columns of the blocks of the result that the unit computes at a time.
pub(super) const ROWS: usize = 32;
pub(super) const WIDTH: usize = NR;
/// Inner elements and columns of what is multiplied before the next.
const INNER: usize = 2048;
const COLUMNS: usize = 512;

/// Multiplications that a thread is worth starting for.
const SHARE: usize = 1 << 24;

/// Memory that a thread keeps for its next product.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) left: Vec<bf16>,
    pub(super) right: Vec<bf16>,
    pub(super) packed: Vec<bf16>,
}

thread_local!(static SCRATCH: RefCell<Scratch> = RefCell::default());

/// `result = left @ right`, or added to it, on all cores that are available; false where there is no unit.
pub(super) fn product(
    result: &mut [f32],
    left: Strided<'_, bf16>,
    right: Strided<'_, bf16>,
    sizes: (usize, usize, usize),
    onto: Onto,
) -> bool {
    let Some(permission) = Permission::asked() else { return false };
    let cut = Cut { height: ROWS, depth: INNER, share: SHARE };
    by_rows(result, sizes, onto, &cut, |part, first, sizes, onto| {
        let left = left.part(first, 0);
        let unit = Unit::configured(&permission);
        SCRATCH.with_borrow_mut(|scratch| rows_product(&unit, scratch, part, left, right, sizes, onto));
    });
    true
}

/// [`product`] on this thread; what is added to is complete after one pass.
fn rows_product(
    unit: &Unit,
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
            let target: Block<'_, f32> = (&mut result[column..], columns);
            unit.multiply(scratch, target, factors, sizes, onto);
        }
    }
}

/// A matrix row by row, with zeros to the right and below, to a multiple of so many rows and columns. Gives the length of a row.
pub(super) fn padded(
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
