//! `gamma` and `lgamma` as CPython's mathmodule.c has them: Lanczos' approximation with g = 6.0246...

#![expect(clippy::excessive_precision, reason = "the coefficients are written as CPython writes them")]

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
    0.0,
    39916800.0,
    120543840.0,
    150917976.0,
    105258076.0,
    45995730.0,
    13339535.0,
    2637558.0,
    357423.0,
    32670.0,
    1925.0,
    66.0,
    1.0,
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
