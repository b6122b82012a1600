//! Circular functions: `sin`, `cos` and `tan`.
//!
//! XLA's CPU back end has no expansion of these for `f32`: the compiled kernel calls `sinf`, `cosf`
//! and `tanf` of the C library. To be the same on every platform, this file computes what glibc
//! (2.28 to 2.40) computes: for `sin` and `cos` Arm's optimized routines (`math/sincosf.h`, double
//! precision inside, no more than 0.56 units in the last place off), for `tan` the same reduction and
//! then Sun's fdlibm (`k_tanf.c`, single precision).

use super::arith::bits;
use super::trig_reduce::{LARGE, reduce, reduce_pair, reduce_usual};

/// Whether [`sin_usual`] and [`cos_usual`] know the sine and cosine of an argument.
#[inline(always)]
pub(crate) fn is_usual(x: f32) -> bool {
    x.abs() < LARGE
}

/// [`sin`] of a usual argument, without branches.
#[inline(always)]
pub(crate) fn sin_usual(x: f32) -> f32 {
    let value = shifted_sine_usual(x, 0);
    if top_bits(x) < TINY { x } else { value }
}

/// [`cos`] of a usual argument, without branches.
#[inline(always)]
pub(crate) fn cos_usual(x: f32) -> f32 {
    let value = shifted_sine_usual(x, 1);
    if top_bits(x) < TINY { 1.0 } else { value }
}

#[inline(always)]
fn shifted_sine_usual(x: f32, quarters: u32) -> f32 {
    let (rest, quarter) = reduce_usual(x);
    let quarter = quarter.wrapping_add(quarters);
    let (sine, cosine) = (polynomial(rest, 0), polynomial(rest, 1));
    let value = if quarter & 1 == 0 { sine } else { cosine };
    f32::from_bits(value.to_bits() ^ (quarter & 2) << 30)
}

const fn wide(pattern: u64) -> f64 {
    f64::from_bits(pattern)
}

/// `sin(x) = x + x^3 * (S[0] + x^2 * (S[1] + x^2 * S[2]))` within a quarter turn's half.
const SINE: [f64; 3] = [wide(0xbfc5_5554_5995_a603), wide(0x3f81_1076_0523_0bc4), wide(0xbf29_94eb_3774_cf24)];
/// `cos(x) = 1 + x^2 * (C[0] + x^2 * (...))` within a quarter turn's half.
const COSINE: [f64; 4] = [
    wide(0xbfdf_ffff_fd0c_621c),
    wide(0x3fa5_5553_e106_8f19),
    wide(0xbf56_c087_e89a_359d),
    wide(0x3ef9_9343_027b_f8c3),
];

/// The pattern's exponent and first fraction bits without the sign, by which the C source branches.
#[inline(always)]
fn top_bits(x: f32) -> u32 {
    (x.to_bits() >> 20) & 0x7ff
}

/// Below this [`top_bits`] (0.75) no reduction is needed.
const QUARTER: u32 = 0x3f4;
/// Below this [`top_bits`] (`2^-12`) `sin(x) = x` and `cos(x) = 1`.
const TINY: u32 = 0x398;

/// The sine polynomial when `quarter` is even, the cosine polynomial when odd.
#[inline(always)]
fn polynomial(x: f64, quarter: i32) -> f32 {
    let square = x * x;
    if quarter & 1 == 0 {
        let cube = x * square;
        let tail = SINE[1] + square * SINE[2];
        let fifth = cube * square;
        ((x + cube * SINE[0]) + fifth * tail) as f32
    } else {
        let fourth = square * square;
        let tail = COSINE[2] + square * COSINE[3];
        let head = 1.0 + square * COSINE[0];
        let sixth = fourth * square;
        ((head + fourth * COSINE[1]) + sixth * tail) as f32
    }
}

/// Sine of the angle plus `quarters` quarter turns, for finite `x`.
#[inline(always)]
fn shifted_sine(x: f32, quarters: i32) -> f32 {
    let (rest, quarter) = reduce(x);
    let quarter = quarter + quarters;
    let value = polynomial(rest, quarter);
    if quarter & 2 == 0 { value } else { -value }
}

/// `sin(x)` as `jnp.sin` computes it: NaN at infinities.
#[must_use]
pub fn sin(x: f32) -> f32 {
    let top = top_bits(x);
    if top < TINY {
        x
    } else if top < QUARTER {
        polynomial(f64::from(x), 0)
    } else if x.is_finite() {
        shifted_sine(x, 0)
    } else {
        f32::NAN
    }
}

/// `cos(x)` as `jnp.cos` computes it: NaN at infinities.
#[must_use]
pub fn cos(x: f32) -> f32 {
    let top = top_bits(x);
    if top < TINY {
        1.0
    } else if top < QUARTER {
        polynomial(f64::from(x), 1)
    } else if x.is_finite() {
        shifted_sine(x, 1)
    } else {
        f32::NAN
    }
}

/// fdlibm's `T` of `k_tanf.c`: `tan(x) / x` in powers of `x^2`.
const TANGENT: [f32; 13] = [
    bits(0x3eaa_aaab),
    bits(0x3e08_8889),
    bits(0x3d5d_0dd1),
    bits(0x3cb3_27a4),
    bits(0x3c11_371f),
    bits(0x3b6b_6916),
    bits(0x3abe_de48),
    bits(0x3a1a_26c8),
    bits(0x3981_37b9),
    bits(0x38a3_f445),
    bits(0x3895_c07a),
    bits(0xb79b_ae5f),
    bits(0x37d9_5384),
];
const PI_OVER_4: f32 = bits(0x3f49_0fda);
const PI_OVER_4_LOW: f32 = bits(0x3322_2168);

/// `tan(x + low)` for `invert == 1`, and minus its inverse for `invert == -1`, within pi / 4.
fn kernel_tangent(x: f32, low: f32, invert: i32) -> f32 {
    let size = x.to_bits() & 0x7fff_ffff;
    // Below 2^-13, where fdlibm stops at the first term.
    if size < 0x3900_0000 {
        return if invert == 1 { x } else { -1.0 / x };
    }
    let sign = if x.is_sign_negative() { -1.0 } else { 1.0 };
    // From 0.6744 the kernel works on the complement to pi / 4.
    let near = size >= 0x3f2c_a140;
    let direction = invert as f32;
    let (x, low) = if near {
        let (x, low) = (x * sign, low * sign);
        ((PI_OVER_4 - x) + (PI_OVER_4_LOW - low), 0.0)
    } else {
        (x, low)
    };
    if near && x.abs() < bits(0x3900_0000) {
        return sign * direction * (1.0 - 2.0 * direction * x);
    }
    let square = x * x;
    let fourth = square * square;
    let every_other = |first: usize| {
        let terms = TANGENT[first..].iter().step_by(2).rev();
        terms.fold(0.0, |sum: f32, &term| sum * fourth + term)
    };
    let odd = every_other(1);
    let even = square * every_other(2);
    let cube = square * x;
    let tail = low + square * (cube * (odd + even) + low) + TANGENT[0] * cube;
    let sum = x + tail;
    if near {
        return sign * (direction - 2.0 * (x - (sum * sum / (sum + direction) - tail)));
    }
    if invert == 1 {
        return sum;
    }
    // -1 / (x + tail), with the quotient corrected in two parts.
    let cut = |value: f32| f32::from_bits(value.to_bits() & 0xffff_f000);
    let head = cut(sum);
    let rest = tail - (head - x);
    let inverse = -1.0 / sum;
    let inverse_head = cut(inverse);
    let error = 1.0 + inverse_head * head;
    inverse_head + inverse * (error + inverse_head * rest)
}

/// `tan(x)` as `jnp.tan` computes it: NaN at infinities.
#[must_use]
pub fn tan(x: f32) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    if x.to_bits() & 0x7fff_ffff <= 0x3f49_0fda {
        return kernel_tangent(x, 0.0, 1);
    }
    let (rest, low, quarter) = reduce_pair(x);
    kernel_tangent(rest, low, 1 - ((quarter & 1) << 1))
}
