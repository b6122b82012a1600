//! The logarithm of the gamma function and its derivative.
//!
//! Both are Lanczos' approximation with seven terms plus reflection below one half, as XLA expands
//! them (`xla/hlo/builder/lib/math.cc`, `Lgamma` and `Digamma`; the same in CHLO).

use super::arith::{bits, flush};
use super::log::{log_with, log1p_with};
use super::trig::{cos_usual, sin_usual};
use crate::isa::{BaselineFma, Fma};

/// Lanczos' coefficients in magnitude, with the sign of each term of the series.
const TERMS: [(f32, f32); 8] = [
    (1.0, bits(0x4429_214e)),
    (-1.0, bits(0x449d_6474)),
    (1.0, bits(0x4440_d4b3)),
    (-1.0, bits(0x4330_9d73)),
    (1.0, bits(0x4148_1e14)),
    (-1.0, bits(0x3e0d_e595)),
    (1.0, bits(0x3727_828a)),
    (1.0, bits(0x3421_aa84)),
];
/// `1 / 7.5`, for `log(z + 7.5) = log(7.5) + log1p(z / 7.5)`.
const ONE_OVER_SHIFT: f32 = bits(0x3e08_8889);
const LOG_SHIFT: f32 = bits(0x4000_f42c);
const SHIFT: f32 = 7.5;
/// Lanczos' g: the shift less one half.
const LANCZOS_G: f32 = 7.0;
/// `log(sqrt(2 pi))`.
const LOG_SQRT_TWO_PI: f32 = bits(0x3f6b_3f8e);
const LOG_PI: f32 = bits(0x3f92_8682);
const PI: f32 = bits(0x4049_0fdb);

/// The argument of the series: `-x` where reflection follows, `x - 1` elsewhere.
#[inline(always)]
fn series_argument(x: f32) -> f32 {
    if x < 0.5 { -x } else { x - 1.0 }
}

/// Lanczos' series at `z`, term by term from the left.
#[inline(always)]
fn series(z: f32) -> f32 {
    let mut offset = 0.0;
    TERMS.iter().fold(1.0, |sum, &(sign, coefficient)| {
        offset += 1.0;
        sum + sign * (coefficient / (z + offset))
    })
}

/// The derivative of [`series`] at `z`.
#[inline(always)]
fn series_derivative(z: f32) -> f32 {
    let mut offset = 0.0;
    TERMS.iter().fold(0.0, |sum, &(sign, coefficient)| {
        offset += 1.0;
        let place = z + offset;
        sum - sign * (coefficient / (place * place))
    })
}

/// `log(|gamma(x)|)` as `jax.lax.lgamma` computes it: infinite at zero and negative integers.
#[must_use]
pub fn lgamma(x: f32) -> f32 {
    lgamma_with::<BaselineFma>(x)
}

/// [`lgamma`] with a given FMA. Arguments are sorted out at the end, so that a loop over it has no branches.
#[inline(always)]
pub(crate) fn lgamma_with<F: Fma>(x: f32) -> f32 {
    let x = flush(x);
    let size = x.abs();
    let z = series_argument(x);
    let log_t = log1p_with::<F>(z * ONE_OVER_SHIFT) + LOG_SHIFT;
    let power = (z + 0.5) - (z + SHIFT) / log_t;
    let direct = F::fma(log_t, power, LOG_SQRT_TWO_PI) + log_with::<F>(series(z));
    let fraction = size - size.floor();
    let folded = if fraction > 0.5 { 1.0 - fraction } else { fraction };
    let log_sine = log_with::<F>(sin_usual(folded * PI));
    let reflected = if log_sine.is_infinite() { -log_sine } else { (LOG_PI - log_sine) - direct };
    let finite = if x < 0.5 { reflected } else { direct };
    if size == f32::INFINITY { f32::INFINITY } else { finite }
}

/// The derivative of `lgamma` as `jax.lax.digamma` computes it: NaN at zero and negative integers.
#[must_use]
pub fn digamma(x: f32) -> f32 {
    digamma_with::<BaselineFma>(x)
}

/// [`digamma`] with a given FMA, without branches.
#[inline(always)]
pub(crate) fn digamma_with<F: Fma>(x: f32) -> f32 {
    let x = flush(x);
    let z = series_argument(x);
    let log_t = log1p_with::<F>(z * ONE_OVER_SHIFT) + LOG_SHIFT;
    let direct = (log_t + series_derivative(z) / series(z)) - LANCZOS_G / (z + SHIFT);
    // Minus the nearest integer, which is at most zero where this is asked for, keeps the cotangent's argument small.
    let angle = (x + (x + 0.5).floor().abs()) * PI;
    let reflected = direct - (cos_usual(angle) * PI) / sin_usual(angle);
    let value = if x < 0.5 { reflected } else { direct };
    if x <= 0.0 && x.trunc() == x { f32::NAN } else { value }
}
