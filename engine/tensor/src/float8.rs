//! The 8-bit floats: bits to and from `f32`, rounding to nearest even, as `ml_dtypes` does.
//!
//! No arithmetic: operations decode to `f32`, compute, and encode once.

use crate::dtype::DType;

/// How one of the 8-bit formats lays out its bits.
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
}

const E4M3FN: Float8 =
    Float8 { mantissa_bits: 3, bias: 7, max_finite: 0x7e, overflow: 0x7f, nan: 0x7f, unsigned_zero: false };
const E5M2: Float8 =
    Float8 { mantissa_bits: 2, bias: 15, max_finite: 0x7b, overflow: 0x7c, nan: 0x7e, unsigned_zero: false };
const E4M3B11FNUZ: Float8 =
    Float8 { mantissa_bits: 3, bias: 11, max_finite: 0x7f, overflow: 0x80, nan: 0x80, unsigned_zero: true };
const E4M3FNUZ: Float8 = Float8 { bias: 8, ..E4M3B11FNUZ };
const E5M2FNUZ: Float8 = Float8 { mantissa_bits: 2, bias: 16, ..E4M3B11FNUZ };

impl Float8 {
    /// The format of an 8-bit float dtype; `None` for every other dtype.
    pub fn of(dtype: DType) -> Option<Float8> {
        match dtype {
            DType::F8E4M3Fn => Some(E4M3FN),
            DType::F8E5M2 => Some(E5M2),
            DType::F8E4M3B11Fnuz => Some(E4M3B11FNUZ),
            DType::F8E4M3Fnuz => Some(E4M3FNUZ),
            DType::F8E5M2Fnuz => Some(E5M2FNUZ),
            _ => None,
        }
    }

    /// The value of the bits; exact.
    pub fn decode(self, bits: u8) -> f32 {
        if self.unsigned_zero && bits == self.nan {
            return f32::NAN;
        }
        let sign = if bits & 0x80 != 0 { -1.0 } else { 1.0 };
        let magnitude = bits & 0x7f;
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
        let sign = if value.is_sign_negative() { 0x80 } else { 0 };
        let signed = |magnitude: u8| match (self.unsigned_zero, magnitude) {
            (true, 0) => 0,
            (true, 0x80) => 0x80,
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
        for format in [E4M3FN, E5M2, E4M3B11FNUZ, E4M3FNUZ, E5M2FNUZ] {
            for bits in 0..=255u8 {
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
