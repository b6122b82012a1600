//! The floats of 8 and 4 bits: bits to and from `f32`, rounding to nearest even, as `ml_dtypes` does.
//!
//! No arithmetic: operations decode to `f32`, compute, and encode once. What is written down here is for one number; `lanes` has many.

mod lanes;

use crate::dtype::DType;

/// How one of the formats lays out its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Float8 {
    mantissa_bits: u32,
    bias: i32,
    /// Bits (without sign) of the largest finite value.
    max_finite: u8,
    /// Bits (without sign) that a too large value becomes: infinity, or NaN where there is none.
    overflow: u8,
    /// Bits of the NaN that conversions make.
    nan: u8,
    /// "fnuz": no negative zero, and the bits 0x80 are the only NaN.
    unsigned_zero: bool,
    /// The bit of the sign; zero for the format of exponents only, which has none.
    sign: u8,
}

const E4M3FN: Float8 =
    Float8 { mantissa_bits: 3, bias: 7, max_finite: 0x7e, overflow: 0x7f, nan: 0x7f, unsigned_zero: false, sign: 0x80 };
const E5M2: Float8 = Float8 {
    mantissa_bits: 2,
    bias: 15,
    max_finite: 0x7b,
    overflow: 0x7c,
    nan: 0x7e,
    unsigned_zero: false,
    sign: 0x80,
};
const E4M3B11FNUZ: Float8 =
    Float8 { mantissa_bits: 3, bias: 11, max_finite: 0x7f, overflow: 0x80, nan: 0x80, unsigned_zero: true, sign: 0x80 };
const E4M3FNUZ: Float8 = Float8 { bias: 8, ..E4M3B11FNUZ };
const E5M2FNUZ: Float8 = Float8 { mantissa_bits: 2, bias: 16, ..E4M3B11FNUZ };
const E4M3: Float8 = Float8 { max_finite: 0x77, overflow: 0x78, nan: 0x7c, ..E4M3FN };
const E3M4: Float8 = Float8 { mantissa_bits: 4, bias: 3, max_finite: 0x6f, overflow: 0x70, nan: 0x78, ..E4M3FN };
/// No infinity and no NaN: too large values saturate, NaN becomes -0.
const E2M1FN: Float8 =
    Float8 { mantissa_bits: 1, bias: 1, max_finite: 0x7, overflow: 0x7, nan: 0x8, unsigned_zero: false, sign: 0x8 };
/// Powers of two from 2**-127 to 2**127; zero and negative values become NaN.
const E8M0FNU: Float8 =
    Float8 { mantissa_bits: 0, bias: 127, max_finite: 0xfe, overflow: 0xff, nan: 0xff, unsigned_zero: false, sign: 0 };

impl Float8 {
    /// The format of a float dtype of 8 bits or fewer; `None` for every other dtype.
    pub fn of(dtype: DType) -> Option<Float8> {
        match dtype {
            DType::F8E4M3Fn => Some(E4M3FN),
            DType::F8E5M2 => Some(E5M2),
            DType::F8E4M3B11Fnuz => Some(E4M3B11FNUZ),
            DType::F8E4M3Fnuz => Some(E4M3FNUZ),
            DType::F8E5M2Fnuz => Some(E5M2FNUZ),
            DType::F8E3M4 => Some(E3M4),
            DType::F8E4M3 => Some(E4M3),
            DType::F8E8M0Fnu => Some(E8M0FNU),
            DType::F4E2M1Fn => Some(E2M1FN),
            _ => None,
        }
    }

    /// The value of the bits; exact.
    pub fn decode(self, bits: u8) -> f32 {
        if self.unsigned_zero && bits == self.nan {
            return f32::NAN;
        }
        if self.sign == 0 {
            let power = f64::from(i32::from(bits) - self.bias).exp2();
            return if bits == self.nan { f32::NAN } else { power as f32 };
        }
        let sign = if bits & self.sign != 0 { -1.0 } else { 1.0 };
        let magnitude = bits & (self.sign - 1);
        if magnitude > self.max_finite {
            let infinite = self.overflow != self.nan && magnitude == self.overflow;
            return if infinite { sign * f32::INFINITY } else { f32::NAN.copysign(sign) };
        }
        let exponent = i32::from(magnitude >> self.mantissa_bits);
        let mantissa = i32::from(magnitude) & ((1 << self.mantissa_bits) - 1);
        let (mantissa, exponent) =
            if exponent == 0 { (mantissa, 1) } else { (mantissa | 1 << self.mantissa_bits, exponent) };
        let scale = power_of_two(exponent - self.bias - self.mantissa_bits as i32);
        sign * mantissa as f32 * scale
    }

    /// The bits of the nearest value, ties to even; one rounding whatever the source.
    pub fn encode(self, value: impl Into<f64>) -> u8 {
        let value = value.into();
        if self.sign == 0 {
            return self.encode_exponent(value);
        }
        let sign = if value.is_sign_negative() { self.sign } else { 0 };
        let signed = |magnitude: u8| match (self.unsigned_zero, magnitude) {
            (true, 0) => 0,
            (true, 0x80) => 0x80,
            // The only NaN is a sign without magnitude.
            (false, nan) if nan == self.sign => nan,
            _ => magnitude | sign,
        };
        if value.is_nan() {
            return signed(self.nan);
        }
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            return signed(self.overflow);
        }
        let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
        let lowest = 1 - self.bias;
        // Above 2**17 every format overflows; the bound keeps the code below within `i32`.
        let exponent = exponent.clamp(lowest, 40);
        // Dividing by a power of two is exact here, so there is one rounding.
        let quantum = power_of_two(exponent - self.mantissa_bits as i32);
        let steps = (magnitude / f64::from(quantum)).round_ties_even().min(1e6) as i32;
        // A mantissa that rounds up to the next power of two carries into the exponent by itself.
        let code = steps + ((exponent - lowest) << self.mantissa_bits);
        if code > i32::from(self.max_finite) {
            return signed(self.overflow);
        }
        signed(code as u8)
    }

    /// The nearest power of two, halves up.
    fn encode_exponent(self, value: f64) -> u8 {
        if value.is_nan() || value <= 0.0 || value.is_infinite() {
            return self.nan;
        }
        let exponent = (value.to_bits() >> 52) as i32 - 1023;
        let up = value / f64::from(exponent).exp2() >= 1.5;
        match exponent + i32::from(up) + self.bias {
            code if code > i32::from(self.max_finite) => self.nan,
            code => code.max(0) as u8,
        }
    }
}

/// 2 to the given power, for exponents of normal `f32`.
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives_a_round_trip() {
        for format in [E4M3FN, E5M2, E4M3B11FNUZ, E4M3FNUZ, E5M2FNUZ, E4M3, E3M4, E2M1FN, E8M0FNU] {
            let codes = if format.sign == 0x8 { 15 } else { 255 };
            for bits in 0..=codes {
                let value = format.decode(bits);
                if !value.is_nan() {
                    assert_eq!(format.encode(value), bits, "{format:?} {value}");
                }
            }
        }
    }

    /// From ml_dtypes: `np.array([...]).astype(dtype).view('u1')`.
    #[test]
    fn special_values() {
        let specials = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e9, -1e9];
        let encode = |format: Float8| specials.map(|value| format.encode(value));
        assert_eq!(encode(E4M3FN), [0x7f, 0x7f, 0xff, 0x80, 0x7f, 0xff]);
        assert_eq!(encode(E5M2), [0x7e, 0x7c, 0xfc, 0x80, 0x7c, 0xfc]);
        assert_eq!(encode(E4M3FNUZ), [0x80, 0x80, 0x80, 0x00, 0x80, 0x80]);
    }
}
