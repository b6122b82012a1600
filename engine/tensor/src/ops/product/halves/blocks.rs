//! Products in the order of matrix units on processors without one, block after block of the result.

use super::pack::{pack_left, pack_right};
use super::{GROUP, put, take};
use crate::isa::for_each_isa;
use crate::math::flush;
use crate::ops::product::kernel::Block;
use crate::ops::product::rows::{Cut, by_rows};
use crate::ops::product::{MR, NR, Onto, Strided};
use half::bf16;
use std::cell::RefCell;
use std::thread::LocalKey;

/// Columns of the right factor, and rows of the left one, that are packed at a time: each has half of the second cache.
const COLUMNS: usize = NR * 16;
const ROWS: usize = MR * 12;
/// Blocks have a multiple of so many rows.
pub(super) const FEW: usize = 4;

/// Sums of a block of the result.
pub(super) type Sums = [[f32; NR]; MR];

/// `N` numbers or pairs of a group, first those of the even chain, from the start of a line of the caches on. A pair is the bits of
/// a number that nobody reads as one.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Cells<C, const N: usize>(pub(super) [C; N]);

impl<const N: usize> Default for Cells<f32, N> {
    fn default() -> Self {
        Cells([0.0; N])
    }
}

impl<const N: usize> Default for Cells<[f32; NR], N> {
    fn default() -> Self {
        Cells([[0.0; NR]; N])
    }
}

/// The rows of a group that come first of two neighbours in a chain.
pub(super) const FIRSTS: [usize; GROUP / 2] = {
    let (mut firsts, mut pair) = ([0; GROUP / 2], 0);
    while pair < firsts.len() {
        firsts[pair] = pair / 2 * 4 + pair % 2;
        pair += 1;
    }
    firsts
};

/// How groups of inner elements lie where they are multiplied, and how they are.
pub(super) trait Way: Sync + Sized + 'static {
    /// A group of one row of the left factor.
    type Row: Copy + Default;
    /// A group of [`NR`] columns of the right factor.
    type Panel: Copy + Default;
    /// Inner elements of panels that the innermost cache has room for: whole groups.
    const INNER: usize;
    /// Multiplications that a thread is worth starting for.
    const SHARE: usize;

    fn row(elements: &[bf16; GROUP]) -> Self::Row;
    /// Puts two rows of a group into its panel, one of [`FIRSTS`] and the one two places on: they are neighbours in a chain.
    fn rows(panel: &mut Self::Panel, first: usize, rows: [&[bf16; NR]; 2]);
    /// A panel of columns that lie one element after the other.
    fn turned(panel: &mut Self::Panel, columns: &[&[bf16; GROUP]; NR]) {
        let mut rows = [[bf16::ZERO; NR]; GROUP];
        for (j, column) in columns.iter().enumerate() {
            rows.iter_mut().zip(*column).for_each(|(row, &x)| row[j] = x);
        }
        FIRSTS.into_iter().for_each(|first| Self::rows(panel, first, [&rows[first], &rows[first + 2]]));
    }
    /// What [`Way::row`] was made of.
    fn of_row(row: &Self::Row) -> [f32; GROUP];
    /// One of the rows that [`Way::panel`] was made of.
    fn of_panel(panel: &Self::Panel, row: usize) -> [f32; NR];

    /// Adds the products of so many rows, `tall` of each group, with a panel, where no sum is subnormal.
    fn add(&self, left: &[Self::Row], tall: usize, panel: &[Self::Panel], sums: &mut Sums);
    /// [`Way::add`] where the block belongs, and what else is to become of it: of `tall` rows and [`NR`] columns.
    fn complete(&self, left: &[Self::Row], tall: usize, panel: &[Self::Panel], block: Block<'_, f32>, onto: Onto) {
        aside(block, (tall, NR), onto, |sums| self.add(left, tall, panel, sums));
    }
    /// Memory that a thread keeps for its next product.
    fn scratch() -> &'static LocalKey<RefCell<Scratch<Self>>>;
}

/// See [`Way::scratch`].
pub(super) struct Scratch<W: Way> {
    pub(super) left: Vec<W::Row>,
    pub(super) right: Vec<W::Panel>,
    /// Whether the sums of [`ROWS`] rows may be or have been subnormal.
    subnormal: Vec<bool>,
}

impl<W: Way> Default for Scratch<W> {
    fn default() -> Self {
        Scratch { left: Vec::new(), right: Vec::new(), subnormal: Vec::new() }
    }
}

/// `result = left @ right`, or added to it, on all cores that are available.
pub(super) fn product<W: Way>(
    way: &W,
    result: &mut [f32],
    left: Strided<'_, bf16>,
    right: Strided<'_, bf16>,
    sizes: (usize, usize, usize),
    onto: Onto,
) {
    let cut = Cut { height: MR, depth: W::INNER, share: W::SHARE };
    by_rows(result, sizes, onto, &cut, |part, first, sizes, onto| {
        W::scratch()
            .with_borrow_mut(|scratch| rows_product(way, scratch, part, left.part(first, 0), right, sizes, onto));
    });
}

/// Exponents of the smallest numbers of both factors, added, from which on no sum of products is subnormal: every sum is a
/// multiple of the last binary place of the smallest product, 14 places below its first.
const NEVER_SUBNORMAL: u32 = 2 * 127 - 126 + 14;

/// [`product`] on this thread; what is added to is complete after one pass.
fn rows_product<W: Way>(
    way: &W,
    scratch: &mut Scratch<W>,
    result: &mut [f32],
    left: Strided<'_, bf16>,
    right: Strided<'_, bf16>,
    (rows, inner, columns): (usize, usize, usize),
    onto: Onto,
) {
    for first_column in (0..columns).step_by(COLUMNS) {
        let some_columns = COLUMNS.min(columns - first_column);
        scratch.subnormal.clear();
        scratch.subnormal.resize(rows.div_ceil(ROWS), false);
        for first in (0..inner).step_by(W::INNER) {
            let depth = W::INNER.min(inner - first);
            let onto = if first == 0 { onto } else { Onto::Sums };
            let least_right =
                pack_right::<W>(&mut scratch.right, right.part(first, first_column), (depth, some_columns));
            for (number, subnormal) in scratch.subnormal.iter_mut().enumerate() {
                let first_row = number * ROWS;
                let some_rows = ROWS.min(rows - first_row);
                let least_left = pack_left::<W>(&mut scratch.left, left.part(first_row, first), (some_rows, depth));
                // Sums that once were so small have places that later ones do not look at.
                *subnormal |= least_left + least_right < NEVER_SUBNORMAL;
                let target = &mut result[first_row * columns + first_column..];
                let factors = (&scratch.left[..], &scratch.right[..]);
                blocks(way, factors, *subnormal, (target, columns), (some_rows, depth, some_columns), onto);
            }
        }
    }
}

/// Rows of the blocks of so many rows from one on.
pub(super) fn tall(rows: usize) -> usize {
    rows.next_multiple_of(FEW).min(MR)
}

/// Block after block of what is packed.
fn blocks<W: Way>(
    way: &W,
    (left, right): (&[W::Row], &[W::Panel]),
    subnormal: bool,
    (target, stride): (&mut [f32], usize),
    (rows, depth, columns): (usize, usize, usize),
    onto: Onto,
) {
    let groups = depth.div_ceil(GROUP);
    for (number, panel) in right.chunks_exact(groups).enumerate() {
        let column = number * NR;
        for row in (0..rows).step_by(MR) {
            let size = (MR.min(rows - row), NR.min(columns - column));
            let tall = tall(rows - row);
            let left = &left[row * groups..][..tall * groups];
            let target = &mut target[row * stride + column..];
            match subnormal {
                true => aside((target, stride), size, onto, |sums| step_by_step::<W>(left, tall, panel, sums)),
                false if size == (tall, NR) => way.complete(left, tall, panel, (target, stride), onto),
                false => aside((target, stride), size, onto, |sums| way.add(left, tall, panel, sums)),
            }
        }
    }
}

/// Has products added to sums that stand aside, and puts those where they belong, as many rows and columns of them as there are.
pub(super) fn aside((block, stride): Block<'_, f32>, size: (usize, usize), onto: Onto, add: impl FnOnce(&mut Sums)) {
    let mut sums = [[0.0; NR]; MR];
    if onto == Onto::Sums {
        take(&mut sums, (&*block, stride), size);
    }
    add(&mut sums);
    put(&sums, (block, stride), size, onto);
}

for_each_isa! {
/// [`Way::add`] for all numbers.
pub(super) fn step_by_step<F, W: Way>(left: &[W::Row], tall: usize, panel: &[W::Panel], sums: &mut Sums) {
    for (rows, panel) in left.chunks_exact(tall).zip(panel) {
        for (row, sums) in rows.iter().zip(sums.iter_mut()) {
            let mut chains = [[0.0f32; NR]; 2];
            for (k, x) in W::of_row(row).into_iter().enumerate() {
                let right = W::of_panel(panel, k);
                for (sum, y) in chains[k % 2].iter_mut().zip(right) {
                    *sum = flush(F::fma(flush(x), flush(y), *sum));
                }
            }
            for (sum, (even, odd)) in sums.iter_mut().zip(chains[0].iter().zip(chains[1])) {
                *sum = flush(*sum + flush(even + odd));
            }
        }
    }
}
}
