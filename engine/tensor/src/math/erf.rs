//! The error function, its complement and its inverse.
//!
//! `erf` is XLA's (`xla/codegen/intrinsic/erf.cc`, after Eigen's `perf`); `erfc` is the expansion of
//! CHLO (`ChloLegalizeToStablehlo.cpp`, `materializeErfcApproximationF32*`, after Cephes), and
//! `erf_inv` is Giles' polynomial in `log1p(-x^2)` (`xla/hlo/builder/lib/math.cc`, `ErfInv32`).

use super::arith::{bits, polynomial};
use super::exp::exp_of;
use super::log::log1p_of;
use super::number::{Number, Single};
use crate::isa::{BaselineFma, Fma};

/// At and beyond this, in magnitude, `erf` is one.
const ERF_LARGE: f32 = bits(0x4075_47cb);
const ERF_NUMERATOR: [f32; 5] =
    [bits(0x3970_2d51), bits(0x3b5f_5da2), bits(0x3d50_b6eb), bits(0x3e3d_a740), bits(0x3f90_6eba)];
const ERF_DENOMINATOR: [f32; 7] = [
    bits(0xb3fd_3906),
    bits(0x37c5_88df),
    bits(0x3a85_6d28),
    bits(0x3c66_87d4),
    bits(0x3de3_4c21),
    bits(0x3efe_b44a),
    1.0,
];

/// `erf(x)` as `jax.lax.erf` computes it.
#[inline]
#[must_use]
pub fn erf(x: f32) -> f32 {
    erf_with::<BaselineFma>(x)
}

/// [`erf`] with a given FMA.
#[inline(always)]
pub(crate) fn erf_with<F: Fma>(x: f32) -> f32 {
    erf_of(Single::<F>::from(x)).0
}

/// [`erf`] of whatever numbers.
#[inline(always)]
pub(crate) fn erf_of<N: Number>(x: N) -> N {
    let x = x.flush();
    let square = x * x;
    let value = (x * polynomial(square, &ERF_NUMERATOR)) / polynomial(square, &ERF_DENOMINATOR);
    N::choose(x.abs().is_at_least(ERF_LARGE), N::from(1.0).copysign(x), value)
}

/// The polynomial of `erf(x) / x` in `x^2` that `erfc` uses within one.
const ERFC_SMALL: [f32; 7] = [
    bits(0x38a4_b519),
    bits(0xba51_fb80),
    bits(0x3baa_02d9),
    bits(0xbcdb_fc87),
    bits(0x3de7_167c),
    bits(0xbec0_939f),
    bits(0x3f90_6eba),
];
/// The polynomial in `1 / x^2` for `1 <= |x| < 2`.
const ERFC_MIDDLE: [f32; 9] = [
    2.326_82e-2,
    bits(0xbe0e_0868),
    bits(0x3ebc_cbd0),
    bits(0xbf15_1cf8),
    bits(0x3f1e_f9e3),
    bits(0xbefd_28c0),
    3.404_88e-1,
    bits(0xbe8c_5880),
    bits(0x3f10_56e6),
];
/// The polynomial in `1 / x^2` for `2 <= |x|`.
const ERFC_LARGE: [f32; 8] = [
    bits(0xc127_a483),
    1.297_72e1,
    bits(0xc0ef_db4a),
    bits(0x403a_f1fa),
    bits(0xbf81_f436),
    bits(0x3ed7_fc3e),
    bits(0xbe90_6c5d),
    bits(0x3f10_6eb9),
];
/// `exp(-x^2)` is zero for `x^2` above this (`ln` of the greatest `f32`).
const ERFC_UNDERFLOW: f32 = bits(0x42b1_7218);

/// `1 - erf(x)` as `jax.lax.erfc` computes it.
#[inline]
#[must_use]
pub fn erfc(x: f32) -> f32 {
    erfc_with::<BaselineFma>(x)
}

/// [`erfc`] with a given FMA.
#[inline(always)]
pub(crate) fn erfc_with<F: Fma>(x: f32) -> f32 {
    erfc_of(Single::<F>::from(x)).0
}

/// [`erfc`] of whatever numbers.
#[inline(always)]
pub(crate) fn erfc_of<N: Number>(x: N) -> N {
    let x = x.flush();
    let size = x.abs();
    let square = (x * x).flush();
    let small = (-x).fma(polynomial(square, &ERFC_SMALL), 1.0);
    let inverse = (N::from(1.0) / square).flush();
    let (middle, large) = (polynomial(inverse, &ERFC_MIDDLE), polynomial(inverse, &ERFC_LARGE));
    let sum = N::choose(size.is_below(2.0), middle, large);
    let scale = (exp_of(-square) * (N::from(1.0) / size).flush()).flush();
    let tail = N::choose(square.is_above(ERFC_UNDERFLOW), 0.0, (scale * sum).flush());
    let tail = N::choose(x.is_below(0.0), N::from(2.0) - tail, tail);
    N::choose(size.is_below(1.0), small, tail)
}

/// Giles' polynomial for the centre, highest power first.
const ERF_INV_CENTRE: [f32; 9] = [
    bits(0x32f1_6588),
    bits(0x34b8_4b36),
    bits(0xb66c_7357),
    bits(0xb693_5ac1),
    bits(0x3965_32db),
    bits(0xbaa4_5408),
    bits(0xbb88_e4ef),
    bits(0x3e7c_8f63),
    bits(0x3fc0_2e2f),
];
/// Giles' polynomial for the tails.
const ERF_INV_TAIL: [f32; 9] = [
    bits(0xb951_f09b),
    bits(0x38d3_b56b),
    bits(0x3ab0_dc72),
    bits(0xbb70_bde7),
    bits(0x3bbc_127b),
    bits(0xbbf9_c5d7),
    bits(0x3c1a_a57e),
    bits(0x3f80_36db),
    bits(0x4035_4f7e),
];

/// The inverse of `erf` as `jax.lax.erf_inv` computes it: infinite at -1 and 1, NaN beyond.
#[inline]
#[must_use]
pub fn erf_inv(x: f32) -> f32 {
    erf_inv_with::<BaselineFma>(x)
}

/// [`erf_inv`] with a given FMA.
#[inline(always)]
pub(crate) fn erf_inv_with<F: Fma>(x: f32) -> f32 {
    erf_inv_of(Single::<F>::from(x)).0
}

/// [`erf_inv`] of whatever numbers.
#[inline(always)]
pub(crate) fn erf_inv_of<N: Number>(x: N) -> N {
    let x = x.flush();
    let logarithm = log1p_of((x * -x).flush());
    let centre = polynomial(N::from(-2.5) - logarithm, &ERF_INV_CENTRE);
    let tail = polynomial((-logarithm).sqrt() - 3.0, &ERF_INV_TAIL);
    let sum = N::choose(logarithm.is_above(-5.0), centre, tail);
    N::choose(x.abs().is_equal(1.0), x * f32::INFINITY, (x * sum).flush())
}
