//! Functions on floats that Rust's standard library lacks. `gamma` and `lgamma` follow CPython's mathmodule.c
//! (Lanczos, g = 6.0246...), `erf` and `erfc` fdlibm's s_erf.c, which the C library uses.

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

const LANCZOS_G: f64 = 6.024_680_040_776_729_583_740_234_375;
const LANCZOS_NUMERATOR: [f64; 13] = [
    23531376880.410759688572007674451636754734846804940,
    42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843,
    17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708,
    1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801,
    31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768,
    186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024,
    210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408,
];
const LANCZOS_DENOMINATOR: [f64; 13] = [
    0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0, 2637558.0, 357423.0, 32670.0,
    1925.0, 66.0, 1.0,
];

fn lanczos_sum(x: f64) -> f64 {
    let (mut numerator, mut denominator) = (0.0, 0.0);
    if x < 5.0 {
        for index in (0..13).rev() {
            numerator = numerator * x + LANCZOS_NUMERATOR[index];
            denominator = denominator * x + LANCZOS_DENOMINATOR[index];
        }
    } else {
        for index in 0..13 {
            numerator = numerator / x + LANCZOS_NUMERATOR[index];
            denominator = denominator / x + LANCZOS_DENOMINATOR[index];
        }
    }
    numerator / denominator
}

fn sin_pi(x: f64) -> f64 {
    use std::f64::consts::PI;
    let y = x.abs() % 2.0;
    let result = match (2.0 * y).round() as i64 {
        0 => (PI * y).sin(),
        1 => (PI * (y - 0.5)).cos(),
        2 => (PI * (1.0 - y)).sin(),
        3 => -(PI * (y - 1.5)).cos(),
        _ => (PI * (y - 2.0)).sin(),
    };
    1f64.copysign(x) * result
}

/// The gamma function; `None` at its poles and at minus infinity.
pub(super) fn gamma(x: f64) -> Option<f64> {
    if !x.is_finite() {
        return if x.is_nan() || x > 0.0 { Some(x) } else { None };
    }
    if x == 0.0 {
        return None;
    }
    if x == x.floor() {
        if x < 0.0 {
            return None;
        }
        if x <= 23.0 {
            return Some((1..x as u64).map(|k| k as f64).product());
        }
    }
    let absx = x.abs();
    if absx < 1e-20 {
        return Some(1.0 / x);
    }
    if absx > 200.0 {
        return Some(if x < 0.0 { 0.0 / sin_pi(x) } else { f64::INFINITY });
    }
    let y = absx + LANCZOS_G - 0.5;
    let mut z = if absx > LANCZOS_G - 0.5 {
        let q = y - absx;
        q - (LANCZOS_G - 0.5)
    } else {
        let q = y - (LANCZOS_G - 0.5);
        q - absx
    };
    z = z * LANCZOS_G / y;
    let mut r;
    if x < 0.0 {
        r = -std::f64::consts::PI / sin_pi(absx) / absx * y.exp() / lanczos_sum(absx);
        r -= z * r;
        if absx < 140.0 {
            r /= y.powf(absx - 0.5);
        } else {
            let root = y.powf(absx / 2.0 - 0.25);
            r /= root;
            r /= root;
        }
    } else {
        r = lanczos_sum(absx) / y.exp();
        r += z * r;
        if absx < 140.0 {
            r *= y.powf(absx - 0.5);
        } else {
            let root = y.powf(absx / 2.0 - 0.25);
            r *= root;
            r *= root;
        }
    }
    Some(r)
}

/// `log(abs(gamma(x)))`; `None` at the poles.
pub(super) fn lgamma(x: f64) -> Option<f64> {
    if !x.is_finite() {
        return Some(if x.is_nan() { x } else { f64::INFINITY });
    }
    if x == x.floor() && x <= 2.0 {
        return if x <= 0.0 { None } else { Some(0.0) };
    }
    let absx = x.abs();
    if absx < 1e-20 {
        return Some(-absx.ln());
    }
    let mut r = lanczos_sum(absx).ln() - LANCZOS_G;
    r += (absx - 0.5) * ((absx + LANCZOS_G - 0.5).ln() - 1.0);
    if x < 0.0 {
        r = std::f64::consts::PI.ln() - sin_pi(absx).abs().ln() - absx.ln() - r;
    }
    Some(r)
}

// Coefficients of fdlibm's s_erf.c: near zero, up to 1.25, up to 1/0.35, up to 28.
const ERX: f64 = 8.45062911510467529297e-01;
const EFX: f64 = 1.28379167095512586316e-01;
const EFX8: f64 = 1.02703333676410069053e+00;
const PP: [f64; 5] = [
    1.28379167095512558561e-01,
    -3.25042107247001499370e-01,
    -2.84817495755985104766e-02,
    -5.77027029648944159157e-03,
    -2.37630166566501626084e-05,
];
const QQ: [f64; 6] = [
    1.0,
    3.97917223959155352819e-01,
    6.50222499887672944485e-02,
    5.08130628187576562776e-03,
    1.32494738004321644526e-04,
    -3.96022827877536812320e-06,
];
const PA: [f64; 7] = [
    -2.36211856075265944077e-03,
    4.14856118683748331666e-01,
    -3.72207876035701323847e-01,
    3.18346619901161753674e-01,
    -1.10894694282396677476e-01,
    3.54783043256182359371e-02,
    -2.16637559486879084300e-03,
];
const QA: [f64; 7] = [
    1.0,
    1.06420880400844228286e-01,
    5.40397917702171048937e-01,
    7.18286544141962662868e-02,
    1.26171219808761642112e-01,
    1.36370839120290507362e-02,
    1.19844998467991074170e-02,
];
const RA: [f64; 8] = [
    -9.86494403484714822705e-03,
    -6.93858572707181764372e-01,
    -1.05586262253232909814e+01,
    -6.23753324503260060396e+01,
    -1.62396669462573470355e+02,
    -1.84605092906711035994e+02,
    -8.12874355063065934246e+01,
    -9.81432934416914548592e+00,
];
const SA: [f64; 9] = [
    1.0,
    1.96512716674392571292e+01,
    1.37657754143519042600e+02,
    4.34565877475229228821e+02,
    6.45387271733267880336e+02,
    4.29008140027567833386e+02,
    1.08635005541779435134e+02,
    6.57024977031928170135e+00,
    -6.04244152148580987438e-02,
];
const RB: [f64; 7] = [
    -9.86494292470009928597e-03,
    -7.99283237680523006574e-01,
    -1.77579549177547519889e+01,
    -1.60636384855821916062e+02,
    -6.37566443368389627722e+02,
    -1.02509513161107724954e+03,
    -4.83519191608651397019e+02,
];
const SB: [f64; 8] = [
    1.0,
    3.03380607434824582924e+01,
    3.25792512996573918826e+02,
    1.53672958608443695994e+03,
    3.19985821950859553908e+03,
    2.55305040643316442583e+03,
    4.74528541206955367215e+02,
    -2.24409524465858183362e+01,
];

fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, &coefficient| sum * x + coefficient)
}

/// `erfc` for `x >= 1.25`, positive.
fn erfc_tail(x: f64) -> f64 {
    let s = 1.0 / (x * x);
    let ratio = if x < 1.0 / 0.35 {
        polynomial(s, &RA) / polynomial(s, &SA)
    } else {
        polynomial(s, &RB) / polynomial(s, &SB)
    };
    // The square of x in two parts, so that the exponential does not lose bits.
    let z = f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000);
    (-z * z - 0.5625).exp() * ((z - x) * (z + x) + ratio).exp() / x
}

pub(super) fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let absx = x.abs();
    if absx < 0.84375 {
        if absx < 2f64.powi(-28) {
            return if absx < 2f64.powi(-1022) * 16.0 { 0.125 * (8.0 * x + EFX8 * x) } else { x + EFX * x };
        }
        let z = x * x;
        return x + x * (polynomial(z, &PP) / polynomial(z, &QQ));
    }
    let result = if absx < 1.25 {
        let s = absx - 1.0;
        ERX + polynomial(s, &PA) / polynomial(s, &QA)
    } else if absx >= 6.0 {
        1.0
    } else {
        1.0 - erfc_tail(absx)
    };
    result.copysign(x)
}

pub(super) fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let absx = x.abs();
    if absx < 0.84375 {
        if absx < 2f64.powi(-56) {
            return 1.0 - x;
        }
        let z = x * x;
        let y = polynomial(z, &PP) / polynomial(z, &QQ);
        return if x < 0.25 { 1.0 - (x + x * y) } else { 0.5 - (x - 0.5 + x * y) };
    }
    if absx < 1.25 {
        let s = absx - 1.0;
        let ratio = polynomial(s, &PA) / polynomial(s, &QA);
        return if x >= 0.0 { 1.0 - ERX - ratio } else { 1.0 + (ERX + ratio) };
    }
    if absx < 28.0 {
        if x < -6.0 {
            return 2.0;
        }
        let tail = erfc_tail(absx);
        return if x > 0.0 { tail } else { 2.0 - tail };
    }
    if x > 0.0 { 0.0 } else { 2.0 }
}
