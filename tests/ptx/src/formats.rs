//! Floating-point formats: their numbers as `f64` and back, with PTX's roundings (PTX ISA 5.2.3, 9.7.9.21).

use crate::types::{Kind, Type};

/// To which neighbour a number is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// The nearest, ties to even.
    Nearest,
    /// The nearest, ties away from zero.
    Away,
    Zero,
    Down,
    Up,
}

impl Round {
    pub(crate) fn named(name: &str) -> Option<Round> {
        Some(match name {
            "rn" | "rni" => Round::Nearest,
            "rna" => Round::Away,
            "rz" | "rzi" => Round::Zero,
            "rm" | "rmi" => Round::Down,
            "rp" | "rpi" => Round::Up,
            _ => return None,
        })
    }
}

/// How a format is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Bits of the fraction.
    pub(crate) fraction: u32,
    pub(crate) exponent: u32,
    /// Whether it has infinities; without them the largest exponent is for numbers as well.
    pub(crate) infinite: bool,
    /// Whether it has a NaN.
    pub(crate) nan: bool,
}

impl Format {
    pub(crate) fn of(ty: Type) -> Option<Format> {
        let part = ty.part();
        let format = |fraction, exponent| Format { fraction, exponent, infinite: true, nan: true };
        Some(match (part.kind, part.bits) {
            (Kind::Float, 16) => format(10, 5),
            (Kind::Brain, 16) => format(7, 8),
            (Kind::Float, 32) => format(23, 8),
            (Kind::Tf32, _) => format(10, 8),
            (Kind::E5m2, _) => format(2, 5),
            (Kind::E4m3, _) => Format { infinite: false, ..format(3, 4) },
            (Kind::E2m1, _) => Format { infinite: false, nan: false, ..format(1, 2) },
            _ => return None,
        })
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of the largest finite number.
    fn largest(self) -> u64 {
        let all = (1_u64 << (self.exponent + self.fraction)) - 1;
        match (self.infinite, self.nan) {
            (true, _) => all - (1 << self.fraction),
            (false, true) => all - 1,
            (false, false) => all,
        }
    }

    fn not_a_number(self) -> u64 {
        match self.nan {
            true => (1 << (self.exponent + self.fraction)) - 1,
            false => self.largest(),
        }
    }

    /// What bits stand for.
    pub(crate) fn wide(self, bits: u64) -> f64 {
        let width = self.exponent + self.fraction;
        let (negative, bits) = (bits >> width & 1 == 1, bits & ((1 << width) - 1));
        let (exponent, fraction) = (bits >> self.fraction, bits & ((1 << self.fraction) - 1));
        let magnitude = if bits > self.largest() {
            if self.infinite && fraction == 0 { f64::INFINITY } else { f64::NAN }
        } else if exponent == 0 {
            fraction as f64 * power(1 - self.bias() - self.fraction as i32)
        } else {
            let significand = fraction | 1 << self.fraction;
            significand as f64 * power(exponent as i32 - self.bias() - self.fraction as i32)
        };
        if negative { -magnitude } else { magnitude }
    }

    /// The bits of the number that is next by a rounding. What is larger than all becomes infinite, unless `finite` (or the format)
    /// says that it becomes the largest number.
    pub(crate) fn narrow(self, value: f64, round: Round, finite: bool) -> u64 {
        let sign = u64::from(value.is_sign_negative()) << (self.exponent + self.fraction);
        if value.is_nan() {
            // PTX's NaN has no sign.
            return self.not_a_number();
        }
        let magnitude = value.abs();
        let over = |to_largest: bool| match to_largest || finite || !self.infinite {
            true => sign | self.largest(),
            false => sign | (self.largest() + 1),
        };
        if magnitude.is_infinite() {
            return over(false);
        }
        if magnitude == 0.0 {
            return sign;
        }
        let lowest = 1 - self.bias();
        let exponent = exponent_of(magnitude).max(lowest);
        // In units of the last place this number is exact, or as near as 53 bits are.
        let scaled = magnitude * power(self.fraction as i32 - exponent);
        let below = scaled.floor();
        let rest = scaled - below;
        let up = match round {
            Round::Nearest => rest > 0.5 || (rest == 0.5 && below as u64 & 1 == 1),
            Round::Away => rest >= 0.5,
            Round::Zero => false,
            Round::Down => rest > 0.0 && value < 0.0,
            Round::Up => rest > 0.0 && value > 0.0,
        };
        let units = below as u64 + u64::from(up);
        // Units of the lowest exponent are subnormal numbers, or carry into normal ones by themselves.
        let bits = units + ((exponent - lowest) as u64) * (1 << self.fraction);
        if bits > self.largest() {
            let inward = match round {
                Round::Zero => true,
                Round::Down => value > 0.0,
                Round::Up => value < 0.0,
                _ => false,
            };
            return over(inward);
        }
        sign | bits
    }
}

/// 2 to a power, exactly, also where the result is subnormal.
fn power(exponent: i32) -> f64 {
    if exponent >= -1022 {
        f64::from_bits(((exponent + 1023).clamp(1, 2046) as u64) << 52)
    } else {
        f64::from_bits(1_u64.checked_shl((exponent + 1074).max(0) as u32).unwrap_or(0))
    }
}

fn exponent_of(magnitude: f64) -> i32 {
    let exponent = (magnitude.to_bits() >> 52) as i32 & 0x7ff;
    if exponent == 0 { -1074 + 63 - magnitude.to_bits().leading_zeros() as i32 } else { exponent - 1023 }
}

/// A value of a type as `f64`.
pub(crate) fn wide(ty: Type, bits: u64) -> f64 {
    match (ty.kind, ty.bits) {
        (Kind::Float, 64) => f64::from_bits(bits),
        (Kind::Float, 32) => f64::from(f32::from_bits(bits as u32)),
        (Kind::Tf32, _) => f64::from(f32::from_bits(bits as u32 & !0x1fff)),
        _ => Format::of(ty).map_or(f64::NAN, |format| format.wide(bits)),
    }
}

/// A number as bits of a type.
pub(crate) fn narrow(ty: Type, value: f64, round: Round) -> u64 {
    match (ty.kind, ty.bits) {
        (Kind::Float, 64) => value.to_bits(),
        (Kind::Float, 32) => u64::from(to_f32(value, round).to_bits()),
        (Kind::Tf32, _) => Format::of(ty).map_or(0, |format| format.narrow(value, round, false) << 13),
        _ => Format::of(ty).map_or(0, |format| format.narrow(value, round, false)),
    }
}

/// PTX's NaN of 32 bits.
pub(crate) const NAN32: u32 = 0x7fff_ffff;

/// A number rounded to `f32`.
#[inline(always)]
pub(crate) fn to_f32(value: f64, round: Round) -> f32 {
    let near = value as f32;
    if near.is_nan() {
        return f32::from_bits(NAN32);
    }
    let over = f64::from(near);
    match round {
        Round::Nearest | Round::Away => near,
        Round::Zero if over.abs() > value.abs() => {
            if value > 0.0 {
                near.next_down()
            } else {
                near.next_up()
            }
        }
        Round::Down if over > value => near.next_down(),
        Round::Up if over < value => near.next_up(),
        _ => near,
    }
}

/// `a * b + c` of numbers with 24 bits, rounded to odd: rounding it again to 24 bits rounds the exact number.
#[inline(always)]
pub(crate) fn fused(a: f32, b: f32, c: f32) -> f64 {
    sum(f64::from(a) * f64::from(b), f64::from(c))
}

/// `a + b`, rounded to odd.
#[inline(always)]
pub(crate) fn sum(a: f64, b: f64) -> f64 {
    let s = a + b;
    let t = s - a;
    let error = (a - (s - t)) + (b - t);
    let even = s.to_bits() & 1 == 0;
    // One unit towards the error; the sum is no zero where there is one.
    let toward = ((error > 0.0) == (s > 0.0)) as u64;
    let moved = s.to_bits().wrapping_sub(1).wrapping_add(2 * toward);
    if even && error.abs() > 0.0 { f64::from_bits(moved) } else { s }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> Format {
        Format::of(Type::named(name).expect("a type")).expect("a format")
    }

    #[test]
    fn every_small_number_comes_back() {
        for name in ["f16", "bf16", "e4m3", "e5m2"] {
            let (format, bits) = (format(name), Type::named(name).expect("a type").bits);
            for number in 0..1_u64 << bits {
                let wide = format.wide(number);
                if !wide.is_nan() {
                    assert_eq!(format.narrow(wide, Round::Nearest, false), number, "{name} {number:#x} is {wide}");
                }
            }
        }
    }

    #[test]
    fn ties_and_overflow_are_those_of_the_formats() {
        let half = format("f16");
        assert_eq!(half.narrow(1.0 + 1.0 / 2048.0, Round::Nearest, false), 0x3c00);
        assert_eq!(half.narrow(1.0 + 3.0 / 2048.0, Round::Nearest, false), 0x3c02);
        assert_eq!(half.narrow(1.0 + 1.0 / 2048.0, Round::Up, false), 0x3c01);
        assert_eq!(half.narrow(65520.0, Round::Nearest, false), 0x7c00);
        assert_eq!(half.narrow(65520.0, Round::Zero, false), 0x7bff);
        assert_eq!(half.narrow(2.0_f64.powi(-25), Round::Nearest, false), 0);
        assert_eq!(half.narrow(2.0_f64.powi(-25) * 1.01, Round::Nearest, false), 1);
        assert_eq!(format("e4m3").narrow(1e9, Round::Nearest, true), 0x7e);
    }

    #[test]
    fn a_fused_sum_is_rounded_once() {
        // The product's last bit decides a tie that a sum in double precision would round to even.
        let (a, b, c) = (1.0 + f32::EPSILON, 1.0 - f32::EPSILON / 2.0, 2.0_f32.powi(30));
        for (a, b, c) in [(a, b, c), (a, a, -1.0), (3e-20, 5e-20, 1.0), (1e30, 1e8, -1e38)] {
            assert_eq!(to_f32(fused(a, b, c), Round::Nearest), a.mul_add(b, c), "{a} * {b} + {c}");
        }
    }
}
