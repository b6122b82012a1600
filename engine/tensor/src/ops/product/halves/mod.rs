//! Products of `bfloat16` matrices in the order of the matrix units that XLA multiplies them with on processors that have one:
//! of 32 inner elements at a time the products of even places and those of odd places are added apart, in order, then both to
//! each other, then that to the result. Every step rounds once, and takes subnormal numbers for zero.
//!
//! The matrix unit is used where there is one. Elsewhere the same is computed in the best registers that the processor has, so
//! that the digits do not depend on the processor. NaN is NaN, but which of them depends on it.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
mod blocks;
mod pack;
#[cfg(target_arch = "x86_64")]
mod pairs;
#[cfg(target_arch = "x86_64")]
mod registers;
mod singles;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod tiles;

use super::kernel::Block;
use super::{NR, Onto, Product, Strided};
use crate::isa::for_each_isa;
#[cfg(target_arch = "x86_64")]
use crate::isa::pairs_pay;
use half::bf16;

/// Inner elements whose products are added to the result together.
const GROUP: usize = 32;

/// Whether XLA takes the matrix unit for a product of this size (rows, inner, columns), observed with JAX 0.10.2 on a processor
/// that has one; products that it does not take it for are added in order.
pub(crate) fn is_grouped((rows, inner, columns): (usize, usize, usize)) -> bool {
    rows > 3 && columns > 1 && rows.saturating_mul(inner).saturating_mul(columns) >= 2048
}

/// `result = left @ right` for a row-major `result`, sizes (rows, inner, columns), or added to it; on all cores that are
/// available, each with rows of its own.
pub(crate) fn grouped_product(
    result: &mut [f32],
    left: Strided<'_, bf16>,
    right: Strided<'_, bf16>,
    sizes: (usize, usize, usize),
    onto: Onto,
) {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    if tiles::product(result, left, right, sizes, onto) {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if pairs_pay()
        && let Some(pairs) = pairs::Pairs::available()
    {
        return blocks::product(&pairs, result, left, right, sizes, onto);
    }
    blocks::product(&singles::Singles(crate::isa::isa()), result, left, right, sizes, onto);
}

for_each_isa! {
/// Puts a block of sums, as many rows and columns of it as there are, where it belongs.
fn put<F>(sums: &[[f32; NR]], target: Block<'_, f32>, size: (usize, usize), onto: Onto) {
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
fn take(sums: &mut [[f32; NR]], (target, stride): (&[f32], usize), (rows, columns): (usize, usize)) {
    for (sums, target) in sums.iter_mut().zip(target.chunks(stride)).take(rows) {
        sums[..columns].copy_from_slice(&target[..columns]);
    }
}
