//! The tuned matrix product: the one door to the `gemm` crate.

use gemm::{Parallelism, gemm};

use crate::buffer::Element;

/// Float types that the tuned product knows.
pub(crate) trait Product: Element + std::ops::Add<Output = Self> {
    /// `result = left @ right`, all row major, sizes (rows, inner, columns).
    ///
    /// Sums run over the inner dimension in order with fused multiply-adds, as in XLA on the CPU,
    /// up to the length of an inner block.
    fn matrix_product(result: &mut [Self], left: &[Self], right: &[Self], sizes: (usize, usize, usize));

    /// `x * y + sum` with one rounding (for `f32`, up to a double rounding of one in 2**29).
    fn multiply_add(x: Self, y: Self, sum: Self) -> Self;
}

macro_rules! products {
    ($($type:ty: $multiply_add:expr);* $(;)?) => {
        $(impl Product for $type {
            fn matrix_product(
                result: &mut [Self],
                left: &[Self],
                right: &[Self],
                (rows, inner, columns): (usize, usize, usize),
            ) {
                assert_eq!(Some(result.len()), rows.checked_mul(columns));
                assert_eq!(Some(left.len()), rows.checked_mul(inner));
                assert_eq!(Some(right.len()), inner.checked_mul(columns));
                // The lengths were just checked against the sizes, so every offset
                // `row * stride + column` that `gemm` forms lies in its slice, and `result` is
                // borrowed exclusively. Sizes of slices fit `isize`.
                #[expect(unsafe_code, reason = "gemm offers no safe entry point")]
                unsafe {
                    gemm(
                        rows,
                        columns,
                        inner,
                        result.as_mut_ptr(),
                        1,
                        columns as isize,
                        false,
                        left.as_ptr(),
                        1,
                        inner as isize,
                        right.as_ptr(),
                        1,
                        columns as isize,
                        0.0,
                        1.0,
                        false,
                        false,
                        false,
                        Parallelism::None,
                    );
                }
            }

            #[inline(always)]
            fn multiply_add(x: Self, y: Self, sum: Self) -> Self {
                let multiply_add = $multiply_add;
                multiply_add(x, y, sum)
            }
        })*
    };
}

products! {
    // The product is exact in `f64`. `f32::mul_add` would be a library call per element on a
    // processor that is not known to have the instruction.
    f32: |x: f32, y: f32, sum: f32| (f64::from(x) * f64::from(y) + f64::from(sum)) as f32;
    f64: |x: f64, y: f64, sum: f64| x.mul_add(y, sum);
}
