//! The registers that products of matrices are computed in.

use std::arch::x86_64::*;

/// A register of numbers.
///
/// # Safety
/// Of all functions: the processor has the register's instructions.
#[expect(unsafe_code, reason = "registers are those of certain processors")]
pub(crate) trait Vector: Copy {
    type Element: super::Product;
    /// Numbers in a register.
    const LANES: usize;
    unsafe fn zero() -> Self;
    /// The same number in all lanes.
    unsafe fn splat(x: Self::Element) -> Self;
    /// The first elements; panics if there are fewer than lanes.
    unsafe fn load(elements: &[Self::Element]) -> Self;
    /// To the first elements; panics if there are fewer than lanes.
    unsafe fn store(self, elements: &mut [Self::Element]);
    /// `x * y + sum`, rounded once.
    unsafe fn multiply_add(x: Self, y: Self, sum: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    /// [`super::Product::added`] in every lane.
    unsafe fn added(self, product: Self) -> Self;
}

/// Defines [`Vector`] for registers by their instructions. Loads and stores go through pointers to slices that were just cut
/// to the register's length.
macro_rules! vectors {
    ($($vector:ty: $element:ty, $lanes:literal, $zero:ident, $splat:ident, $load:ident, $store:ident,
        $add:ident, |$x:ident, $y:ident, $sum:ident| $multiply_add:expr;)*) => { $(
        #[expect(unsafe_code, reason = "registers are those of certain processors")]
        impl Vector for $vector {
            type Element = $element;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn zero() -> Self {
                unsafe { $zero() }
            }

            #[inline(always)]
            unsafe fn splat(x: $element) -> Self {
                unsafe { $splat(x) }
            }

            #[inline(always)]
            unsafe fn load(elements: &[$element]) -> Self {
                unsafe { $load(elements[..$lanes].as_ptr().cast()) }
            }

            #[inline(always)]
            unsafe fn store(self, elements: &mut [$element]) {
                unsafe { $store(elements[..$lanes].as_mut_ptr().cast(), self) }
            }

            #[inline(always)]
            unsafe fn multiply_add($x: Self, $y: Self, $sum: Self) -> Self {
                unsafe { $multiply_add }
            }

            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                unsafe { $add(self, other) }
            }

            #[inline(always)]
            unsafe fn added(self, product: Self) -> Self {
                // Constants: a loop without bounds to check, which becomes instructions for the register.
                let (mut lanes, mut others) = ([<$element>::default(); $lanes], [<$element>::default(); $lanes]);
                unsafe {
                    self.store(&mut lanes);
                    product.store(&mut others);
                }
                for lane in 0..$lanes {
                    lanes[lane] = super::Product::added(lanes[lane], others[lane]);
                }
                unsafe { Self::load(&lanes) }
            }
        }
    )* };
}

vectors! {
    __m512: f32, 16, _mm512_setzero_ps, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps,
        _mm512_add_ps, |x, y, sum| _mm512_fmadd_ps(x, y, sum);
    __m256: f32, 8, _mm256_setzero_ps, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps,
        _mm256_add_ps, |x, y, sum| _mm256_fmadd_ps(x, y, sum);
    __m512d: f64, 8, _mm512_setzero_pd, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd,
        _mm512_add_pd, |x, y, sum| _mm512_fmadd_pd(x, y, sum);
    __m256d: f64, 4, _mm256_setzero_pd, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd,
        _mm256_add_pd, |x, y, sum| _mm256_fmadd_pd(x, y, sum);
    __m512i: i32, 16, _mm512_setzero_si512, _mm512_set1_epi32, _mm512_loadu_si512, _mm512_storeu_si512,
        _mm512_add_epi32, |x, y, sum| _mm512_add_epi32(_mm512_mullo_epi32(x, y), sum);
    __m256i: i32, 8, _mm256_setzero_si256, _mm256_set1_epi32, _mm256_loadu_si256, _mm256_storeu_si256,
        _mm256_add_epi32, |x, y, sum| _mm256_add_epi32(_mm256_mullo_epi32(x, y), sum);
}
