//! Elementary functions and sums with the digits of XLA on the CPU.
//!
//! A kernel that runs here should print what it prints under JAX 0.10.2. XLA's CPU back end calls
//! the C library for few `f32` functions; most it expands itself, and LLVM contracts the expansions
//! into FMA instructions. Each file names the XLA source whose algorithm it follows; the order of
//! operations and the contractions were read from XLA's dumps (`--xla_dump_to`) and checked against
//! JAX on 700,000 arguments per function (every exponent, subnormals, infinities, NaN, both zeros):
//! every result is equal to the bit, and `tests/math.rs` keeps a part of that check.
//!
//! # What holds for all of them
//!
//! - **Subnormal numbers are flushed** ([`flush`]) by every arithmetic operation and comparison, on
//!   the way in and out. Moves, negation, `abs` and selects keep them: `sin(1e-40)` is `1e-40`.
//! - **The processor matters.** The values are those of x86-64 with FMA. [`rsqrt`] starts from an
//!   instruction of which AMD and Intel have different tables; this is AMD's.
//! - **The C library matters** for [`sin`], [`cos`], [`tan`], [`atan`], [`atan2`] (thus [`asin`] and
//!   [`acos`]), [`cbrt`] and [`pow`]: they are glibc's of 2.28 to 2.40 (2.36 was measured), computed
//!   here rather than called so that every platform has the same digits.
//! - **Size matters for [`atan`] alone.** XLA has a rational approximation for it, which LLVM
//!   replaces by `atanf` where it vectorizes: in arrays below about 64 elements, and in the few that
//!   are left over at the end of others, about four results in ten differ from this `atan` in the
//!   last digit.
//! - **16-bit floats** are computed as `f32` and rounded once, but for the functions in
//!   [`stepwise`], which round at every step. All 65,536 arguments of both types were compared.
//! - **Double precision** is not here. XLA expands most of it too: against the C library `log`,
//!   `cbrt`, `sin`, `cos`, `tan`, `atan` and `erf` are equal, the others
//!   differ in the last bits (`exp` by one or two units, `lgamma` by thousands near its zeros).
//!
//! # Multiplication and addition
//!
//! In one compiled computation, which a function under `jax.jit` is and an interpreted
//! `pallas_call` too (also without `jit`, also when the product goes through a Ref first), a product
//! of `f32` that only an addition or subtraction uses is contracted with it: `x * y + z` is
//! [`fma`]`(x, y, z)`, `x * y - z` is `fma(x, y, -z)`, `z - x * y` is `fma(-x, y, z)`, and of
//! `x * y + u * v` the left product is contracted: `fma(x, y, u * v)`. A product with a second use is
//! rounded. Eager operations are compiled one by one and never contracted. 16-bit floats never are:
//! each operation rounds to the type. `x * 1.1 + z` behaves like `x * y + z`.
//!
//! # Sums and products of matrices
//!
//! [`sum()`] adds in XLA's order. `jnp.dot` of large `f32` matrices (128 by 128 by 128 was measured) is
//! one FMA after the other along the contracted axis, starting from zero; small ones are added in
//! another order that has no rule here, and agree to rounding only. Products of `bfloat16` have the order of matrix units.

mod arith;
mod erf;
mod exp;
mod gamma;
mod hyperbolic;
mod inverse_trig;
mod log;
mod number;
mod pow;
mod root;
mod rsqrt_table;
pub mod stepwise;
mod sum;
mod trig;
mod trig_reduce;

pub use arith::{flush, flush_f64, fma};
pub use erf::{erf, erf_inv, erfc};
pub use exp::{exp, exp2, expm1, logistic};
pub use gamma::{digamma, lgamma};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use inverse_trig::{acos, asin, atan, atan2};
pub use log::{log, log1p};
pub use pow::{integer_pow, pow, square};
pub use root::{cbrt, rsqrt, sqrt};
pub use sum::sum;
pub use trig::{cos, sin, tan};

/// The functions whose machine code is made when a program runs, of whatever numbers.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux")))]
pub(crate) mod formulas {
    pub(crate) use super::erf::{erf_inv_of as erf_inv, erf_of as erf, erfc_of as erfc};
    pub(crate) use super::exp::{exp_of as exp, exp2_of as exp2, expm1_of as expm1, logistic_of as logistic};
    pub(crate) use super::hyperbolic::{cosh_of as cosh, sinh_of as sinh, tanh_of as tanh};
    pub(crate) use super::log::{log_of as log, log1p_of as log1p};
    pub(crate) use super::number::Number;
}

/// The functions that loops go through several elements at once with. Each is the function of the same name, with the same
/// digits.
pub(crate) mod lanes {
    pub(crate) use super::erf::{erf_inv_with as erf_inv, erf_with as erf, erfc_with as erfc};
    pub(crate) use super::exp::{exp_with as exp, exp2_with as exp2, expm1_with as expm1, logistic_with as logistic};
    pub(crate) use super::gamma::{digamma_with as digamma, lgamma_with as lgamma};
    pub(crate) use super::hyperbolic::{cosh_with as cosh, sinh_with as sinh, tanh_with as tanh};
    pub(crate) use super::log::{log_with as log, log1p_with as log1p};
    pub(crate) use super::trig::{cos_usual, is_usual, sin_usual};
}
