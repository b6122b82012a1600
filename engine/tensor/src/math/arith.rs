//! The arithmetic below the functions: fused multiply-add and the flush of subnormal numbers.
//!
//! XLA's CPU back end lets LLVM contract `a * b + c` into one FMA instruction and runs every
//! kernel with FTZ and DAZ set in the CPU's control word (`tsl::port::ScopedFlushDenormal`), so
//! both are part of "the same digits". This file holds no elementary function.

use super::number::Number;

/// A constant from its bits: the tables of this module are given in hexadecimal because XLA's
/// dumps print them so, and because a decimal of a float is easy to round wrongly.
pub(super) const fn bits(pattern: u32) -> f32 {
    f32::from_bits(pattern)
}

/// `a * b + c` with one rounding, for every input (as [`f32::mul_add`]).
///
/// `f32::mul_add` calls the C library when the build target has no FMA, and some C libraries
/// do that slowly. Here the product is exact in `f64` (24 + 24 bits) and the sum is rounded there;
/// rounding it once more to `f32` goes wrong only from the middle between two `f32` numbers.
#[inline(always)]
#[must_use]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    let product = f64::from(a) * f64::from(b);
    let addend = f64::from(c);
    let sum = product + addend;
    // The 29 bits that `f32` does not have. Small sums have their middle elsewhere.
    let middle = sum.to_bits() & 0x1fff_ffff == 0x1000_0000;
    if middle || sum.abs() < f64::from(f32::MIN_POSITIVE) {
        sum_to_odd(product, addend, sum) as f32
    } else {
        sum as f32
    }
}

/// `product + addend` rounded to odd: a sum so rounded, with more than two bits to spare, can be
/// rounded once more without error (Boldo and Melquiond, "Emulation of FMA and correctly rounded
/// sums", 2008). `sum` is the sum rounded to nearest.
#[cold]
fn sum_to_odd(product: f64, addend: f64, sum: f64) -> f64 {
    // What the sum lost (Knuth's TwoSum), exactly.
    let back = sum - product;
    let lost = (product - (sum - back)) + (addend - back);
    let pattern = sum.to_bits();
    if pattern & 1 == 1 || lost == 0.0 {
        return sum;
    }
    // Something is lost only from a sum that is not zero, so that one step of the pattern moves it
    // by one unit in the last place: away from zero when the signs agree.
    f64::from_bits(if (lost > 0.0) == (sum > 0.0) { pattern + 1 } else { pattern - 1 })
}

/// A subnormal number becomes a zero of its sign; every other value stays.
///
/// XLA's CPU kernels do this to every operand and every result of an arithmetic instruction, and
/// a comparison sees the flushed operand. Moves, negation, `abs`, selects and bit operations do
/// not flush: `jnp.negative(1e-40)` keeps its value while `jnp.float32(1e-40) * 1` is zero.
#[inline(always)]
#[must_use]
pub fn flush(x: f32) -> f32 {
    // Only zeros and subnormal numbers have no exponent, and one test of bits is all that it takes.
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// [`flush`] for `f64`: FTZ and DAZ hold for both widths.
#[inline(always)]
#[must_use]
pub fn flush_f64(x: f64) -> f64 {
    if x.abs() < f64::MIN_POSITIVE { 0.0_f64.copysign(x) } else { x }
}

/// `coefficients` from the highest power down, each step one FMA: `(start * x + c0) * x + c1 ...`.
#[inline(always)]
pub(super) fn polynomial_from<N: Number>(start: f32, x: N, coefficients: &[f32]) -> N {
    coefficients.iter().fold(start.into(), |sum: N, &coefficient| sum.fma(x, coefficient))
}

/// [`polynomial_from`] with the first coefficient as the start.
#[inline(always)]
pub(super) fn polynomial<N: Number>(x: N, coefficients: &[f32]) -> N {
    match coefficients.split_first() {
        Some((&first, rest)) => polynomial_from(first, x, rest),
        None => 0.0.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small linear generator: the tests need many bit patterns, not good randomness.
    struct Patterns(u64);

    impl Patterns {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.0 >> 32
        }
    }

    fn same(a: f32, b: f32) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }

    #[test]
    fn fma_rounds_once_as_mul_add_does() {
        let mut patterns = Patterns(1);
        for round in 0..200_000 {
            let mut value = || f32::from_bits(patterns.next() as u32);
            let (a, b, mut c) = (value(), value(), value());
            if round % 2 == 0 {
                // Near cancellation, where a second rounding would show.
                c = -(a * b) * (1.0 + c.abs().min(1.0) * f32::EPSILON);
            }
            assert!(same(fma(a, b, c), a.mul_add(b, c)), "{a:e} * {b:e} + {c:e}");
        }
    }

    #[test]
    fn fma_keeps_infinities_and_the_sign_of_zero() {
        let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, 1e-45];
        for a in special {
            for b in special {
                for c in special {
                    assert!(same(fma(a, b, c), a.mul_add(b, c)), "{a:e} * {b:e} + {c:e}");
                }
            }
        }
    }

    #[test]
    fn flush_clears_subnormals_only() {
        assert_eq!(flush(1e-40).to_bits(), 0);
        assert_eq!(flush(-1e-40).to_bits(), 0x8000_0000);
        assert_eq!(flush(f32::MIN_POSITIVE), f32::MIN_POSITIVE);
        assert!(flush(f32::NAN).is_nan());
        assert_eq!(flush_f64(5e-324), 0.0);
    }
}
