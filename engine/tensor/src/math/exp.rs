//! Exponentials: `exp`, `exp2`, `expm1` and `logistic`.
//!
//! The algorithm is XLA's (`xla/codegen/intrinsic/exp.cc`, which follows Cephes' `expf`):
//! `x = n * ln 2 + r`, a polynomial of `exp(r)`, and a scaling by `2^n`. `expm1` is
//! `tanh(x / 2) * (exp(x) + 1)` near zero (`EmitExpm1` of `elemental_ir_emitter.cc`); `exp2` is
//! `exp(x * ln 2)` and `logistic` is `1 / (1 + exp(-x))`, as XLA's expanders write them.
//! Contractions into FMA are those of the machine code that LLVM makes with FMA at hand.

use super::arith::{bits, clamp, flush, fma, horner};
use super::hyperbolic::tanh;

const LOWEST: f32 = -87.8;
const HIGHEST: f32 = 88.8;
const LOG2_E: f32 = bits(0x3fb8_aa3b);
const LN_2: f32 = bits(0x3f31_7218);
/// `ln 2` in two parts: the first has few bits, so that `n * LN_2_HIGH` is exact.
pub(super) const LN_2_HIGH: f32 = bits(0x3f31_8000);
pub(super) const LN_2_LOW: f32 = bits(0xb95e_8083);
/// The polynomial of `(exp(r) - 1 - r) / r^2`, highest power first.
const POLYNOMIAL: [f32; 6] =
    [bits(0x3950_6967), bits(0x3ab7_43ce), bits(0x3c08_8908), bits(0x3d2a_a9c1), bits(0x3e2a_aaaa), 0.5];

/// `exp(x)` as its last product, not yet taken: `(exp(r), 2^n)`.
///
/// Whoever adds something to `exp(x)` in the same kernel gets an FMA there, so the callers in
/// this module that add need the two factors.
#[inline(always)]
pub(super) fn exp_factors(x: f32) -> (f32, f32) {
    let held = clamp(flush(x), LOWEST, HIGHEST);
    let n = clamp(fma(held, LOG2_E, 0.5).floor(), -127.0, 127.0);
    let r = fma(-n, LN_2_LOW, fma(-n, LN_2_HIGH, held));
    let mantissa = fma(horner(r, &POLYNOMIAL), r * r, r) + 1.0;
    // n is in [-127, 127] or NaN, which casts to 0 while the mantissa is NaN.
    let scale = f32::from_bits(((n as i32 + 127) as u32) << 23);
    (mantissa, scale)
}

/// `exp(x)` as `jnp.exp` computes it (`xla/codegen/intrinsic/exp.cc`).
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    let (mantissa, scale) = exp_factors(x);
    flush(mantissa * scale)
}

/// `2^x` as `jax.lax.exp2` computes it: `exp(x * ln 2)`, so that `exp2(3)` is not exactly 8.
#[inline]
#[must_use]
pub fn exp2(x: f32) -> f32 {
    exp(x * LN_2)
}

/// `exp(x) - 1` as `jnp.expm1` computes it.
#[inline]
#[must_use]
pub fn expm1(x: f32) -> f32 {
    let half = flush(flush(x) * 0.5);
    if half == 0.0 {
        return x;
    }
    let power = exp(x);
    if x.abs() > 0.5 { power - 1.0 } else { tanh(half) * (power + 1.0) }
}

/// The logistic function as `jax.lax.logistic` (`jax.nn.sigmoid`) computes it.
#[inline]
#[must_use]
pub fn logistic(x: f32) -> f32 {
    let (mantissa, scale) = exp_factors(-x);
    flush(1.0 / fma(mantissa, scale, 1.0))
}
