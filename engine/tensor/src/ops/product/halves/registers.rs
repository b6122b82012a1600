//! The innermost loops of products in groups. Where there are sixteen registers, one chain of a block is in all of them, then the
//! other, then both are added; where there are thirty-two, both chains of a lower block and its sums are side by side in them.

use super::blocks::{Cells, FEW, Sums};
use crate::ops::product::kernel::Block;
use crate::ops::product::vector::Vector;
use crate::ops::product::{NR, Onto};
use std::marker::PhantomData;

/// What is a step of a chain.
#[expect(unsafe_code, reason = "registers are those of certain processors")]
pub(super) trait Steps {
    type Vector: Vector<Element = f32>;

    /// Adds the products of numbers or of pairs.
    ///
    /// # Safety
    /// The processor has the registers' instructions.
    unsafe fn step(sums: Self::Vector, x: Self::Vector, y: Self::Vector) -> Self::Vector;
}

/// One number of each factor.
pub(super) struct Numbers<V>(PhantomData<V>);

#[expect(unsafe_code, reason = "registers are those of certain processors")]
impl<V: Vector<Element = f32>> Steps for Numbers<V> {
    type Vector = V;

    #[inline(always)]
    unsafe fn step(sums: V, x: V, y: V) -> V {
        unsafe { V::multiply_add(x, y, sums) }
    }
}

/// Adds the products of `H` of the `tall` rows of each group, from one on, with a panel to their sums; `W` registers of a row at a
/// time. Only for functions that are compiled for the registers.
#[inline(always)]
pub(super) fn add<S: Steps, const N: usize, const H: usize, const W: usize>(
    (left, tall, row): (&[Cells<f32, N>], usize, usize),
    panel: &[Cells<[f32; NR], N>],
    sums: &mut Sums,
) {
    for column in (0..NR).step_by(W * S::Vector::LANES) {
        for (left, panel) in left.chunks_exact(tall).zip(panel) {
            let Some(rows) = left[row..].first_chunk::<H>() else { return };
            #[expect(unsafe_code, reason = "registers are those of certain processors")]
            // The caller is compiled for them. Loops and no closures: functions of the standard library are not.
            unsafe {
                let even = chain::<S, N, H, W>(rows, panel, column, 0);
                let odd = chain::<S, N, H, W>(rows, panel, column, N / 2);
                for i in 0..H {
                    for j in 0..W {
                        let place = &mut sums[row + i][column + j * S::Vector::LANES..];
                        S::Vector::load(place).add(even[i][j].add(odd[i][j])).store(place);
                    }
                }
            }
        }
    }
}

/// The sums of one chain of a group.
///
/// # Safety
/// The processor has the registers' instructions.
#[inline(always)]
#[expect(unsafe_code, reason = "registers are those of certain processors")]
unsafe fn chain<S: Steps, const N: usize, const H: usize, const W: usize>(
    rows: &[Cells<f32, N>; H],
    panel: &Cells<[f32; NR], N>,
    column: usize,
    first: usize,
) -> [[S::Vector; W]; H] {
    // The caller promises the instructions.
    unsafe {
        let mut sums = [[S::Vector::zero(); W]; H];
        for place in first..first + N / 2 {
            let right = &panel.0[place][column..];
            let mut factors = [S::Vector::load(right); W];
            for (j, factor) in factors.iter_mut().enumerate() {
                *factor = S::Vector::load(&right[j * S::Vector::LANES..]);
            }
            for i in 0..H {
                let x = S::Vector::splat(rows[i].0[place]);
                for j in 0..W {
                    sums[i][j] = S::step(sums[i][j], x, factors[j]);
                }
            }
        }
        sums
    }
}

/// What becomes of the products of the `tall` rows of each group, a multiple of [`FEW`], with a panel: for [`FEW`] rows and two
/// registers of each after the other. Only for functions that are compiled for the registers, of which there are thirty-two.
#[inline(always)]
pub(super) fn beside<S: Steps, const N: usize>(
    (left, tall): (&[Cells<f32, N>], usize),
    panel: &[Cells<[f32; NR], N>],
    (block, stride): Block<'_, f32>,
    onto: Onto,
) {
    for row in (0..tall).step_by(FEW) {
        for column in (0..NR).step_by(WIDE * S::Vector::LANES) {
            #[expect(unsafe_code, reason = "registers are those of certain processors")]
            // The caller is compiled for them.
            unsafe {
                let block = (&mut block[row * stride + column..], stride);
                few_beside::<S, N>((left, tall, row), (panel, column), block, onto);
            }
        }
    }
}

/// Registers of a row that are computed at once.
const WIDE: usize = 2;

/// [`beside`] for some rows and columns.
///
/// # Safety
/// The processor has the registers' instructions.
#[inline(always)]
#[expect(unsafe_code, reason = "registers are those of certain processors")]
unsafe fn few_beside<S: Steps, const N: usize>(
    (left, tall, row): (&[Cells<f32, N>], usize, usize),
    (panel, column): (&[Cells<[f32; NR], N>], usize),
    (block, stride): Block<'_, f32>,
    onto: Onto,
) {
    // The caller promises the instructions. Loops and no closures: functions of the standard library are not compiled for them.
    unsafe {
        let mut sums = [[S::Vector::zero(); WIDE]; FEW];
        if onto == Onto::Sums {
            for (i, sums) in sums.iter_mut().enumerate() {
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum = S::Vector::load(&block[i * stride + j * S::Vector::LANES..]);
                }
            }
        }
        for (left, panel) in left.chunks_exact(tall).zip(panel) {
            let Some(rows) = left[row..].first_chunk::<FEW>() else { return };
            let (mut even, mut odd) = ([[S::Vector::zero(); WIDE]; FEW], [[S::Vector::zero(); WIDE]; FEW]);
            for place in 0..N / 2 {
                step::<S, N>(&mut even, rows, panel, (place, column));
                step::<S, N>(&mut odd, rows, panel, (place + N / 2, column));
            }
            for i in 0..FEW {
                for j in 0..WIDE {
                    sums[i][j] = sums[i][j].add(even[i][j].add(odd[i][j]));
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, &sum) in sums.iter().enumerate() {
                let result = &mut block[i * stride + j * S::Vector::LANES..];
                let sum = if onto == Onto::Addend { S::Vector::load(result).added(sum) } else { sum };
                sum.store(result);
            }
        }
    }
}

/// One step of a chain of [`few_beside`].
///
/// # Safety
/// The processor has the registers' instructions.
#[inline(always)]
#[expect(unsafe_code, reason = "registers are those of certain processors")]
unsafe fn step<S: Steps, const N: usize>(
    chain: &mut [[S::Vector; WIDE]; FEW],
    rows: &[Cells<f32, N>; FEW],
    panel: &Cells<[f32; NR], N>,
    (place, column): (usize, usize),
) {
    // The caller promises the instructions.
    unsafe {
        let right = &panel.0[place][column..];
        let mut factors = [S::Vector::zero(); WIDE];
        for (j, factor) in factors.iter_mut().enumerate() {
            *factor = S::Vector::load(&right[j * S::Vector::LANES..]);
        }
        for i in 0..FEW {
            let x = S::Vector::splat(rows[i].0[place]);
            for j in 0..WIDE {
                chain[i][j] = S::step(chain[i][j], x, factors[j]);
            }
        }
    }
}
