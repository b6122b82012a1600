//! Parts of floats and the inverse hyperbolic functions, which Rust's standard library lacks or computes otherwise than
//! the C library. Formulas of fdlibm and of CPython's mathmodule.c.

/// Mantissa in 0.5..1 and exponent.
pub(in crate::library) fn frexp(x: f64) -> (f64, i64) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    if exponent == 0 {
        // Subnormal: bring it into the normal range first.
        let (mantissa, exponent) = frexp(x * 2f64.powi(64));
        return (mantissa, exponent - 64);
    }
    (f64::from_bits((bits & !(0x7ff << 52)) | (1022 << 52)), exponent - 1022)
}

/// `x * 2**exponent`, rounded once.
pub(in crate::library) fn ldexp(x: f64, exponent: i64) -> f64 {
    let mut x = x;
    let mut exponent = exponent.clamp(-5000, 5000);
    while exponent > 1000 {
        x *= 2f64.powi(1000);
        exponent -= 1000;
    }
    // Steps that stay normal until the last, so that a subnormal result is rounded once only.
    while exponent < -1000 {
        let step = (-exponent - 53).min(900);
        x *= 2f64.powi(-step as i32);
        exponent += step;
        if x.abs() < f64::MIN_POSITIVE {
            return x * 2f64.powi(exponent.max(-1000) as i32);
        }
    }
    x * 2f64.powi(exponent as i32)
}

pub(super) fn ulp(x: f64) -> f64 {
    let x = x.abs();
    if !x.is_finite() {
        return x;
    }
    let next = x.next_up();
    if next.is_infinite() { x - x.next_down() } else { next - x }
}

pub(super) fn next_after(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        y
    } else if x < y {
        x.next_up()
    } else {
        x.next_down()
    }
}

/// `m_remainder` of mathmodule.c.
pub(super) fn ieee_remainder(x: f64, y: f64) -> f64 {
    if x.is_finite() && y.is_finite() {
        if y == 0.0 {
            return f64::NAN;
        }
        let (absx, absy) = (x.abs(), y.abs());
        let m = absx % absy;
        let c = absy - m;
        let r = if m < c {
            m
        } else if m > c {
            -c
        } else {
            m - 2.0 * ((0.5 * (absx - m)) % absy)
        };
        return 1f64.copysign(x) * r;
    }
    if x.is_nan() {
        return x;
    }
    if y.is_nan() {
        return y;
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    x
}

/// `asinh` as fdlibm's s_asinh.c computes it.
pub(super) fn asinh(x: f64) -> f64 {
    let t = x.abs();
    if !x.is_finite() || t < 2f64.powi(-28) {
        return x;
    }
    let result = if t > 2f64.powi(28) {
        t.ln() + std::f64::consts::LN_2
    } else if t > 2.0 {
        (2.0 * t + 1.0 / ((x * x + 1.0).sqrt() + t)).ln()
    } else {
        let square = x * x;
        (t + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
    };
    result.copysign(x)
}

/// `acosh` as fdlibm's e_acosh.c computes it.
pub(super) fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    if x >= 2f64.powi(28) {
        return if x.is_finite() { x.ln() + std::f64::consts::LN_2 } else { x };
    }
    if x > 2.0 {
        return (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln();
    }
    let t = x - 1.0;
    (t + (2.0 * t + t * t).sqrt()).ln_1p()
}

/// `atanh` as fdlibm's e_atanh.c computes it.
pub(super) fn atanh(x: f64) -> f64 {
    let t = x.abs();
    let result = if t < 0.5 {
        if t < 2f64.powi(-28) {
            return x;
        }
        let twice = t + t;
        0.5 * (twice + twice * t / (1.0 - t)).ln_1p()
    } else if t < 1.0 {
        0.5 * ((t + t) / (1.0 - t)).ln_1p()
    } else if t > 1.0 {
        return f64::NAN;
    } else {
        return f64::INFINITY.copysign(x);
    };
    result.copysign(x)
}
