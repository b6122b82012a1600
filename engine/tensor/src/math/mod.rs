//! Elementary functions with XLA's digits.

mod arith;
mod erf;
mod exp;
mod gamma;
mod hyperbolic;
mod inverse_trig;
mod log;
mod pow;
mod root;
mod rsqrt_table;
pub mod stepwise;
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
pub use trig::{cos, sin, tan};
