//! Roots: `sqrt`, `rsqrt` and `cbrt`.
//!
//! `sqrt` is one instruction, rounded correctly. `rsqrt` is one Newton step on the processor's
//! approximation (`xla/codegen/intrinsic/rsqrt.cc`), hence off by one unit in the last place for
//! about a fifth of all inputs. `cbrt` calls the C library; this is glibc's algorithm up to 2.40
//! (`sysdeps/ieee754/flt-32/s_cbrtf.c`), newer ones round correctly.

use super::arith::{flush, fma};
use super::rsqrt_table::approximate;

/// `sqrt(x)` as `jnp.sqrt` computes it: NaN below zero, `-0.0` at `-0.0`.
#[inline]
#[must_use]
pub fn sqrt(x: f32) -> f32 {
    flush(x).sqrt()
}

/// `1 / sqrt(x)` as `jax.lax.rsqrt` computes it on an AMD processor.
#[inline]
#[must_use]
pub fn rsqrt(x: f32) -> f32 {
    let x = flush(x);
    if x == 0.0 {
        return f32::INFINITY.copysign(x);
    }
    if x == f32::INFINITY {
        return 0.0;
    }
    if x < 0.0 || x.is_nan() {
        return f32::NAN;
    }
    let guess = approximate(x);
    fma(guess * -0.5, fma(x * guess, guess, -1.0), guess)
}

/// `2^(-2/3)`, `2^(-1/3)`, `1`, `2^(1/3)`, `2^(2/3)`: the factor for the exponent's rest by three.
const THIRDS: [f64; 5] =
    [1.0 / SQUARED_CUBE_ROOT_OF_TWO, 1.0 / CUBE_ROOT_OF_TWO, 1.0, CUBE_ROOT_OF_TWO, SQUARED_CUBE_ROOT_OF_TWO];
const CUBE_ROOT_OF_TWO: f64 = 1.259_921_049_894_873_2;
const SQUARED_CUBE_ROOT_OF_TWO: f64 = 1.587_401_051_968_199_4;

/// What `cbrtf` answers for every subnormal number, of either sign, while subnormals are flushed:
/// it scales them up to find their exponent, gets zero, and goes on with that.
const CBRT_OF_SUBNORMAL: f32 = f32::from_bits(0xa621_4518);

/// The cube root as `jnp.cbrt` computes it (within one unit in the last place of the true one).
#[must_use]
pub fn cbrt(x: f32) -> f32 {
    if x.is_subnormal() {
        return CBRT_OF_SUBNORMAL;
    }
    if !x.is_normal() {
        return x + x;
    }
    let pattern = x.to_bits();
    let exponent = ((pattern >> 23) & 0xff) as i32 - 126;
    let fraction = f64::from(f32::from_bits((pattern & 0x007f_ffff) | 0x3f00_0000));
    // Intermediate values are kept in `float` by the C source: each `as f32` is one of them.
    let start =
        (0.492_659_620_528_969_55 + (0.697_570_460_207_922_8 - 0.191_502_161_678_719_07 * fraction) * fraction) as f32;
    let cube = start * start * start;
    let (start, cube) = (f64::from(start), f64::from(cube));
    // The index is in 0..=4: the remainder of a division by three is in -2..=2.
    let factor = THIRDS[(exponent % 3 + 2) as usize];
    let root = (start * (cube + 2.0 * fraction) / (2.0 * cube + fraction) * factor) as f32;
    // A third of an exponent is far from the ends: the power of two is normal.
    let scale = f32::from_bits(((exponent / 3 + 127) as u32) << 23);
    (root * scale).copysign(x)
}
