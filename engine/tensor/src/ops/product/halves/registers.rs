//! The innermost loops of products in groups: one chain of a block in all registers, then the other, then both are added.

use super::blocks::{Cells, Sums};
use crate::ops::product::NR;
use crate::ops::product::vector::Vector;
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
