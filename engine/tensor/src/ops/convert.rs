//! Casts between dtypes (`lax.convert_element_type`) and reinterpretations of bits
//! (`lax.bitcast_convert_type`).

use half::{bf16, f16};

use crate::array::Array;
use crate::buffer::{Buffer, Element};
use crate::deferred::put_off;
use crate::dtype::DType;
use crate::error::OpError;
use crate::float8::Float8;
use crate::lack::{collected, lack};
use crate::ops::fused::{CHUNK, Code};
use crate::recycled;
use crate::shape::Shape;

/// How a stored element becomes a `Target`, with XLA's rules.
///
/// Rust's `as` is what XLA does, but for subnormal numbers: integers wrap, float to integer
/// truncates and saturates with NaN giving 0, everything to float rounds to nearest even.
pub(crate) trait Cast<Target> {
    fn cast(self) -> Target;
}

macro_rules! cast_with_as {
    ($($source:ty => [$($target:ty),*]);* $(;)?) => {
        $($(impl Cast<$target> for $source {
            #[inline(always)]
            fn cast(self) -> $target { self as $target }
        })*)*
    };
}

macro_rules! cast_through {
    ($source:ty => $middle:expr => [$($target:ty),*]) => {
        $(impl Cast<$target> for $source {
            #[inline(always)]
            fn cast(self) -> $target {
                let middle = $middle;
                middle(self) as $target
            }
        })*
    };
}

macro_rules! cast_to {
    ($target:ty, $from_f32:expr, [$($source:ty),*]) => {
        $(impl Cast<$target> for $source {
            #[inline(always)]
            fn cast(self) -> $target {
                let from_f32 = $from_f32;
                from_f32(Cast::<f32>::cast(self))
            }
        })*
    };
}

macro_rules! cast_to_bool {
    ($($source:ty),*) => {
        $(impl Cast<bool> for $source {
            #[inline(always)]
            fn cast(self) -> bool { self != <$source>::default() }
        })*
    };
}

cast_with_as! {
    i8 => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64];
    i16 => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64];
    i32 => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64];
    i64 => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64];
    u8 => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64];
    u16 => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64];
    u32 => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64];
    u64 => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64];
    f32 => [i8, i16, i32, i64, u8, u16, u32, u64, f32];
    f64 => [i8, i16, i32, i64, u8, u16, u32, u64, f64];
}
// Between the wide floats XLA runs an instruction, and subnormal numbers become zero.
cast_through!(f32 => crate::math::flush => [f64]);
impl Cast<f32> for f64 {
    #[inline(always)]
    fn cast(self) -> f32 {
        crate::math::flush(self as f32)
    }
}
cast_through!(bool => u8::from => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64]);
cast_through!(bf16 => bf16::to_f32 => [i8, i16, i32, i64, u8, u16, u32, u64, f32]);
cast_through!(bf16 => |x: bf16| crate::math::flush(x.to_f32()) => [f64]);
cast_through!(f16 => f16::to_f32 => [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64]);
// The 16-bit floats are reached through `f32` from everywhere, as in XLA on the CPU.
cast_to!(bf16, bf16::from_f32, [bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, f16]);
cast_to!(f16, f16::from_f32, [bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, bf16]);
cast_to_bool!(i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16);
impl Cast<bool> for f32 {
    #[inline(always)]
    fn cast(self) -> bool {
        crate::math::flush(self) != 0.0
    }
}
impl Cast<bool> for f64 {
    #[inline(always)]
    fn cast(self) -> bool {
        crate::math::flush_f64(self) != 0.0
    }
}

macro_rules! cast_to_itself {
    ($($both:ty),*) => {
        $(impl Cast<$both> for $both {
            #[inline(always)]
            fn cast(self) -> $both { self }
        })*
    };
}
cast_to_itself!(bool, bf16, f16);

/// Memory for so many elements, that somebody had before if there is any.
fn room<T: Element>(length: usize) -> Vec<T> {
    recycled::empty(length).unwrap_or_else(|| lack(length.saturating_mul(size_of::<T>())))
}

/// The elements as a vector of a Rust number type, by the rules of [`convert`].
///
/// `T` is any of the number types that a buffer stores, and `bool`.
///
/// # Errors
/// For keys.
pub(crate) fn numbers<T: Element>(array: &Array) -> Result<Vec<T>, OpError>
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
    bf16: Cast<T>,
    f16: Cast<T>,
    f32: Cast<T>,
    f64: Cast<T>,
{
    fn all<S: Cast<T> + Copy, T: Element>(elements: &[S]) -> Vec<T> {
        let mut numbers = room(elements.len());
        numbers.extend(elements.iter().map(|element| element.cast()));
        numbers
    }
    if let Some(format) = Float8::of(array.dtype())
        && let Buffer::U8(bits) = array.buffer()
    {
        let mut numbers = room(bits.len());
        let mut values = [0.0f32; CHUNK];
        for bits in bits.chunks(CHUNK) {
            let values = &mut values[..bits.len()];
            format.decode_all(bits, values);
            numbers.extend(values.iter().map(|value| value.cast()));
        }
        return Ok(numbers);
    }
    Ok(match array.buffer() {
        Buffer::Bool(elements) => all(elements),
        Buffer::I8(elements) => all(elements),
        Buffer::I16(elements) => all(elements),
        Buffer::I32(elements) => all(elements),
        Buffer::I64(elements) => all(elements),
        Buffer::U8(elements) => all(elements),
        Buffer::U16(elements) => all(elements),
        Buffer::U32(elements) => all(elements),
        Buffer::U64(elements) => all(elements),
        Buffer::BF16(elements) => all(elements),
        Buffer::F16(elements) => all(elements),
        Buffer::F32(elements) => all(elements),
        Buffer::F64(elements) => all(elements),
        Buffer::Key(_) => {
            return Err(OpError::DType { op: "convert_element_type", dtype: DType::Key });
        }
    })
}

/// Casts every element, by the rules of [`crate::Scalar::cast`].
///
/// # Errors
/// Between keys and numbers.
pub fn convert(array: &Array, dtype: DType) -> Result<Array, OpError> {
    if array.dtype() == dtype {
        return Ok(array.clone());
    }
    if let Some(result) = put_off(&[array], Code::Convert, dtype) {
        return Ok(result);
    }
    let buffer = match dtype {
        DType::Bool => Buffer::Bool(numbers(array)?),
        DType::I4 => Buffer::I8(to_few_bits(array, 4, -8, 7)?),
        DType::I2 => Buffer::I8(to_few_bits(array, 2, -2, 1)?),
        DType::U4 => {
            let elements: Vec<i8> = to_few_bits(array, 4, 0, 15)?;
            Buffer::U8(elements.into_iter().map(|element| element as u8 & 15).collect())
        }
        DType::U2 => {
            let elements: Vec<i8> = to_few_bits(array, 2, 0, 3)?;
            Buffer::U8(elements.into_iter().map(|element| element as u8 & 3).collect())
        }
        DType::I8 => Buffer::I8(numbers(array)?),
        DType::I16 => Buffer::I16(numbers(array)?),
        DType::I32 => Buffer::I32(numbers(array)?),
        DType::I64 => Buffer::I64(numbers(array)?),
        DType::U8 => Buffer::U8(numbers(array)?),
        DType::U16 => Buffer::U16(numbers(array)?),
        DType::U32 => Buffer::U32(numbers(array)?),
        DType::U64 => Buffer::U64(numbers(array)?),
        DType::BF16 => Buffer::BF16(numbers(array)?),
        DType::F16 => Buffer::F16(numbers(array)?),
        DType::F32 => Buffer::F32(numbers(array)?),
        DType::F64 => Buffer::F64(numbers(array)?),
        DType::Key => {
            return Err(OpError::DType { op: "convert_element_type", dtype: array.dtype() });
        }
        _ => Buffer::U8(to_float8(array, dtype)?),
    };
    Ok(Array::from_parts(dtype, array.shape().clone(), buffer))
}

/// Floats saturate at the limits, integers keep their low bits, sign-extended.
fn to_few_bits(array: &Array, bits: u32, min: i8, max: i8) -> Result<Vec<i8>, OpError> {
    let elements: Vec<i8> = numbers(array)?;
    if array.dtype().is_float() {
        return Ok(elements.into_iter().map(|element| element.clamp(min, max)).collect());
    }
    Ok(elements.into_iter().map(|element| element << (8 - bits) >> (8 - bits)).collect())
}

fn to_float8(array: &Array, dtype: DType) -> Result<Vec<u8>, OpError> {
    let Some(format) = Float8::of(dtype) else {
        return Err(OpError::DType { op: "convert_element_type", dtype });
    };
    if let Some(elements) = array.elements::<f64>() {
        return Ok(elements.iter().map(|&element| format.encode(element)).collect());
    }
    let elements: Vec<f32> = numbers(array)?;
    let mut bits = room(elements.len());
    bits.resize(elements.len(), 0);
    format.encode_all(&elements, &mut bits);
    Ok(bits)
}

/// Reinterprets the bits, as `lax.bitcast_convert_type`: equal widths keep the shape; to a
/// narrower dtype appends a dimension of the ratio (low bits first), to a wider one drops it.
///
/// # Errors
/// For `bool` and keys unless nothing changes, and if the last dimension is not the ratio.
pub fn bitcast_convert(array: &Array, dtype: DType) -> Result<Array, OpError> {
    const OP: &str = "bitcast_convert_type";
    if array.dtype() == dtype {
        return Ok(array.clone());
    }
    for dtype in [array.dtype(), dtype] {
        if !dtype.is_integer() && !dtype.is_float() {
            return Err(OpError::DType { op: OP, dtype });
        }
    }
    let (from, to) = (array.dtype().bits(), dtype.bits());
    if from == to
        && let Some(result) = put_off(&[array], Code::Bits, dtype)
    {
        return Ok(result);
    }
    let mut shape = array.shape().clone();
    if from > to {
        shape.push((from / to) as usize);
    } else if from < to {
        let ratio = (to / from) as usize;
        if shape.last() != Some(&ratio) {
            return Err(OpError::argument(OP, format!("the last dimension of shape {shape} has to be {ratio}")));
        }
        shape = Shape::from(&shape[..shape.rank() - 1]);
    }
    let bits = bits_of(array);
    let bits = match from.cmp(&to) {
        std::cmp::Ordering::Equal => bits,
        std::cmp::Ordering::Greater => {
            let mask = (1u64 << to) - 1;
            let pieces = |word: u64| (0..from / to).map(move |piece| word >> (piece * to) & mask);
            bits.into_iter().flat_map(pieces).collect()
        }
        std::cmp::Ordering::Less => {
            let join = |pieces: &[u64]| {
                let pieces = pieces.iter().rev();
                pieces.fold(0, |word, piece| word << from | piece)
            };
            bits.chunks_exact((to / from) as usize).map(join).collect()
        }
    };
    Ok(Array::from_parts(dtype, shape, from_bits(dtype, &bits)))
}

/// Each element's bits, zero-extended; no elements for keys and `bool`, which the caller refused.
fn bits_of(array: &Array) -> Vec<u64> {
    let mask = if array.dtype().bits() < 8 { (1 << array.dtype().bits()) - 1 } else { u64::MAX };
    match array.buffer() {
        Buffer::I8(elements) => collected(elements.iter().map(|&x| u64::from(x as u8) & mask)),
        Buffer::I16(elements) => collected(elements.iter().map(|&x| u64::from(x as u16))),
        Buffer::I32(elements) => collected(elements.iter().map(|&x| u64::from(x as u32))),
        Buffer::I64(elements) => collected(elements.iter().map(|&x| x as u64)),
        Buffer::U8(elements) => collected(elements.iter().map(|&x| u64::from(x) & mask)),
        Buffer::U16(elements) => collected(elements.iter().map(|&x| u64::from(x))),
        Buffer::U32(elements) => collected(elements.iter().map(|&x| u64::from(x))),
        Buffer::U64(elements) => elements.clone(),
        Buffer::BF16(elements) => collected(elements.iter().map(|x| u64::from(x.to_bits()))),
        Buffer::F16(elements) => collected(elements.iter().map(|x| u64::from(x.to_bits()))),
        Buffer::F32(elements) => collected(elements.iter().map(|x| u64::from(x.to_bits()))),
        Buffer::F64(elements) => collected(elements.iter().map(|x| x.to_bits())),
        Buffer::Bool(_) | Buffer::Key(_) => Vec::new(),
    }
}

fn from_bits(dtype: DType, bits: &[u64]) -> Buffer {
    fn all<T>(bits: &[u64], from: impl Fn(u64) -> T) -> Vec<T> {
        collected(bits.iter().map(|&bits| from(bits)))
    }
    match dtype {
        DType::I4 => Buffer::I8(all(bits, |x| (x as i8) << 4 >> 4)),
        DType::I2 => Buffer::I8(all(bits, |x| (x as i8) << 6 >> 6)),
        DType::I8 => Buffer::I8(all(bits, |x| x as i8)),
        DType::I16 => Buffer::I16(all(bits, |x| x as i16)),
        DType::I32 => Buffer::I32(all(bits, |x| x as i32)),
        DType::I64 => Buffer::I64(all(bits, |x| x as i64)),
        DType::U16 => Buffer::U16(all(bits, |x| x as u16)),
        DType::U32 => Buffer::U32(all(bits, |x| x as u32)),
        DType::U64 => Buffer::U64(bits.to_vec()),
        DType::BF16 => Buffer::BF16(all(bits, |x| bf16::from_bits(x as u16))),
        DType::F16 => Buffer::F16(all(bits, |x| f16::from_bits(x as u16))),
        DType::F32 => Buffer::F32(all(bits, |x| f32::from_bits(x as u32))),
        DType::F64 => Buffer::F64(all(bits, f64::from_bits)),
        _ => Buffer::U8(all(bits, |x| x as u8)),
    }
}
