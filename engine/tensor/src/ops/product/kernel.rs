//! The innermost loops of matrix products: a block of sums that stays in registers along the inner dimension.

use super::numbers::Product;
#[cfg(target_arch = "x86_64")]
use super::vector::Vector;
use super::{NR, Onto};
use crate::isa::{BaselineFma, Fma, Isa};

/// Rows of the left factor, `stride` elements apart, of each of which `depth` elements are multiplied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a, T> {
    pub(super) elements: &'a [T],
    pub(super) stride: usize,
    pub(super) depth: usize,
}

impl<'a, T> Rows<'a, T> {
    /// The elements of one row that are multiplied.
    #[inline(always)]
    pub(super) fn row(self, number: usize) -> &'a [T] {
        &self.elements[number * self.stride..][..self.depth]
    }
}

/// Where a block of the result lies: its elements from the first on, and the distance of rows.
pub(super) type Block<'a, T> = (&'a mut [T], usize);

/// A block one element after the other, for processors without large registers. `height` rows of [`NR`] columns.
#[inline(always)]
pub(super) fn plain<T: Product, F: Fma>(
    left: Rows<'_, T>,
    height: usize,
    panel: &[T],
    (block, stride): Block<'_, T>,
    onto: Onto,
) {
    for i in 0..height {
        let result = &mut block[i * stride..][..NR];
        let mut sums = [T::default(); NR];
        if onto == Onto::Sums {
            sums.copy_from_slice(result);
        }
        for (&x, right) in left.row(i).iter().zip(panel.as_chunks::<NR>().0) {
            sums.iter_mut().zip(right).for_each(|(sum, &y)| *sum = T::multiply_add::<F>(x, y, *sum));
        }
        match onto {
            Onto::Addend => result.iter_mut().zip(sums).for_each(|(result, sum)| *result = result.added(sum)),
            _ => result.copy_from_slice(&sums),
        }
    }
}

/// A block of the result on this processor: `height` rows, at most [`super::MR`], times a panel of [`NR`] columns.
pub(super) fn block<T: Product>(
    isa: Isa,
    left: Rows<'_, T>,
    height: usize,
    panel: &[T],
    block: Block<'_, T>,
    onto: Onto,
) {
    match isa {
        // What a processor is taken for, it is.
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        Isa::Avx512 => unsafe { wide::<T>(left, height, panel, block, onto) },
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        Isa::Avx2 => unsafe { narrow::<T>(left, height, panel, block, onto) },
        Isa::Baseline => plain::<T, BaselineFma>(left, height, panel, block, onto),
    }
}

/// [`block`] in thirty-two large registers. Of low blocks fewer rows go through at once, so that less is computed in vain.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
fn wide<T: Product>(left: Rows<'_, T>, height: usize, panel: &[T], block: Block<'_, T>, onto: Onto) {
    match height {
        9.. => in_vectors::<T::Wide, 12, 2>(left, height, panel, block, onto),
        5..=8 => in_vectors::<T::Wide, 8, 2>(left, height, panel, block, onto),
        _ => in_vectors::<T::Wide, 4, 2>(left, height, panel, block, onto),
    }
}

/// [`block`] in sixteen registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn narrow<T: Product>(left: Rows<'_, T>, height: usize, panel: &[T], block: Block<'_, T>, onto: Onto) {
    match height {
        9.. => in_vectors::<T::Narrow, 6, 2>(left, height, panel, block, onto),
        _ => in_vectors::<T::Narrow, 4, 2>(left, height, panel, block, onto),
    }
}

/// A block, `H` rows of `W` registers at a time. Only for functions that are compiled for the registers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn in_vectors<V: Vector, const H: usize, const W: usize>(
    left: Rows<'_, V::Element>,
    height: usize,
    panel: &[V::Element],
    (block, stride): Block<'_, V::Element>,
    onto: Onto,
) {
    for row in (0..height).step_by(H) {
        let height = height - row;
        let left = Rows { elements: &left.elements[row * left.stride..], ..left };
        for column in (0..NR).step_by(W * V::LANES) {
            #[expect(unsafe_code, reason = "registers are those of certain processors")]
            // The caller is compiled for them.
            unsafe {
                in_registers::<V, H, W>(left, height, panel, column, (&mut block[row * stride..], stride), onto);
            }
        }
    }
}

/// As many rows of the block as there are, at most `H`, and `W` registers of each from a column on.
///
/// # Safety
/// The processor has the registers' instructions.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[expect(unsafe_code, reason = "registers are those of certain processors")]
unsafe fn in_registers<V: Vector, const H: usize, const W: usize>(
    left: Rows<'_, V::Element>,
    height: usize,
    panel: &[V::Element],
    column: usize,
    (block, stride): Block<'_, V::Element>,
    onto: Onto,
) {
    // The caller promises the instructions. Loops and no closures: functions of the standard library are not compiled for them.
    unsafe {
        let mut sums = [[V::zero(); W]; H];
        if onto == Onto::Sums {
            for (i, sums) in sums.iter_mut().enumerate() {
                for (j, sum) in sums.iter_mut().enumerate() {
                    if i < height {
                        *sum = V::load(&block[i * stride + column + j * V::LANES..][..V::LANES]);
                    }
                }
            }
        }
        let panel = panel.as_chunks::<NR>().0;
        // The last row again where there are fewer. All of one length, which the compiler sees here.
        let mut rows = [&left.elements[..0]; H];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = &left.row(i.min(height - 1))[..panel.len()];
        }
        for (k, right) in panel.iter().enumerate() {
            let mut factors = [V::zero(); W];
            for (j, factor) in factors.iter_mut().enumerate() {
                *factor = V::load(&right[column + j * V::LANES..][..V::LANES]);
            }
            for i in 0..H {
                let x = V::splat(rows[i][k]);
                for j in 0..W {
                    sums[i][j] = V::multiply_add(x, factors[j], sums[i][j]);
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, &sum) in sums.iter().enumerate() {
                if i < height {
                    let result = &mut block[i * stride + column + j * V::LANES..][..V::LANES];
                    let sum = if onto == Onto::Addend { V::load(result).added(sum) } else { sum };
                    sum.store(result);
                }
            }
        }
    }
}
