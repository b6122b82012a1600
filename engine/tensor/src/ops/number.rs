//! The number types that elementwise kernels, reductions and scans are generic over.

use crate::buffer::Element;
use crate::ops::reduce_lanes::Combine;
use crate::ops::turn::{LANES, WINDOW};

/// An integer type with XLA's arithmetic: everything wraps, nothing traps.
pub(crate) trait Integer: Element + Ord {
    /// Lowest value: the identity of maximum.
    const MIN: Self;
    /// Highest value: the identity of minimum.
    const MAX: Self;
    const ZERO: Self;
    const ONE: Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// Truncates; by zero gives all ones (-1).
    fn div(self, other: Self) -> Self;
    /// Sign of the dividend; by zero gives the dividend.
    fn rem(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// Zero for shifts by the width or more, negative amounts counting as large.
    fn shift_left(self, amount: Self) -> Self;
    fn shift_right_logical(self, amount: Self) -> Self;
    /// The highest bit is the sign of unsigned types as well; by the width or more, nothing else
    /// is left.
    fn shift_right_arithmetic(self, amount: Self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    fn population_count(self) -> Self;
    fn leading_zeros(self) -> Self;
}

macro_rules! integers {
    ($($type:ty, $unsigned:ty, $signed:ty);* $(;)?) => {
        $(impl Integer for $type {
            const MIN: Self = <$type>::MIN;
            const MAX: Self = <$type>::MAX;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                if other == 0 { self } else { self.wrapping_rem(other) }
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
            #[inline(always)]
            fn xor(self, other: Self) -> Self { self ^ other }
            #[inline(always)]
            fn not(self) -> Self { !self }
            #[inline(always)]
            fn shift_left(self, amount: Self) -> Self {
                let amount = amount as $unsigned;
                if u64::from(amount) >= u64::from(<$type>::BITS) { 0 }
                else { self.wrapping_shl(amount as u32) }
            }
            #[inline(always)]
            fn shift_right_logical(self, amount: Self) -> Self {
                let amount = amount as $unsigned;
                if u64::from(amount) >= u64::from(<$type>::BITS) { 0 }
                else { (self as $unsigned).wrapping_shr(amount as u32) as $type }
            }
            #[inline(always)]
            fn shift_right_arithmetic(self, amount: Self) -> Self {
                let amount = u64::from(amount as $unsigned).min(u64::from(<$type>::BITS));
                // A shift by the width is done in two steps, the last of one bit.
                let most = (amount as u32).min(<$type>::BITS - 1);
                let shifted = (self as $signed) >> most;
                if amount as u32 > most { (shifted >> 1) as $type } else { shifted as $type }
            }
            #[inline(always)]
            fn abs(self) -> Self {
                if self < <$type>::default() { (0 as $type).wrapping_sub(self) } else { self }
            }
            #[inline(always)]
            fn sign(self) -> Self {
                let negative = self < <$type>::default();
                if negative { (0 as $type).wrapping_sub(1) } else { self.min(1) }
            }
            #[inline(always)]
            fn population_count(self) -> Self { self.count_ones() as $type }
            #[inline(always)]
            fn leading_zeros(self) -> Self { (self as $unsigned).leading_zeros() as $type }
        })*
    };
}

integers! {
    i8, u8, i8; i16, u16, i16; i32, u32, i32; i64, u64, i64;
    u8, u8, i8; u16, u16, i16; u32, u32, i32; u64, u64, i64;
}

/// A floating-point type with the arithmetic of XLA on the CPU, which runs with FTZ and DAZ:
/// subnormal operands and results count as zero, except where values only move.
pub(crate) trait Float: Element + PartialOrd {
    const ZERO: Self;
    const ONE: Self;
    const INFINITY: Self;
    /// The value, or a zero of its sign if it is subnormal.
    fn flush(self) -> Self;
    fn is_nan(self) -> bool;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    /// The sum with a value that may be subnormal; this one is not.
    fn plus(self, other: Self) -> Self;
    /// NaN if either is; +0 over -0.
    fn maximum(self, other: Self) -> Self;
    /// NaN if either is; -0 over +0.
    fn minimum(self, other: Self) -> Self;
    fn next_after(self, other: Self) -> Self;
    fn negate(self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn round(self) -> Self;
    fn round_even(self) -> Self;
    fn sqrt(self) -> Self;
    /// Lays windows side by side.
    fn turn(windows: &[Self; LANES * WINDOW], turned: &mut [[Self; LANES]; WINDOW]);
    /// Adds windows to what each of them has so far, sixteen at a time, in vector registers; false where that is not possible.
    fn add_windows(windows: &[Self], sums: &mut [Self]) -> bool;
    /// What short rows are combined to, sixteen at a time, in vector registers; false where that is not possible.
    fn short_rows(combine: Combine, rows: &[Self], length: usize, result: &mut [Self]) -> bool;
}

macro_rules! floats {
    ($($type:ident $turn:ident $sums:expr, $short:expr);*) => {
        $(impl Float for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const INFINITY: Self = $type::INFINITY;
            #[inline(always)]
            fn flush(self) -> Self {
                // Only zeros and subnormal numbers have no exponent, and one test of bits is all that it takes.
                let bits = self.to_bits();
                let is_small = bits & $type::INFINITY.to_bits() == 0;
                $type::from_bits(if is_small { bits & (-0.0 as $type).to_bits() } else { bits })
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self { (self.flush() + other.flush()).flush() }
            #[inline(always)]
            fn plus(self, other: Self) -> Self { (self + other.flush()).flush() }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { (self.flush() - other.flush()).flush() }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { (self.flush() * other.flush()).flush() }
            #[inline(always)]
            fn div(self, other: Self) -> Self { (self.flush() / other.flush()).flush() }
            #[inline(always)]
            fn is_nan(self) -> bool { $type::is_nan(self) }
            #[inline(always)]
            fn rem(self, other: Self) -> Self { self % other.flush() }
            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                let (this, other) = (self.flush(), other.flush());
                // Where the other is NaN neither test holds, and it is the result.
                if this.is_nan() {
                    this
                } else if this == other {
                    $type::from_bits(this.to_bits() & other.to_bits())
                } else if this > other {
                    this
                } else {
                    other
                }
            }
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                let (this, other) = (self.flush(), other.flush());
                // Where the other is NaN neither test holds, and it is the result.
                if this.is_nan() {
                    this
                } else if this == other {
                    $type::from_bits(this.to_bits() | other.to_bits())
                } else if this < other {
                    this
                } else {
                    other
                }
            }
            #[inline(always)]
            fn next_after(self, other: Self) -> Self {
                if self.is_nan() || other.is_nan() {
                    $type::NAN
                } else if self == other {
                    other
                } else if self < other {
                    self.next_up()
                } else {
                    self.next_down()
                }
            }
            #[inline(always)]
            fn negate(self) -> Self { -self }
            #[inline(always)]
            fn abs(self) -> Self { self.abs() }
            #[inline(always)]
            fn sign(self) -> Self {
                // Zeros keep their sign and NaN stays NaN.
                let this = self.flush();
                if this == 0.0 || this.is_nan() { this } else { (1.0 as $type).copysign(self) }
            }
            #[inline(always)]
            fn floor(self) -> Self { self.flush().floor() }
            #[inline(always)]
            fn ceil(self) -> Self { self.flush().ceil() }
            #[inline(always)]
            fn round(self) -> Self { self.flush().round() }
            #[inline(always)]
            fn round_even(self) -> Self { self.flush().round_ties_even() }
            #[inline(always)]
            fn sqrt(self) -> Self { self.flush().sqrt() }
            #[inline(always)]
            fn turn(windows: &[Self; LANES * WINDOW], turned: &mut [[Self; LANES]; WINDOW]) {
                crate::ops::turn::$turn(windows, turned);
            }
            #[inline(always)]
            fn add_windows(windows: &[Self], sums: &mut [Self]) -> bool { $sums(windows, sums) }
            #[inline(always)]
            fn short_rows(combine: Combine, rows: &[Self], length: usize, result: &mut [Self]) -> bool {
                $short(combine, rows, length, result)
            }
        })*
    };
}

floats!(
    f32 turn_f32 crate::ops::windows::add_f32, crate::ops::short_rows::short_rows_f32;
    f64 turn |_, _| false, |_, _, _, _| false
);
