//! [`Float8::decode`] and [`Float8::encode`] for many `f32` at once: the same results from operations on bits without branches.

use super::Float8;
use crate::isa::for_each_isa;

/// The bits of infinity, and those above which there are only NaNs.
const INFINITY: u32 = f32::INFINITY.to_bits();
/// Bits of a significand that are stored.
const SIGNIFICAND: u32 = f32::MANTISSA_DIGITS - 1;
/// What is added to exponents.
const BIAS: i32 = 127;

/// The exponent bits of `f32` for a power of two.
const fn power(exponent: i32) -> u32 {
    ((exponent + BIAS) as u32) << SIGNIFICAND
}

impl Float8 {
    /// The values of as many bits.
    pub(crate) fn decode_all(self, bits: &[u8], values: &mut [f32]) {
        match self.sign {
            0 => values.iter_mut().zip(bits).for_each(|(value, &bits)| *value = self.decode(bits)),
            _ => decode(self, bits, values),
        }
    }

    /// The bits of as many values.
    pub(crate) fn encode_all(self, values: &[f32], bits: &mut [u8]) {
        match self.sign {
            0 => bits.iter_mut().zip(values).for_each(|(bits, &value)| *bits = self.encode(value)),
            _ => encode(self, values, bits),
        }
    }
}

for_each_isa! {
/// For formats with a sign.
fn decode<F>(format: Float8, bits: &[u8], values: &mut [f32]) {
    let Float8 { mantissa_bits, bias, max_finite, overflow, nan, unsigned_zero, sign } = format;
    let sign = u32::from(sign);
    let infinity = if overflow == nan { u32::MAX } else { u32::from(overflow) };
    // Bits that are a NaN whatever their magnitude.
    let only_nan = if unsigned_zero { u32::from(nan) } else { u32::MAX };
    let (least, exponents) = (f32::from_bits(power(1 - bias - mantissa_bits as i32)), power(-bias));
    for (value, &bits) in values.iter_mut().zip(bits) {
        let bits = u32::from(bits);
        let magnitude = bits & (sign - 1);
        let subnormal = (magnitude as f32 * least).to_bits();
        let normal = (magnitude << (SIGNIFICAND - mantissa_bits)).wrapping_add(exponents);
        let finite = if magnitude >> mantissa_bits == 0 { subnormal } else { normal };
        let special = if magnitude == infinity { INFINITY } else { f32::NAN.to_bits() };
        let unsigned = if magnitude > u32::from(max_finite) { special } else { finite };
        let signed = unsigned | if bits & sign == 0 { 0 } else { 1 << 31 };
        *value = f32::from_bits(if bits == only_nan { f32::NAN.to_bits() } else { signed });
    }
}

/// For formats with a sign.
fn encode<F>(format: Float8, values: &[f32], bits: &mut [u8]) {
    let Float8 { mantissa_bits, bias, max_finite, overflow, nan, unsigned_zero, sign } = format;
    let lowest = 1 - bias;
    // Its last place is that of subnormal numbers: what is added to it is rounded there.
    let shifter = power(lowest - mantissa_bits as i32 + SIGNIFICAND as i32);
    let shift = SIGNIFICAND - mantissa_bits;
    let half = (1u32 << (shift - 1)) - 1;
    let exponents = ((BIAS - bias) as u32) << mantissa_bits;
    for (target, &value) in bits.iter_mut().zip(values) {
        let magnitude = value.to_bits() & !(1 << 31);
        // A significand that rounds up to the next power of two carries into the exponent by itself.
        let rounded = magnitude.wrapping_add(half).wrapping_add(magnitude >> shift & 1);
        let normal = (rounded >> shift).wrapping_sub(exponents);
        let subnormal = (f32::from_bits(magnitude) + f32::from_bits(shifter)).to_bits().wrapping_sub(shifter);
        let code = if magnitude < power(lowest) { subnormal } else { normal };
        let code = if code > u32::from(max_finite) { u32::from(overflow) } else { code };
        let code = if magnitude > INFINITY { u32::from(nan) } else { code };
        // A zero without a sign has none, nor has the only NaN, which is a sign without magnitude.
        let has_sign = value.is_sign_negative() && !(unsigned_zero && code == 0) && code != u32::from(sign);
        *target = (code | if has_sign { u32::from(sign) } else { 0 }) as u8;
    }
}
}

#[cfg(test)]
mod tests {
    use crate::DType;
    use crate::float8::Float8;

    #[test]
    fn many_are_decoded_and_encoded_as_each_of_them() {
        let dtypes = [
            DType::F8E4M3Fn,
            DType::F8E5M2,
            DType::F8E4M3B11Fnuz,
            DType::F8E4M3Fnuz,
            DType::F8E5M2Fnuz,
            DType::F8E3M4,
            DType::F8E4M3,
            DType::F8E8M0Fnu,
            DType::F4E2M1Fn,
        ];
        // Every sign and exponent, with significands of all zeros, all ones, and one or two beside a half of every format.
        let bits = (0..1u32 << 16).flat_map(|high| [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff].map(|low| high << 16 | low));
        let values: Vec<f32> = bits.map(f32::from_bits).collect();
        for format in dtypes.into_iter().filter_map(Float8::of) {
            let mut encoded = vec![0; values.len()];
            format.encode_all(&values, &mut encoded);
            for (&value, found) in values.iter().zip(encoded) {
                assert_eq!(found, format.encode(value), "{format:?} of {value:e} ({:#x})", value.to_bits());
            }
            let codes: Vec<u8> = (0..=if format.sign == 8 { 15 } else { 255 }).collect();
            let mut decoded = vec![0.0; codes.len()];
            format.decode_all(&codes, &mut decoded);
            for (code, found) in codes.into_iter().zip(decoded) {
                assert_eq!(found.to_bits(), format.decode(code).to_bits(), "{format:?} of {code:#x}");
            }
        }
    }
}
