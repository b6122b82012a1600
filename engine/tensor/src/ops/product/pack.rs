//! Factors of a matrix product, laid out as the kernel reads them.

use super::kernel::Rows;
use super::numbers::Product;
#[cfg(target_arch = "x86_64")]
use super::{EVEN, tall};
use super::{MR, NR, Strided};
use crate::isa::for_each_isa;
use crate::ops::fused::lines;

/// Memory that a thread keeps for its next product.
#[derive(Debug, Default)]
pub(crate) struct Scratch<T> {
    pub(super) panels: Vec<T>,
    pub(super) rows: Vec<T>,
}

/// Lines with such addresses that the innermost cache has to hold for rows to be read where they lie: a panel of `float32` has eight of
/// them, and the rows of a block, of which each line is soon done with, some more.
#[cfg(target_arch = "x86_64")]
const WAYS: usize = 12;
/// Bytes after which addresses meet in the innermost cache.
const PAGE: usize = 4096;
/// Elements at whose distance lines of the caches begin for every type.
const LINE: usize = 64;

/// Rows between the one that is copied and the one that is asked for: so short, they are no stream that a processor foresees.
const AHEAD: usize = 4;

/// Asks the memory for the first elements of a row, if there is one.
#[inline(always)]
fn ask<T: Product>(matrix: Strided<'_, T>, row: usize, count: usize) {
    lines::<_, false>(matrix.elements, (row * matrix.row) as isize, count);
}

/// So many elements, from the start of a line of the caches on, with anything in them.
fn room<T: Product>(scratch: &mut Vec<T>, length: usize) -> &mut [T] {
    if scratch.len() < length + LINE {
        scratch.resize(length + LINE, T::default());
    }
    let start = scratch.as_ptr().align_offset(LINE).min(LINE);
    &mut scratch[start..start + length]
}

/// The right factor's columns in panels of [`NR`]: for every inner element a panel's elements stand together, zeros where a
/// panel is not full.
pub(super) fn panels<'a, T: Product>(
    scratch: &'a mut Vec<T>,
    matrix: Strided<'_, T>,
    columns: usize,
    depth: usize,
) -> &'a [T] {
    let panels = room(scratch, columns.next_multiple_of(NR) * depth);
    let whole = columns - columns % NR;
    if matrix.column == 1 {
        copy_panels(panels, matrix, whole, depth);
    }
    for (number, panel) in panels.chunks_exact_mut(NR * depth).enumerate() {
        let first = number * NR;
        let width = NR.min(columns - first);
        if matrix.column == 1 && width == NR {
            continue;
        }
        if width < NR {
            panel.fill(T::default());
        }
        if matrix.column == 1 {
            for (k, target) in panel.chunks_exact_mut(NR).enumerate() {
                let start = first + k * matrix.row;
                target[..width].copy_from_slice(&matrix.elements[start..start + width]);
            }
            continue;
        }
        let lines = match matrix.row {
            1 => T::turn(panel, &matrix.elements[first * matrix.column..], matrix.column, width, NR, depth),
            _ => 0,
        };
        for line in lines..width {
            let source = matrix.elements[(first + line) * matrix.column..].iter().step_by(matrix.row);
            let target = panel[line..].iter_mut().step_by(NR);
            target.zip(source.take(depth)).for_each(|(target, &x)| *target = x);
        }
    }
    panels
}

for_each_isa! {
/// The columns of whole panels, of a matrix whose rows lie one element after the other: row by row, as memory has them.
fn copy_panels<F, T: Product>(panels: &mut [T], matrix: Strided<'_, T>, columns: usize, depth: usize) {
    if columns == NR {
        for (k, place) in panels.as_chunks_mut::<NR>().0[..depth].iter_mut().enumerate() {
            place.copy_from_slice(&matrix.elements[k * matrix.row..][..NR]);
        }
        return;
    }
    for k in 0..depth {
        ask(matrix, k + AHEAD, columns);
        let row = &matrix.elements[k * matrix.row..k * matrix.row + columns];
        let places = panels.as_chunks_mut::<NR>().0[k..].iter_mut().step_by(depth);
        places.zip(row.as_chunks::<NR>().0).for_each(|(place, part)| *place = *part);
    }
}
}

/// Whether the innermost cache has room for lines of all rows of a block, where these begin a page apart, beside those of a panel.
fn has_room(rows: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    if tall(rows) == EVEN && crate::isa::ways() >= WAYS {
        return true;
    }
    let _ = rows;
    false
}

/// The left factor's rows, as they lie where that is good enough.
pub(super) fn rows<'a, T: Product>(
    scratch: &'a mut Vec<T>,
    matrix: Strided<'a, T>,
    rows: usize,
    depth: usize,
) -> Rows<'a, T> {
    // Rows that begin a page apart would push each other out of the innermost cache, or the panel that they are multiplied with.
    let meet = rows > MR && (matrix.row * size_of::<T>()).is_multiple_of(PAGE) && !has_room(rows);
    if matrix.column == 1 && !meet {
        return Rows { elements: matrix.elements, stride: matrix.row, depth };
    }
    // Some elements more than a row has, so that rows of a page do not meet either.
    let stride = depth.next_multiple_of(LINE / 4) + LINE / 4;
    let packed = room(scratch, rows * stride);
    if matrix.column == 1 {
        let sources = matrix.elements.chunks(matrix.row);
        for (row, (target, source)) in packed.chunks_exact_mut(stride).zip(sources).enumerate() {
            ask(matrix, row + AHEAD, depth);
            target[..depth].copy_from_slice(&source[..depth]);
        }
        return Rows { elements: packed, stride, depth };
    }
    let lines = match matrix.row {
        1 => T::turn(packed, matrix.elements, matrix.column, depth, stride, rows),
        _ => 0,
    };
    for line in lines..depth {
        let source = matrix.elements[line * matrix.column..].iter().step_by(matrix.row);
        let target = packed[line..].iter_mut().step_by(stride);
        target.zip(source.take(rows)).for_each(|(target, &x)| *target = x);
    }
    Rows { elements: packed, stride, depth }
}
