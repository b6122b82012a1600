//! Logarithms: `log` and `log1p`.
//!
//! `log` is XLA's (`xla/codegen/intrinsic/log.cc`, after Cephes' `logf`); `log1p` takes a rational
//! approximation (Cephes' `log1p`) for `|x| < sqrt(2) - 1` and `log(x + 1)` elsewhere
//! (`xla/codegen/intrinsic/log1p.cc`). There is no `log2` and no `log10` here: `jnp.log2` and
//! `jnp.log10` are `log(x) / log(2)` and `log(x) / log(10)` in a program, and divide there.

use super::arith::{bits, polynomial, polynomial_from};
use super::exp::{LN_2_HIGH, LN_2_LOW};
use super::number::{Number, Single};
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
    log_of(Single::<F>::from(x)).0
}

/// [`log`] of whatever numbers.
#[inline(always)]
pub(crate) fn log_of<N: Number>(x: N) -> N {
    let x = x.flush();
    let pattern = x.bits();
    let raised = N::of_bits(N::or(N::and(pattern, 0x007f_ffff), 0x3f00_0000));
    let exponent = N::of_integer(N::plus(N::shifted_right(pattern, 23), 127u32.wrapping_neg())) + 1.0;
    let is_low = raised.is_below(SQRT_HALF);
    let fraction = N::choose(is_low, (raised - 1.0) + raised, raised - 1.0);
    let exponent = N::choose(is_low, exponent - 1.0, exponent);
    let square = fraction * fraction;
    let cube = square * fraction;
    let [first, second, third] = PARTS.map(|part| polynomial(fraction, &part));
    let sum = first.fma(cube, second).fma(cube, third);
    let low = sum.fma(cube, exponent * LN_2_LOW);
    let high = N::from(-0.5).fma(square, fraction);
    let value = N::from(LN_2_HIGH).fma(exponent, high + low);
    let value = N::choose(x.is_at_least(f32::MIN_POSITIVE), value, f32::NAN);
    let value = N::choose(x.is_equal(f32::INFINITY), x, value);
    N::choose(x.is_equal(0.0), f32::NEG_INFINITY, value)
}

/// Below this (`sqrt(2) - 1`) in magnitude, `log1p` uses its own approximation.
const LOG1P_SMALL: f32 = bits(0x3ed4_13cd);
const LOG1P_NUMERATOR: [f32; 6] =
    [bits(0x3eff_40c5), bits(0x40d2_84fa), bits(0x41ef_4b9c), bits(0x4273_cc76), bits(0x4264_73ad), bits(0x41a0_5101)];
const LOG1P_NUMERATOR_HEAD: f32 = 4.527e-5;
const LOG1P_DENOMINATOR: [f32; 6] =
    [bits(0x4171_01ad), bits(0x42a6_185b), bits(0x435d_c32d), bits(0x439a_8ca3), bits(0x4358_6d8a), bits(0x4270_7982)];

/// What [`log1p`] computes near zero, as parts: `x + (-x^2 / 2 + x^3 * ratio)`.
pub(super) struct SmallLog1p<N = f32> {
    /// `x^2`, rounded.
    pub(super) square: N,
    /// `x^3`, rounded twice.
    pub(super) cube: N,
    /// The rational approximation of `(log(1 + x) - x + x^2 / 2) / x^3`.
    pub(super) ratio: N,
}

impl SmallLog1p {
    #[inline(always)]
    pub(super) fn new(x: f32) -> SmallLog1p {
        let SmallLog1p { square, cube, ratio } = SmallLog1p::of(Single::<BaselineFma>::from(x));
        SmallLog1p { square: square.0, cube: cube.0, ratio: ratio.0 }
    }
}

impl<N: Number> SmallLog1p<N> {
    #[inline(always)]
    fn of(x: N) -> SmallLog1p<N> {
        let numerator = polynomial_from(LOG1P_NUMERATOR_HEAD, x, &LOG1P_NUMERATOR);
        let denominator = polynomial_from(1.0, x, &LOG1P_DENOMINATOR);
        let square = (x * x).flush();
        SmallLog1p { square, cube: (x * square).flush(), ratio: numerator / denominator }
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
    log1p_of(Single::<F>::from(x)).0
}

/// [`log1p`] of whatever numbers.
#[inline(always)]
pub(crate) fn log1p_of<N: Number>(x: N) -> N {
    let x = x.flush();
    let SmallLog1p { square, cube, ratio } = SmallLog1p::of(x);
    let small = x + square.fma(-0.5, (cube * ratio).flush()).flush();
    let large = log_of(x + 1.0);
    N::choose(x.abs().is_below(LOG1P_SMALL), small, large)
}
