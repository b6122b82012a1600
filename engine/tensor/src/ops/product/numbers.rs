//! The numbers that the tuned product knows.

use super::pack::Scratch;
#[cfg(target_arch = "x86_64")]
use super::vector::Vector;
use crate::isa::Fma;
use crate::math::{flush, flush_f64};
use std::cell::RefCell;
use std::thread::LocalKey;

/// Types that the tuned product knows.
pub(crate) trait Product: Copy + Default + Send + Sync + std::ops::Add<Output = Self> + 'static {
    /// What it is multiplied in where there is AVX-512.
    #[cfg(target_arch = "x86_64")]
    type Wide: Vector<Element = Self>;
    /// What it is multiplied in where there is AVX2.
    #[cfg(target_arch = "x86_64")]
    type Narrow: Vector<Element = Self>;

    /// `x * y + sum` with one rounding.
    fn multiply_add<F: Fma>(x: Self, y: Self, sum: Self) -> Self;

    /// The sum of an element and a complete product, as the addition of arrays has it.
    fn added(self, product: Self) -> Self;

    /// Writes the first rows of a matrix, `stride` elements apart, as columns of a panel that is `width` wide, as many as
    /// there is a quick way for; gives their number.
    fn turn(_panel: &mut [Self], _rows: &[Self], _stride: usize, _count: usize, _width: usize, _depth: usize) -> usize {
        0
    }

    /// Memory that a thread keeps for its next product.
    fn scratch() -> &'static LocalKey<RefCell<Scratch<Self>>>;
}

impl Product for f32 {
    #[cfg(target_arch = "x86_64")]
    type Wide = std::arch::x86_64::__m512;
    #[cfg(target_arch = "x86_64")]
    type Narrow = std::arch::x86_64::__m256;

    #[inline(always)]
    fn multiply_add<F: Fma>(x: f32, y: f32, sum: f32) -> f32 {
        F::fma(x, y, sum)
    }

    #[inline(always)]
    fn added(self, product: f32) -> f32 {
        flush(flush(self) + flush(product))
    }

    #[cfg(target_arch = "x86_64")]
    fn turn(panel: &mut [f32], rows: &[f32], stride: usize, count: usize, width: usize, depth: usize) -> usize {
        match crate::isa::isa() {
            crate::isa::Isa::Avx512 => super::turned::pack(panel, rows, stride, count, width, depth),
            _ => 0,
        }
    }

    fn scratch() -> &'static LocalKey<RefCell<Scratch<f32>>> {
        thread_local!(static SCRATCH: RefCell<Scratch<f32>> = RefCell::default());
        &SCRATCH
    }
}

impl Product for f64 {
    #[cfg(target_arch = "x86_64")]
    type Wide = std::arch::x86_64::__m512d;
    #[cfg(target_arch = "x86_64")]
    type Narrow = std::arch::x86_64::__m256d;

    #[inline(always)]
    fn multiply_add<F: Fma>(x: f64, y: f64, sum: f64) -> f64 {
        x.mul_add(y, sum)
    }

    #[inline(always)]
    fn added(self, product: f64) -> f64 {
        flush_f64(flush_f64(self) + flush_f64(product))
    }

    fn scratch() -> &'static LocalKey<RefCell<Scratch<f64>>> {
        thread_local!(static SCRATCH: RefCell<Scratch<f64>> = RefCell::default());
        &SCRATCH
    }
}

impl Product for i32 {
    #[cfg(target_arch = "x86_64")]
    type Wide = std::arch::x86_64::__m512i;
    #[cfg(target_arch = "x86_64")]
    type Narrow = std::arch::x86_64::__m256i;

    #[inline(always)]
    fn multiply_add<F: Fma>(x: i32, y: i32, sum: i32) -> i32 {
        sum.wrapping_add(x.wrapping_mul(y))
    }

    #[inline(always)]
    fn added(self, product: i32) -> i32 {
        self.wrapping_add(product)
    }

    fn scratch() -> &'static LocalKey<RefCell<Scratch<i32>>> {
        thread_local!(static SCRATCH: RefCell<Scratch<i32>> = RefCell::default());
        &SCRATCH
    }
}
