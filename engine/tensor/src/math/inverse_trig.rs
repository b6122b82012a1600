//! Inverse circular functions: `asin`, `acos`, `atan` and `atan2`.
//!
//! Everything is `atan2` (CHLO's expansions `ChloDecompositionPatterns.td`), and `atan2` is a call
//! of the C library's `atan2f`. This is Sun's fdlibm as in glibc up to 2.40 (`e_atan2f.c`,
//! `s_atanf.c`): single precision, within one unit in the last place.

use super::arith::{bits, flush};

/// `atan` of 0.5, 1, 1.5 and infinity, in two parts.
const ANGLES: [(f32, f32); 4] = [
    (bits(0x3eed_6338), bits(0x31ac_3769)),
    (bits(0x3f49_0fda), bits(0x3322_2168)),
    (bits(0x3f7b_985e), bits(0x3314_0fb4)),
    (bits(0x3fc9_0fda), bits(0x33a2_2168)),
];
/// `(x - atan(x)) / x^3` in powers of `x^2`, as fdlibm prints them.
const COEFFICIENTS: [f32; 11] = [
    3.333_333_4e-1,
    -2.0e-1,
    1.428_571_5e-1,
    -1.111_111_04e-1,
    9.090_887e-2,
    -7.691_876e-2,
    6.661_073e-2,
    -5.833_57e-2,
    4.976_878e-2,
    -3.653_157e-2,
    1.628_582e-2,
];

/// `atan(x)` as `jnp.arctan` computes it.
#[must_use]
pub fn atan(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    let pattern = x.to_bits() & 0x7fff_ffff;
    // Below 2^-29: nothing to add. From 2^25: a quarter turn.
    if pattern < 0x3100_0000 {
        return x;
    }
    if pattern >= 0x4c00_0000 {
        return (ANGLES[3].0 + ANGLES[3].1).copysign(x);
    }
    let size = x.abs();
    let (argument, angle) = match pattern {
        0..0x3ee0_0000 => (x, None),
        0x3ee0_0000..0x3f30_0000 => ((2.0 * size - 1.0) / (2.0 + size), Some(ANGLES[0])),
        0x3f30_0000..0x3f98_0000 => ((size - 1.0) / (size + 1.0), Some(ANGLES[1])),
        0x3f98_0000..0x401c_0000 => ((size - 1.5) / (1.0 + 1.5 * size), Some(ANGLES[2])),
        _ => (-1.0 / size, Some(ANGLES[3])),
    };
    let square = argument * argument;
    let fourth = square * square;
    let every_other = |first: usize| {
        let terms = COEFFICIENTS[first..].iter().step_by(2).rev();
        terms.fold(0.0, |sum: f32, &term| term + fourth * sum)
    };
    let sum = square * every_other(0) + fourth * every_other(1);
    match angle {
        None => argument - argument * sum,
        Some((high, low)) => (high - ((argument * sum - low) - argument)).copysign(x),
    }
}

const PI: f32 = bits(0x4049_0fdb);
const PI_LOW: f32 = bits(0xb3bb_bd2e);
const HALF_PI: f32 = bits(0x3fc9_0fdb);
const QUARTER_PI: f32 = bits(0x3f49_0fdb);

/// The angle of the point `(x, y)` as `jnp.arctan2(y, x)` computes it.
#[must_use]
pub fn atan2(y: f32, x: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    if x == 1.0 {
        return atan(y);
    }
    let (x_bits, y_bits) = (x.to_bits() & 0x7fff_ffff, y.to_bits() & 0x7fff_ffff);
    let left = x.is_sign_negative();
    if y_bits == 0 {
        return if left { PI.copysign(y) } else { y };
    }
    if x_bits == 0 {
        return HALF_PI.copysign(y);
    }
    if x.is_infinite() {
        let angle = match (y.is_infinite(), left) {
            (true, false) => QUARTER_PI,
            (true, true) => 3.0 * QUARTER_PI,
            (false, false) => 0.0,
            (false, true) => PI,
        };
        return angle.copysign(y);
    }
    if y.is_infinite() {
        return HALF_PI.copysign(y);
    }
    // The difference of the exponents, to spare the division where it could overflow.
    let exponents = (y_bits as i32 - x_bits as i32) >> 23;
    let angle = if exponents > 60 {
        HALF_PI + 0.5 * PI_LOW
    } else if left && exponents < -60 {
        0.0
    } else {
        atan(flush((flush(y) / flush(x)).abs()))
    };
    match (left, y.is_sign_negative()) {
        (false, false) => angle,
        (false, true) => -angle,
        (true, false) => PI - (angle - PI_LOW),
        (true, true) => (angle - PI_LOW) - PI,
    }
}

/// `asin(x)` as `jnp.arcsin` computes it: `2 atan2(x, 1 + sqrt((1 - x) (1 + x)))`, NaN beyond one.
#[must_use]
pub fn asin(x: f32) -> f32 {
    let cosine = ((1.0 - x) * (x + 1.0)).sqrt();
    let half = flush(atan2(x, cosine + 1.0));
    half + half
}

/// `acos(x)` as `jnp.arccos` computes it: `atan2(sqrt((1 - x) (1 + x)), x)`, NaN beyond one.
#[must_use]
pub fn acos(x: f32) -> f32 {
    atan2(((1.0 - x) * (x + 1.0)).sqrt(), x)
}
