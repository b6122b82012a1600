//! Hyperbolic functions and their inverses.
//!
//! `tanh` is XLA's rational approximation (`xla/codegen/intrinsic/tanh.cc`, after Eigen's `ptanh`).
//! The others are the expansions of StableHLO's CHLO dialect
//! (`stablehlo/transforms/ChloDecompositionPatterns.td` and `ChloLegalizeToStablehlo.cpp`) on top
//! of `exp`, `expm1`, `log` and `log1p`, with the FMA contractions of the compiled kernels.

use super::arith::{bits, flush, fma, polynomial};
use super::exp::{exp_factors, expm1_of};
use super::log::{SmallLog1p, log, log1p, log1p_is_small};
use super::number::{Number, Single};
use crate::isa::{BaselineFma, Fma};

/// Beyond this, in magnitude, the approximation of `tanh` is held.
const TANH_HIGHEST: f32 = bits(0x40ff_f644);
const TANH_NUMERATOR: [f32; 7] = [
    bits(0xa59f_25c0),
    bits(0x2a61_337e),
    bits(0xaebd_37ff),
    bits(0x335c_0041),
    bits(0x3779_434a),
    bits(0x3a27_0ded),
    bits(0x3ba0_59dc),
];
const TANH_DENOMINATOR: [f32; 4] = [bits(0x35a0_d3d8), bits(0x38f8_95d6), bits(0x3b14_aa05), bits(0x3ba0_59dd)];
const LN_2: f32 = bits(0x3f31_7218);

/// `tanh(x)` as `jnp.tanh` computes it (`xla/codegen/intrinsic/tanh.cc`).
#[inline]
#[must_use]
pub fn tanh(x: f32) -> f32 {
    tanh_with::<BaselineFma>(x)
}

/// [`tanh`] with a given FMA.
#[inline(always)]
pub(crate) fn tanh_with<F: Fma>(x: f32) -> f32 {
    tanh_of(Single::<F>::from(x)).0
}

/// [`tanh`] of whatever numbers.
#[inline(always)]
pub(crate) fn tanh_of<N: Number>(x: N) -> N {
    let held = x.clamp(-TANH_HIGHEST, TANH_HIGHEST);
    let square = held * held;
    let value = (held * polynomial(square, &TANH_NUMERATOR)) / polynomial(square, &TANH_DENOMINATOR);
    // XLA gives 1 from 20 on; what is held gives 1 as well.
    N::choose(x.abs().is_below(4.0e-4), x, value)
}

/// `exp(x - ln 2)` and `exp(-x - ln 2)` as factors: half of `exp(x)` with no early overflow.
#[inline(always)]
fn half_exponentials<N: Number>(x: N) -> ((N, N), (N, N)) {
    (exp_factors(x - LN_2), exp_factors(N::from(-LN_2) - x))
}

/// `sinh(x)` as `jnp.sinh` computes it.
#[inline]
#[must_use]
pub fn sinh(x: f32) -> f32 {
    sinh_with::<BaselineFma>(x)
}

/// [`sinh`] with a given FMA.
#[inline(always)]
pub(crate) fn sinh_with<F: Fma>(x: f32) -> f32 {
    sinh_of(Single::<F>::from(x)).0
}

/// [`sinh`] of whatever numbers.
#[inline(always)]
pub(crate) fn sinh_of<N: Number>(x: N) -> N {
    let x = x.flush();
    let grown = expm1_of(x);
    let small = ((grown + grown / (grown + 1.0)) * 0.5).flush();
    let ((up, up_scale), (down, down_scale)) = half_exponentials(x);
    N::choose(x.abs().is_below(1.0), small, up.fma(up_scale, -(down * down_scale).flush()))
}

/// `cosh(x)` as `jnp.cosh` computes it.
#[inline]
#[must_use]
pub fn cosh(x: f32) -> f32 {
    cosh_with::<BaselineFma>(x)
}

/// [`cosh`] with a given FMA.
#[inline(always)]
pub(crate) fn cosh_with<F: Fma>(x: f32) -> f32 {
    cosh_of(Single::<F>::from(x)).0
}

/// [`cosh`] of whatever numbers.
#[inline(always)]
pub(crate) fn cosh_of<N: Number>(x: N) -> N {
    let ((up, up_scale), (down, down_scale)) = half_exponentials(x.flush());
    up.fma(up_scale, (down * down_scale).flush())
}

/// Above this (`sqrt` of the greatest `f32`) `asinh(x)` is `log(2 x)`.
const ASINH_LARGE: f32 = bits(0x5f7f_ffff);
/// Above this (half of the greatest `f32`) `acosh(x)` is `log(2 x)`.
const ACOSH_LARGE: f32 = bits(0x7eff_ffff);

/// `asinh(x)` as `jnp.arcsinh` computes it.
#[inline]
#[must_use]
pub fn asinh(x: f32) -> f32 {
    let size = flush(x.abs());
    if size == 0.0 {
        return 0.0_f32.copysign(x);
    }
    let magnitude = if size >= ASINH_LARGE {
        log(size) + LN_2
    } else {
        let square = flush(x * x);
        log1p(size + square / ((square + 1.0).sqrt() + 1.0))
    };
    if x.is_nan() { x } else { flush(magnitude.copysign(x)) }
}

/// `acosh(x)` as `jnp.arccosh` computes it: NaN below 1.
#[inline]
#[must_use]
pub fn acosh(x: f32) -> f32 {
    let x = flush(x);
    if x >= ACOSH_LARGE {
        return log(x) + LN_2;
    }
    let low = (x - 1.0).sqrt();
    log1p(low * ((x + 1.0).sqrt() + low))
}

/// `atanh(x)` as `jnp.arctanh` computes it: NaN beyond 1 in magnitude.
///
/// The expansion is `(log1p(x) - log1p(-x)) / 2`, but the two share `-x^2 / 2` in the compiled
/// kernel, and a product with two uses is not contracted: the sums here differ from `log1p`'s.
#[inline]
#[must_use]
pub fn atanh(x: f32) -> f32 {
    let x = flush(x);
    if x.abs() > 1.0 {
        return f32::NAN;
    }
    let difference = if log1p_is_small(x) {
        let above = SmallLog1p::new(x);
        let below = SmallLog1p::new(-x);
        let bend = flush(above.square * -0.5);
        (x + fma(above.cube, above.ratio, bend)) - (fma(below.cube, below.ratio, bend) - x)
    } else {
        log(x + 1.0) - log(1.0 - x)
    };
    flush(difference * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tanh_is_one_where_it_is_held() {
        for x in [TANH_HIGHEST, 20.0, 1e30, f32::INFINITY] {
            assert_eq!((tanh(x), tanh(-x)), (1.0, -1.0));
        }
        assert!(tanh(f32::NAN).is_nan());
    }
}
