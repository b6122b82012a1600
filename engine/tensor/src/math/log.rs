//! Logarithms: `log` and `log1p`.
//!
//! `log` is XLA's (`xla/codegen/intrinsic/log.cc`, after Cephes' `logf`); `log1p` takes a rational
//! approximation (Cephes' `log1p`) for `|x| < sqrt(2) - 1` and `log(x + 1)` elsewhere
//! (`xla/codegen/intrinsic/log1p.cc`). There is no `log2` and no `log10` here: `jnp.log2` and
//! `jnp.log10` are `log(x) / log(2)` and `log(x) / log(10)` in a program, and divide there.

use super::arith::{bits, flush, horner_from_with, horner_with};
use super::exp::{LN_2_HIGH, LN_2_LOW};
use crate::isa::{BaselineFma, Fma};

const SQRT_HALF: f32 = bits(0x3f35_04f3);
/// The polynomial of `log(1 + x)` in three interleaved parts, joined by powers of `x^3`.
const PARTS: [[f32; 3]; 3] = [
    [bits(0x3d90_21bb), bits(0xbdeb_d1b8), bits(0x3def_251a)],
    [bits(0xbdfe_5d4f), bits(0x3e11_e9bf), bits(0xbe2a_ae50)],
    [bits(0x3e4c_ceac), bits(0xbe7f_fffc), bits(0x3eaa_aaaa)],
];

/// `log(x)` as `jnp.log` computes it: `-inf` at either zero and at subnormals, NaN below.
#[inline]
#[must_use]
pub fn log(x: f32) -> f32 {
    log_with::<BaselineFma>(x)
}

/// [`log`] with a given FMA. Special arguments are sorted out at the end, so that a loop over it has no branches.
#[inline(always)]
pub(crate) fn log_with<F: Fma>(x: f32) -> f32 {
    let x = flush(x);
    let pattern = x.to_bits();
    let raised = f32::from_bits((pattern & 0x007f_ffff) | 0x3f00_0000);
    let exponent = ((pattern >> 23) as i32 - 127) as f32 + 1.0;
    let is_low = raised < SQRT_HALF;
    let fraction = if is_low { (raised - 1.0) + raised } else { raised - 1.0 };
    let exponent = if is_low { exponent - 1.0 } else { exponent };
    let square = fraction * fraction;
    let cube = square * fraction;
    let [first, second, third] = PARTS.map(|part| horner_with::<F>(fraction, &part));
    let sum = F::fma(F::fma(first, cube, second), cube, third);
    let low = F::fma(sum, cube, exponent * LN_2_LOW);
    let high = F::fma(-0.5, square, fraction);
    let value = F::fma(LN_2_HIGH, exponent, high + low);
    let value = if x >= f32::MIN_POSITIVE { value } else { f32::NAN };
    let value = if x == f32::INFINITY { x } else { value };
    if x == 0.0 { f32::NEG_INFINITY } else { value }
}

/// Below this (`sqrt(2) - 1`) in magnitude, `log1p` uses its own approximation.
const LOG1P_SMALL: f32 = bits(0x3ed4_13cd);
const LOG1P_NUMERATOR: [f32; 6] =
    [bits(0x3eff_40c5), bits(0x40d2_84fa), bits(0x41ef_4b9c), bits(0x4273_cc76), bits(0x4264_73ad), bits(0x41a0_5101)];
const LOG1P_NUMERATOR_HEAD: f32 = 4.527e-5;
const LOG1P_DENOMINATOR: [f32; 6] =
    [bits(0x4171_01ad), bits(0x42a6_185b), bits(0x435d_c32d), bits(0x439a_8ca3), bits(0x4358_6d8a), bits(0x4270_7982)];

/// What [`log1p`] computes near zero, as parts: `x + (-x^2 / 2 + x^3 * ratio)`.
pub(super) struct SmallLog1p {
    /// `x^2`, rounded.
    pub(super) square: f32,
    /// `x^3`, rounded twice.
    pub(super) cube: f32,
    /// The rational approximation of `(log(1 + x) - x + x^2 / 2) / x^3`.
    pub(super) ratio: f32,
}

impl SmallLog1p {
    #[inline(always)]
    pub(super) fn new(x: f32) -> Self {
        Self::with::<BaselineFma>(x)
    }

    #[inline(always)]
    fn with<F: Fma>(x: f32) -> Self {
        let numerator = horner_from_with::<F>(LOG1P_NUMERATOR_HEAD, x, &LOG1P_NUMERATOR);
        let denominator = horner_from_with::<F>(1.0, x, &LOG1P_DENOMINATOR);
        let square = flush(x * x);
        Self { square, cube: flush(x * square), ratio: numerator / denominator }
    }
}

/// True where [`log1p`] uses [`SmallLog1p`].
#[inline(always)]
pub(super) fn log1p_is_small(x: f32) -> bool {
    x.abs() < LOG1P_SMALL
}

/// `log(1 + x)` as `jnp.log1p` computes it.
#[inline]
#[must_use]
pub fn log1p(x: f32) -> f32 {
    log1p_with::<BaselineFma>(x)
}

/// [`log1p`] with a given FMA.
#[inline(always)]
pub(crate) fn log1p_with<F: Fma>(x: f32) -> f32 {
    let x = flush(x);
    let SmallLog1p { square, cube, ratio } = SmallLog1p::with::<F>(x);
    let small = x + flush(F::fma(square, -0.5, flush(cube * ratio)));
    let large = log_with::<F>(x + 1.0);
    if log1p_is_small(x) { small } else { large }
}
