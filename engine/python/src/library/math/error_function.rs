//! `erf` and `erfc` as fdlibm's s_erf.c has them.

#![expect(clippy::excessive_precision, reason = "the coefficients are written as fdlibm writes them")]

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
    let ratio =
        if x < 1.0 / 0.35 { polynomial(s, &RA) / polynomial(s, &SA) } else { polynomial(s, &RB) / polynomial(s, &SB) };
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
