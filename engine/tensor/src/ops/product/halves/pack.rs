//! Factors of a product of `bfloat16`, group by group, as the registers read them.

use super::GROUP;
use super::blocks::{FIRSTS, Way, tall};
use crate::isa::for_each_isa;
use crate::ops::fused::lines;
use crate::ops::product::{MR, NR, Strided};
use half::bf16;

/// The smallest exponents of numbers that are not taken for zero, less one, of elements at the same place of lines.
#[derive(Clone, Copy)]
struct Least([u16; GROUP]);

// Lines of both factors are as long.
const _: () = assert!(GROUP == NR);

impl Least {
    #[inline(always)]
    fn see(&mut self, line: &[bf16; GROUP]) {
        for (least, x) in self.0.iter_mut().zip(line) {
            // Zeros and subnormal numbers come out as the largest.
            *least = (*least).min((x.to_bits() << 1 >> 8).wrapping_sub(1));
        }
    }

    fn exponent(self) -> u32 {
        u32::from(self.0.into_iter().min().unwrap_or(u16::MAX)) + 1
    }
}

/// So many elements, `step` apart: where they lie, if a line of them lies there, or else aside, with zeros where there are no more.
#[inline(always)]
fn line<'a>(elements: &'a [bf16], step: usize, count: usize, aside: &'a mut [bf16; GROUP]) -> &'a [bf16; GROUP] {
    match elements.first_chunk() {
        Some(line) if step == 1 && count >= GROUP => line,
        _ => {
            scattered(elements, step, count, aside);
            aside
        }
    }
}

/// Not a part of its callers: a copy of some elements is a call, for which they would put their registers by.
#[inline(never)]
fn scattered(elements: &[bf16], step: usize, count: usize, line: &mut [bf16; GROUP]) {
    let (line, rest) = line.split_at_mut(count.min(GROUP));
    line.iter_mut().zip(elements.iter().step_by(step)).for_each(|(line, &x)| *line = x);
    rest.fill(bf16::ZERO);
}

/// Rows of the left factor between the one that is packed and the one that is asked for.
const AHEAD: usize = 4;

/// Asks the memory for a line from a position on.
#[inline(always)]
fn ask(elements: &[bf16], position: usize) {
    lines::<_, false>(elements, position as isize, 1);
}

for_each_isa! {
/// The left factor in blocks of rows: of each group all rows of the block, zeros where there are none. Gives the smallest exponent.
pub(super) fn pack_left<F, W: Way>(
    packed: &mut Vec<W::Row>,
    left: Strided<'_, bf16>,
    sizes: (usize, usize),
) -> u32 {
    let (rows, depth) = sizes;
    let groups = depth.div_ceil(GROUP);
    packed.resize(rows.next_multiple_of(MR) * groups, W::Row::default());
    let mut least = Least([u16::MAX; GROUP]);
    let mut aside = [bf16::ZERO; GROUP];
    for first in (0..rows).step_by(MR) {
        let tall = tall(rows - first);
        for i in 0..tall {
            let places = packed[first * groups..][i..].iter_mut().step_by(tall);
            for (group, place) in places.take(groups).enumerate() {
                if first + i >= rows {
                    *place = W::Row::default();
                    continue;
                }
                let k = group * GROUP;
                let position = (first + i) * left.row + k * left.column;
                // Rows are no stream that a processor foresees.
                ask(left.elements, position + AHEAD * left.row);
                let elements = &left.elements[position..];
                let line = line(elements, left.column, depth - k, &mut aside);
                least.see(line);
                *place = W::row(line);
            }
        }
    }
    least.exponent()
}

/// The right factor in panels of [`NR`] columns, zeros where there are none. Gives the smallest exponent.
pub(super) fn pack_right<F, W: Way>(
    packed: &mut Vec<W::Panel>,
    right: Strided<'_, bf16>,
    sizes: (usize, usize),
) -> u32 {
    let (depth, columns) = sizes;
    let groups = depth.div_ceil(GROUP);
    packed.resize(columns.div_ceil(NR) * groups, W::Panel::default());
    let mut least = Least([u16::MAX; GROUP]);
    let mut aside = [[bf16::ZERO; GROUP]; NR];
    for group in 0..groups {
        let k = group * GROUP;
        let (deep, right) = (depth - k, right.part(k, 0));
        if right.column != 1 {
            for (number, panel) in packed[group..].iter_mut().step_by(groups).enumerate() {
                let column = number * NR;
                let mut lines = [&[bf16::ZERO; GROUP]; NR];
                let places = lines.iter_mut().zip(&mut aside).enumerate().take(columns - column);
                for (i, (place, aside)) in places {
                    *place = line(&right.elements[(column + i) * right.column..], right.row, deep, aside);
                    least.see(place);
                }
                W::turned(panel, &lines);
            }
            continue;
        }
        // Row after row, as memory has them: a panel at a time, lines of a column would push each other out of the innermost cache.
        for first in FIRSTS {
            let [one, other, ..] = &mut aside;
            let mut asides = [one, other];
            for k in [first, first + 2] {
                // That of the next group.
                let next = (GROUP + k) * right.row;
                (next..next + columns).step_by(NR).for_each(|position| ask(right.elements, position));
            }
            for (number, panel) in packed[group..].iter_mut().step_by(groups).enumerate() {
                let column = number * NR;
                let mut rows = [&[bf16::ZERO; NR]; 2];
                let places = rows.iter_mut().zip(&mut asides).zip([first, first + 2]);
                for ((place, aside), k) in places.take_while(|(_, k)| *k < deep) {
                    *place = line(&right.elements[k * right.row + column..], 1, columns - column, aside);
                    least.see(place);
                }
                W::rows(panel, first, rows);
            }
        }
    }
    least.exponent()
}
}
