//! Chunks between types: casts, what 16-bit floats are rounded to, and how chunks come from arrays and go back.

use super::chunk::Source;
use super::lanes::{Lane, with_lane};
use super::lines::{Out, map};
use crate::buffer::Buffer;
use crate::dtype::DType;
use crate::isa::for_each_isa;
use crate::ops::convert::Cast;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

/// An `f32` rounded to a `bfloat16`.
#[inline(always)]
fn to_bf16(x: f32) -> f32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) & 0xffff_0000;
    let quiet = (bits | 0x0040_0000) & 0xffff_0000;
    f32::from_bits(if x.is_nan() { quiet } else { rounded })
}

/// A `bfloat16` as `f32`.
#[inline(always)]
fn from_bf16(x: bf16) -> f32 {
    let bits = u32::from(x.to_bits()) << 16;
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { bits | 0x0040_0000 } else { bits })
}

for_each_isa! {
fn round_bf16<F>(x: &mut [f32]) {
    x.iter_mut().for_each(|x| *x = to_bf16(*x));
}

fn load_bf16<F>(out: &mut [f32], x: &[bf16]) {
    out.iter_mut().zip(x).for_each(|(out, &x)| *out = from_bf16(x));
}

fn store_bf16<F>(out: &mut [bf16], x: &[f32]) {
    out.iter_mut().zip(x).for_each(|(out, x)| *out = bf16::from_bits((x.to_bits() >> 16) as u16));
}
}

/// Rounds to a 16-bit float; elements of every other dtype stay.
pub(super) fn round_to(dtype: DType, x: &mut [f32]) {
    match dtype {
        DType::BF16 => round_bf16(x),
        DType::F16 => {
            let mut narrow = [f16::ZERO; super::CHUNK];
            let narrow = &mut narrow[..x.len()];
            narrow.convert_from_f32_slice(x);
            narrow.convert_to_f32_slice(x);
        }
        _ => {}
    }
}

/// Elements of an array as `f32`: `out.len()` of them, `stride` apart.
pub(super) fn load_f32(out: &mut [f32], buffer: &Buffer, start: usize, stride: isize) {
    let end = start + out.len();
    match (buffer, stride) {
        (Buffer::BF16(x), 1) => load_bf16(out, &x[start..end]),
        (Buffer::F16(x), 1) => x[start..end].convert_to_f32_slice(out),
        (Buffer::BF16(x), _) => load_strided(out, x, start, stride, from_bf16),
        (Buffer::F16(x), _) => load_strided(out, x, start, stride, f16::to_f32),
        (Buffer::F32(x), _) => load_strided(out, x, start, stride, |x| x),
        _ => {}
    }
}

/// Elements of an array, `stride` apart.
#[inline(always)]
pub(super) fn load_strided<S: Copy, T: Copy>(out: &mut [T], x: &[S], start: usize, stride: isize, f: impl Fn(S) -> T) {
    match stride {
        0 => out.fill(f(x[start])),
        1 => {
            let x = &x[start..start + out.len()];
            out.iter_mut().zip(x).for_each(|(out, &x)| *out = f(x));
        }
        _ => {
            for (place, out) in out.iter_mut().enumerate() {
                *out = f(x[start.wrapping_add_signed(place as isize * stride)]);
            }
        }
    }
}

/// Puts a chunk of `f32` into elements of the dtype that it was rounded to.
pub(super) fn store_bf16s(out: &mut [bf16], x: &[f32]) {
    store_bf16(out, x);
}

/// See [`store_bf16s`].
pub(super) fn store_f16s(out: &mut [f16], x: &[f32]) {
    out.convert_from_f32_slice(x);
}

/// `out = x` as another dtype, by the rules of [`crate::ops::convert`].
pub(super) fn cast<T: Lane>(from: DType, x: Source<'_>, out: &mut Out<'_, T>)
where
    bool: Cast<T>,
    i8: Cast<T>,
    i16: Cast<T>,
    i32: Cast<T>,
    i64: Cast<T>,
    u8: Cast<T>,
    u16: Cast<T>,
    u32: Cast<T>,
    u64: Cast<T>,
    f32: Cast<T>,
    f64: Cast<T>,
{
    with_lane!(super::lanes::lane_of(from).unwrap_or(DType::F32), S => map(out, &x.lines::<S>(), |x| x.cast()));
}

/// A type of lanes as the bits that it is, in the lowest places.
pub(super) trait Bits: Copy + Default {
    fn bits(self) -> u64;
    fn of(bits: u64) -> Self;
}

macro_rules! bits {
    ($($type:ident),*) => { $(
        impl Bits for $type {
            #[inline(always)]
            fn bits(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn of(bits: u64) -> $type {
                bits as $type
            }
        }
    )* };
    (floats $($type:ident),*) => { $(
        impl Bits for $type {
            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            #[inline(always)]
            fn of(bits: u64) -> $type {
                $type::from_bits(bits as _)
            }
        }
    )* };
}
bits!(i8, i16, i32, i64, u8, u16, u32, u64);
bits!(floats f32, f64);

impl Bits for bool {
    fn bits(self) -> u64 {
        self.into()
    }
    fn of(bits: u64) -> bool {
        bits != 0
    }
}

/// `out` has the bits of `x`, of a dtype that is as wide.
pub(super) fn reinterpret<T: Lane + Bits>(from: DType, x: Source<'_>, out: &mut Out<'_, T>) {
    with_lane!(super::lanes::lane_of(from).unwrap_or(DType::F32), S => map(out, &x.lines::<S>(), |x| T::of(x.bits())));
}
