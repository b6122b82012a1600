//! Numeric limits of dtypes: what `jnp.finfo` and `jnp.iinfo` report (from `ml_dtypes` 0.6).

use crate::dtype::{DType, Kind};

/// Limits of a floating-point dtype, as `jnp.finfo` names them. All values are exact in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatInfo {
    /// The dtype described.
    pub dtype: DType,
    /// Bits of one element.
    pub bits: u32,
    /// Largest finite value.
    pub max: f64,
    /// Most negative finite value.
    pub min: f64,
    /// Distance from 1 to the next larger value.
    pub eps: f64,
    /// Distance from 1 to the next smaller value.
    pub epsneg: f64,
    /// Smallest positive normal value (`smallest_normal` is the same).
    pub tiny: f64,
    /// Smallest positive value.
    pub smallest_subnormal: f64,
    /// Bits of the mantissa without the hidden one.
    pub nmant: u32,
    /// Bits of the exponent.
    pub nexp: u32,
    /// Exponent of `tiny`.
    pub minexp: i32,
    /// Smallest power of two that overflows.
    pub maxexp: i32,
    /// Decimal digits that are always kept.
    pub precision: u32,
    /// Whether infinity exists.
    pub has_infinity: bool,
}

/// Limits of an integer dtype, as `jnp.iinfo` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntInfo {
    /// The dtype described.
    pub dtype: DType,
    /// Bits of one element.
    pub bits: u32,
    /// Smallest value.
    pub min: i128,
    /// Largest value.
    pub max: i128,
}

/// (dtype, mantissa bits, exponent bits, min exponent, max exponent, digits, max, has infinity)
type FloatRow = (DType, u32, u32, i32, i32, u32, f64, bool);

const FLOATS: [FloatRow; 13] = [
    (DType::F8E4M3Fn, 3, 4, -6, 9, 1, 448.0, false),
    (DType::F8E5M2, 2, 5, -14, 16, 1, 57344.0, true),
    (DType::F8E4M3B11Fnuz, 3, 4, -10, 5, 1, 30.0, false),
    (DType::F8E4M3Fnuz, 3, 4, -7, 8, 1, 240.0, false),
    (DType::F8E5M2Fnuz, 2, 5, -15, 16, 1, 57344.0, false),
    (DType::F8E3M4, 4, 3, -2, 4, 1, 15.5, true),
    (DType::F8E4M3, 3, 4, -6, 8, 1, 240.0, true),
    (DType::F8E8M0Fnu, 0, 8, -127, 128, 1, 1.701_411_834_604_692_3e38, false),
    (DType::F4E2M1Fn, 1, 2, 0, 3, 0, 6.0, false),
    (DType::BF16, 7, 8, -126, 128, 2, 3.389_531_389_251_535_5e38, true),
    (DType::F16, 10, 5, -14, 16, 3, 65504.0, true),
    (DType::F32, 23, 8, -126, 128, 6, f32::MAX as f64, true),
    (DType::F64, 52, 11, -1022, 1024, 15, f64::MAX, true),
];

impl DType {
    /// Limits of a float dtype; `None` for every other dtype.
    pub fn finfo(self) -> Option<FloatInfo> {
        let (dtype, nmant, nexp, minexp, maxexp, precision, max, has_infinity) =
            *FLOATS.iter().find(|row| row.0 == self)?;
        let tiny = 2f64.powi(minexp);
        // Two exact steps: 2**-1074 has no finite reciprocal, so one `powi` would give zero.
        let smallest_subnormal = tiny * 2f64.powi(-(nmant as i32));
        Some(FloatInfo {
            dtype,
            bits: self.bits(),
            max,
            min: if dtype == DType::F8E8M0Fnu { tiny } else { -max },
            eps: 2f64.powi(-(nmant as i32)),
            epsneg: 2f64.powi(-(nmant as i32) - 1),
            tiny,
            smallest_subnormal,
            nmant,
            nexp,
            minexp,
            maxexp,
            precision,
            has_infinity,
        })
    }

    /// Limits of an integer dtype; `None` for every other dtype, `bool` included.
    pub fn iinfo(self) -> Option<IntInfo> {
        let bits = self.bits();
        let (min, max) = match self.kind() {
            Kind::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            Kind::Unsigned => (0, (1i128 << bits) - 1),
            Kind::Bool | Kind::Float | Kind::Key => return None,
        };
        Some(IntInfo { dtype: self, bits, min, max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values printed by `ml_dtypes.finfo` (ml_dtypes 0.6.0).
    #[test]
    fn float_limits() {
        for (dtype, max, eps, tiny, subnormal) in [
            (DType::F8E4M3Fn, 448.0, 0.125, 0.015625, 0.001953125),
            (DType::F8E5M2, 57344.0, 0.25, 6.103515625e-05, 1.52587890625e-05),
            (DType::F8E4M3B11Fnuz, 30.0, 0.125, 0.0009765625, 0.0001220703125),
            (DType::F8E4M3Fnuz, 240.0, 0.125, 0.0078125, 0.0009765625),
            (DType::F8E5M2Fnuz, 57344.0, 0.25, 3.0517578125e-05, 7.62939453125e-06),
            (DType::BF16, 3.3895313892515355e+38, 0.0078125, 1.1754943508222875e-38, 9.183549615799121e-41),
            (DType::F16, 65504.0, 0.0009765625, 6.103515625e-05, 5.960464477539063e-08),
            (DType::F32, 3.4028234663852886e+38, 1.1920928955078125e-07, 1.1754943508222875e-38, 1.401298464324817e-45),
            (DType::F64, 1.7976931348623157e+308, 2.220446049250313e-16, 2.2250738585072014e-308, 5e-324),
        ] {
            let info = dtype.finfo().expect("a float");
            assert_eq!(
                (info.max, info.eps, info.tiny, info.smallest_subnormal),
                (max, eps, tiny, subnormal),
                "{dtype}"
            );
        }
        assert_eq!(DType::I32.finfo(), None);
    }

    #[test]
    fn integer_limits() {
        let of = |dtype: DType| dtype.iinfo().map(|info| (info.min, info.max));
        assert_eq!(of(DType::I4), Some((-8, 7)));
        assert_eq!(of(DType::U4), Some((0, 15)));
        assert_eq!(of(DType::I64), Some((i64::MIN.into(), i64::MAX.into())));
        assert_eq!(of(DType::U64), Some((0, u64::MAX.into())));
        assert_eq!(of(DType::Bool), None);
    }
}
