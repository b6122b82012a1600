//! Functions of `bfloat16` and `float16` that XLA computes in several rounded steps.
//!
//! Most functions of a 16-bit type are computed on the value as `f32` and rounded once. Those here
//! are expanded into operations of the narrow type before that, so that every step is rounded: the
//! difference is up to a few units in the last place of the narrow type. `round` maps an `f32` to
//! the nearest value of the narrow type, and all arguments and results are such values.

use super::{arith::flush, atan2, exp, log, log1p, tanh};
use std::f32::consts::LN_2;

/// `exp2` of a 16-bit float: `exp(x * ln 2)` with `ln 2` and the product rounded.
pub fn exp2(x: f32, round: impl Fn(f32) -> f32) -> f32 {
    round(exp(round(x * round(LN_2))))
}

/// `expm1` of a `float16`; that of a `bfloat16` is rounded once.
pub fn expm1(x: f32, round: impl Fn(f32) -> f32) -> f32 {
    let half = round(flush(x) * 0.5);
    if half == 0.0 {
        return x;
    }
    let power = round(exp(x));
    if x.abs() > 0.5 { round(power - 1.0) } else { round(round(tanh(half)) * round(power + 1.0)) }
}

/// `logistic` of a 16-bit float: `1 / (1 + exp(-x))`.
pub fn logistic(x: f32, round: impl Fn(f32) -> f32) -> f32 {
    flush(round(1.0 / round(1.0 + round(exp(-x)))))
}

/// `sqrt((1 - x) (1 + x))`, each step rounded.
fn complement(x: f32, round: impl Fn(f32) -> f32) -> f32 {
    let x = flush(x);
    round(round(round(1.0 - x) * round(1.0 + x)).sqrt())
}

/// `asin` of a 16-bit float.
pub fn asin(x: f32, round: impl Fn(f32) -> f32) -> f32 {
    let half = flush(round(atan2(x, round(complement(x, &round) + 1.0))));
    round(half + half)
}

/// `acos` of a 16-bit float.
pub fn acos(x: f32, round: impl Fn(f32) -> f32) -> f32 {
    round(atan2(complement(x, &round), x))
}

/// `log(2 x)` as `log(x) + ln 2`, for arguments whose double is out of range.
fn log_of_double(x: f32, round: impl Fn(f32) -> f32) -> f32 {
    round(round(log(x)) + round(LN_2))
}

/// `asinh` of a 16-bit float whose greatest finite value is `greatest`.
pub fn asinh(x: f32, greatest: f32, round: impl Fn(f32) -> f32) -> f32 {
    let size = flush(x.abs());
    if size == 0.0 || size.is_nan() {
        return flush(x);
    }
    let magnitude = if size >= round(greatest.sqrt()) {
        log_of_double(size, &round)
    } else {
        let square = flush(round(size * size));
        let root = round(round(square + 1.0).sqrt());
        round(log1p(round(size + round(square / round(root + 1.0)))))
    };
    magnitude.copysign(x)
}

/// `acosh` of a 16-bit float whose greatest finite value is `greatest`.
pub fn acosh(x: f32, greatest: f32, round: impl Fn(f32) -> f32) -> f32 {
    let x = flush(x);
    if x >= round(greatest * 0.5) {
        return log_of_double(x, &round);
    }
    let low = round(round(x - 1.0).sqrt());
    let high = round(round(x + 1.0).sqrt());
    round(log1p(round(low * round(high + low))))
}

/// `atanh` of a 16-bit float.
pub fn atanh(x: f32, round: impl Fn(f32) -> f32) -> f32 {
    let x = flush(x);
    if x.abs() > 1.0 {
        return f32::NAN;
    }
    flush(round(round(round(log1p(x)) - round(log1p(-x))) * 0.5))
}
