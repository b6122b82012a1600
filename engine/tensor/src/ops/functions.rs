//! The scalar functions behind the elementwise operations: the one place that says which
//! implementation computes what.

/// Functions of single precision: XLA's digits.
pub(crate) mod single {
    pub(crate) use crate::math::{
        acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, digamma, erf, erf_inv, erfc, exp, exp2, expm1,
        lgamma, log, log1p, logistic, pow, rsqrt, sin, sinh, tan, tanh,
    };

    /// `jnp.log2`: `log(x) / log(2)`.
    pub(crate) fn log2(x: f32) -> f32 {
        log(x) / std::f32::consts::LN_2
    }
}

/// Functions of single precision that loops go through several elements at once with.
pub(crate) mod lanes {
    use crate::isa::Fma;
    pub(crate) use crate::math::lanes::*;

    /// As [`super::single::log2`].
    #[inline(always)]
    pub(crate) fn log2<F: Fma>(x: f32) -> f32 {
        log::<F>(x) / std::f32::consts::LN_2
    }
}

/// Functions of double precision.
pub(crate) mod double {
    macro_rules! standard {
        ($($name:ident => $method:ident),* $(,)?) => {
            $(pub(crate) fn $name(x: f64) -> f64 { x.$method() })*
        };
    }
    standard! {
        exp => exp, expm1 => exp_m1, log => ln, log1p => ln_1p, log2 => log2, cbrt => cbrt,
        sin => sin, cos => cos, tan => tan, asin => asin, acos => acos, atan => atan,
        sinh => sinh, cosh => cosh, tanh => tanh, asinh => asinh, acosh => acosh, atanh => atanh,
    }
    pub(crate) use libm::{erf, erfc};

    pub(crate) fn exp2(x: f64) -> f64 {
        exp(x * std::f64::consts::LN_2)
    }
    pub(crate) fn rsqrt(x: f64) -> f64 {
        1.0 / x.sqrt()
    }
    pub(crate) fn logistic(x: f64) -> f64 {
        1.0 / (1.0 + exp(-x))
    }
    pub(crate) fn pow(x: f64, y: f64) -> f64 {
        x.powf(y)
    }
    pub(crate) fn atan2(y: f64, x: f64) -> f64 {
        y.atan2(x)
    }
    pub(crate) fn lgamma(x: f64) -> f64 {
        libm::lgamma(x)
    }

    /// Inverse of `erf`: Giles' polynomial as a start, then two Newton steps to full precision.
    pub(crate) fn erf_inv(y: f64) -> f64 {
        if y.abs() >= 1.0 || y.is_nan() {
            return match y.abs() {
                1.0 => y * f64::INFINITY,
                _ => f64::NAN,
            };
        }
        if y == 0.0 {
            return y;
        }
        let target = y.abs();
        let mut x = erf_inv_start(target);
        for _ in 0..2 {
            // In the tail `erf` is flat near 1, and `erfc` keeps the digits.
            let error = if target < 0.5 { erf(x) - target } else { (1.0 - target) - erfc(x) };
            let slope = std::f64::consts::FRAC_2_SQRT_PI * exp(-x * x);
            x -= error / (slope + x * error);
        }
        x.copysign(y)
    }

    /// M. Giles, "Approximating the erfinv function", the single-precision polynomials.
    fn erf_inv_start(y: f64) -> f64 {
        const CENTRAL: [f64; 9] = [
            2.81022636e-08,
            3.43273939e-07,
            -3.5233877e-06,
            -4.39150654e-06,
            0.00021858087,
            -0.00125372503,
            -0.00417768164,
            0.246640727,
            1.50140941,
        ];
        const TAIL: [f64; 9] = [
            -0.000200214257,
            0.000100950558,
            0.00134934322,
            -0.00367342844,
            0.00573950773,
            -0.0076224613,
            0.00943887047,
            1.00167406,
            2.83297682,
        ];
        let w = -log1p(-y * y);
        let (w, coefficients) = if w < 5.0 { (w - 2.5, CENTRAL) } else { (w.sqrt() - 3.0, TAIL) };
        y * coefficients.iter().fold(0.0, |sum, coefficient| sum * w + coefficient)
    }

    /// Derivative of `lgamma`: recurrence up to 10, then the asymptotic series; reflected below 0.
    pub(crate) fn digamma(x: f64) -> f64 {
        // B(2k) / 2k, the coefficients of the series in 1/x**2.
        const SERIES: [f64; 7] =
            [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
        if x <= 0.0 && x == x.floor() {
            return f64::NAN;
        }
        if x < 0.0 {
            let angle = std::f64::consts::PI * (x - x.floor());
            return digamma(1.0 - x) - std::f64::consts::PI / tan(angle);
        }
        let mut x = x;
        let mut sum = 0.0;
        while x < 10.0 {
            sum -= 1.0 / x;
            x += 1.0;
        }
        let inverse = 1.0 / (x * x);
        let series = SERIES.iter().rev().fold(0.0, |tail, term| (tail + term) * inverse);
        sum + log(x) - 0.5 / x - series
    }
}
