//! Exponentials: `exp`, `exp2`, `expm1` and `logistic`.
//!
//! The algorithm is XLA's (`xla/codegen/intrinsic/exp.cc`, which follows Cephes' `expf`):
//! `x = n * ln 2 + r`, a polynomial of `exp(r)`, and a scaling by `2^n`. `expm1` is
//! `tanh(x / 2) * (exp(x) + 1)` near zero (`EmitExpm1` of `elemental_ir_emitter.cc`); `exp2` is
//! `exp(x * ln 2)` and `logistic` is `1 / (1 + exp(-x))`, as XLA's expanders write them.
//! Contractions into FMA are those of the machine code that LLVM makes with FMA at hand.

use super::arith::{bits, polynomial};
use super::hyperbolic::tanh_of;
use super::number::{Number, Single};
use crate::isa::{BaselineFma, Fma};

const LOWEST: f32 = -87.8;
const HIGHEST: f32 = 88.8;
/// The greatest `x` whose `exp(x)` is subnormal.
const SUBNORMAL: f32 = bits(0xc2ae_ac50);
const LOG2_E: f32 = bits(0x3fb8_aa3b);
const LN_2: f32 = bits(0x3f31_7218);
/// `ln 2` in two parts: the first has few bits, so that `n * LN_2_HIGH` is exact.
pub(super) const LN_2_HIGH: f32 = bits(0x3f31_8000);
pub(super) const LN_2_LOW: f32 = bits(0xb95e_8083);
/// The polynomial of `(exp(r) - 1 - r) / r^2`, highest power first.
const POLYNOMIAL: [f32; 6] =
    [bits(0x3950_6967), bits(0x3ab7_43ce), bits(0x3c08_8908), bits(0x3d2a_a9c1), bits(0x3e2a_aaaa), 0.5];

/// What is added to a small integer so that the sum has it in its lowest bits.
const TO_LOW_BITS: f32 = 12_582_912.0;

/// `exp(x)` as its last product, not yet taken: `(exp(r), 2^n)`.
///
/// Whoever adds something to `exp(x)` in the same kernel gets an FMA there, so the callers in
/// this module that add need the two factors.
#[inline(always)]
pub(super) fn exp_factors<N: Number>(x: N) -> (N, N) {
    // (A subnormal `x` need not be flushed: 1 is what comes of it.)
    let held = x.clamp(LOWEST, HIGHEST);
    let n = held.fma(LOG2_E, 0.5).floor();
    // It is not below -127, as `LOWEST` gives that.
    let n = n.at_most(127.0);
    let r = (-n).fma(LN_2_LOW, (-n).fma(LN_2_HIGH, held));
    let mantissa = polynomial(r, &POLYNOMIAL).fma(r * r, r) + 1.0;
    // n is in [-127, 127], so that n + 127 fills the exponent and leaves the sign alone; or NaN, as the mantissa is then.
    // A cast would do the same, but saturates, which costs as much as the polynomial.
    let scale = N::of_bits(N::shifted_left(N::plus((n + TO_LOW_BITS).bits(), 127), 23));
    (mantissa, scale)
}

/// `exp(x)` as `jnp.exp` computes it (`xla/codegen/intrinsic/exp.cc`).
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    exp_with::<BaselineFma>(x)
}

/// [`exp`] with a given FMA.
#[inline(always)]
pub(crate) fn exp_with<F: Fma>(x: f32) -> f32 {
    exp_of(Single::<F>::from(x)).0
}

/// [`exp`] of whatever numbers.
#[inline(always)]
pub(crate) fn exp_of<N: Number>(x: N) -> N {
    let (mantissa, scale) = exp_factors(x);
    // Results fall with `x`, so that one comparison says which are subnormal, and flushed.
    let power = mantissa * scale;
    N::choose(x.is_at_most(SUBNORMAL), 0.0, power)
}

/// `2^x` as `jax.lax.exp2` computes it: `exp(x * ln 2)`, so that `exp2(3)` is not exactly 8.
#[inline]
#[must_use]
pub fn exp2(x: f32) -> f32 {
    exp2_with::<BaselineFma>(x)
}

/// [`exp2`] with a given FMA.
#[inline(always)]
pub(crate) fn exp2_with<F: Fma>(x: f32) -> f32 {
    exp2_of(Single::<F>::from(x)).0
}

/// [`exp2`] of whatever numbers.
#[inline(always)]
pub(crate) fn exp2_of<N: Number>(x: N) -> N {
    exp_of(x * LN_2)
}

/// `exp(x) - 1` as `jnp.expm1` computes it.
#[inline]
#[must_use]
pub fn expm1(x: f32) -> f32 {
    expm1_with::<BaselineFma>(x)
}

/// [`expm1`] with a given FMA.
#[inline(always)]
pub(crate) fn expm1_with<F: Fma>(x: f32) -> f32 {
    expm1_of(Single::<F>::from(x)).0
}

/// [`expm1`] of whatever numbers.
#[inline(always)]
pub(crate) fn expm1_of<N: Number>(x: N) -> N {
    let half = (x.flush() * 0.5).flush();
    let power = exp_of(x);
    let near = tanh_of(half) * (power + 1.0);
    let value = N::choose(x.abs().is_above(0.5), power - 1.0, near);
    N::choose(half.is_equal(0.0), x, value)
}

/// The logistic function as `jax.lax.logistic` (`jax.nn.sigmoid`) computes it.
#[inline]
#[must_use]
pub fn logistic(x: f32) -> f32 {
    logistic_with::<BaselineFma>(x)
}

/// [`logistic`] with a given FMA.
#[inline(always)]
pub(crate) fn logistic_with<F: Fma>(x: f32) -> f32 {
    logistic_of(Single::<F>::from(x)).0
}

/// [`logistic`] of whatever numbers.
#[inline(always)]
pub(crate) fn logistic_of<N: Number>(x: N) -> N {
    let (mantissa, scale) = exp_factors(-x);
    (N::from(1.0) / mantissa.fma(scale, 1.0)).flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::flush;

    #[test]
    fn what_is_subnormal_is_zero_and_nothing_else() {
        for pattern in (-87.2f32).to_bits()..(-88.0f32).to_bits() {
            let x = f32::from_bits(pattern);
            let (mantissa, scale) = exp_factors(Single::<BaselineFma>::from(x));
            assert_eq!(exp(x).to_bits(), flush(mantissa.0 * scale.0).to_bits(), "{x}");
        }
        assert_eq!([exp(f32::NEG_INFINITY), exp(-1e-40), exp(1e-40), exp(-0.0)], [0.0, 1.0, 1.0, 1.0]);
        assert!(exp(f32::NAN).is_nan() && exp(200.0) == f32::INFINITY);
    }
}
