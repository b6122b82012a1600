//! What elementary functions are written in: numbers that are computed, or numbers that only note what is to be computed with
//! them ([`crate::ops::fused`] makes machine code of that). A function that is generic over [`Number`] has one source, so both
//! give the same bits.
//!
//! There are no branches: both cases of a choice are computed, so that a loop over a function goes through several elements at
//! once.

use super::arith::flush;
use crate::isa::Fma;
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// An `f32` that is there, or one of a computation that is noted down.
///
/// Operators round and do nothing else: what is subnormal is flushed where a function says so. A number that notes may take
/// subnormal operands of arithmetic for zeros, which is what the functions compute for XLA's sake; those that must not say so
/// with bits.
pub(crate) trait Number:
    Copy
    + From<f32>
    + Add<Output = Self>
    + Add<f32, Output = Self>
    + Sub<Output = Self>
    + Sub<f32, Output = Self>
    + Mul<Output = Self>
    + Mul<f32, Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// What a comparison gives.
    type Truth: Copy;
    /// Its 32 bits.
    type Bits: Copy;
    /// `self * factor + addend` with one rounding.
    fn fma(self, factor: impl Into<Self>, addend: impl Into<Self>) -> Self;
    /// Zero of the same sign where it is subnormal.
    fn flush(self) -> Self;
    fn floor(self) -> Self;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    /// Held in `[low, high]`, where NaN stays NaN.
    fn clamp(self, low: f32, high: f32) -> Self;
    /// Not more than `high`, where NaN stays NaN.
    fn at_most(self, high: f32) -> Self;
    fn is_below(self, other: impl Into<Self>) -> Self::Truth;
    fn is_above(self, other: impl Into<Self>) -> Self::Truth;
    fn is_at_most(self, other: impl Into<Self>) -> Self::Truth;
    fn is_at_least(self, other: impl Into<Self>) -> Self::Truth;
    fn is_equal(self, other: impl Into<Self>) -> Self::Truth;
    /// The first where it holds, else the second.
    fn choose(truth: Self::Truth, yes: impl Into<Self>, no: impl Into<Self>) -> Self;
    fn bits(self) -> Self::Bits;
    fn of_bits(bits: Self::Bits) -> Self;
    /// The integer of 32 bits with a sign, rounded.
    fn of_integer(bits: Self::Bits) -> Self;
    /// The sum, modulo 2^32.
    fn plus(bits: Self::Bits, other: u32) -> Self::Bits;
    fn and(bits: Self::Bits, mask: u32) -> Self::Bits;
    fn or(bits: Self::Bits, mask: u32) -> Self::Bits;
    fn shifted_left(bits: Self::Bits, places: u32) -> Self::Bits;
    /// With zeros from the left.
    fn shifted_right(bits: Self::Bits, places: u32) -> Self::Bits;
}

/// An `f32`, with a given way to multiply and add.
#[derive(Clone, Copy)]
pub(crate) struct Single<F>(pub(crate) f32, PhantomData<F>);

impl<F> From<f32> for Single<F> {
    #[inline(always)]
    fn from(x: f32) -> Single<F> {
        Single(x, PhantomData)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $operator:tt),*) => { $(
        impl<F> $trait for Single<F> {
            type Output = Single<F>;
            #[inline(always)]
            fn $method(self, other: Single<F>) -> Single<F> {
                (self.0 $operator other.0).into()
            }
        }
        impl<F> $trait<f32> for Single<F> {
            type Output = Single<F>;
            #[inline(always)]
            fn $method(self, other: f32) -> Single<F> {
                (self.0 $operator other).into()
            }
        }
    )* };
}
operators!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<F> Neg for Single<F> {
    type Output = Single<F>;
    #[inline(always)]
    fn neg(self) -> Single<F> {
        (-self.0).into()
    }
}

impl<F: Fma> Number for Single<F> {
    type Truth = bool;
    type Bits = u32;
    #[inline(always)]
    fn fma(self, factor: impl Into<Self>, addend: impl Into<Self>) -> Self {
        F::fma(self.0, factor.into().0, addend.into().0).into()
    }
    #[inline(always)]
    fn flush(self) -> Self {
        flush(self.0).into()
    }
    #[inline(always)]
    fn floor(self) -> Self {
        self.0.floor().into()
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.0.sqrt().into()
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.0.abs().into()
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.0.copysign(sign.0).into()
    }
    #[inline(always)]
    fn clamp(self, low: f32, high: f32) -> Self {
        let raised = if self.0 < low { low } else { self.0 };
        Single::from(raised).at_most(high)
    }
    #[inline(always)]
    fn at_most(self, high: f32) -> Self {
        (if self.0 > high { high } else { self.0 }).into()
    }
    #[inline(always)]
    fn is_below(self, other: impl Into<Self>) -> bool {
        self.0 < other.into().0
    }
    #[inline(always)]
    fn is_above(self, other: impl Into<Self>) -> bool {
        self.0 > other.into().0
    }
    #[inline(always)]
    fn is_at_most(self, other: impl Into<Self>) -> bool {
        self.0 <= other.into().0
    }
    #[inline(always)]
    fn is_at_least(self, other: impl Into<Self>) -> bool {
        self.0 >= other.into().0
    }
    #[inline(always)]
    fn is_equal(self, other: impl Into<Self>) -> bool {
        self.0 == other.into().0
    }
    #[inline(always)]
    fn choose(truth: bool, yes: impl Into<Self>, no: impl Into<Self>) -> Self {
        let (yes, no) = (yes.into(), no.into());
        if truth { yes } else { no }
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.to_bits()
    }
    #[inline(always)]
    fn of_bits(bits: u32) -> Self {
        f32::from_bits(bits).into()
    }
    #[inline(always)]
    fn of_integer(bits: u32) -> Self {
        (bits.cast_signed() as f32).into()
    }
    #[inline(always)]
    fn plus(bits: u32, other: u32) -> u32 {
        bits.wrapping_add(other)
    }
    #[inline(always)]
    fn and(bits: u32, mask: u32) -> u32 {
        bits & mask
    }
    #[inline(always)]
    fn or(bits: u32, mask: u32) -> u32 {
        bits | mask
    }
    #[inline(always)]
    fn shifted_left(bits: u32, places: u32) -> u32 {
        bits << places
    }
    #[inline(always)]
    fn shifted_right(bits: u32, places: u32) -> u32 {
        bits >> places
    }
}
