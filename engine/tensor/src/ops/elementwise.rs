//! What all elementwise operations share: which buffer to write into, and how the dtypes that
//! have no arithmetic of their own (16- and 8-bit floats, 4-bit integers) are computed.
//!
//! A family supplies a *kernel* that works in place on a slice; kernels are generic over the
//! number type, so an operation is one line in its family's table.

use half::slice::HalfFloatSliceExt;

use crate::array::{Array, reserve};
use crate::buffer::{Buffer, Element};
use crate::dtype::DType;
use crate::error::OpError;
use crate::float8::Float8;
use crate::shape::Shape;

/// The right-hand side of a kernel: as many elements as the left, or one for all.
#[derive(Clone, Copy)]
pub(crate) enum Operand<'a, T> {
    /// Element by element.
    Each(&'a [T]),
    /// The same for all.
    All(T),
}

impl<'a, T: Copy> Operand<'a, T> {
    /// The part that meets `length` elements from `start` on.
    #[inline(always)]
    pub(crate) fn part(self, start: usize, length: usize) -> Operand<'a, T> {
        match self {
            Operand::Each(elements) => Operand::Each(&elements[start..start + length]),
            all => all,
        }
    }

    pub(crate) fn new(elements: &'a [T], target_length: usize) -> Operand<'a, T> {
        match elements {
            [one] if target_length != 1 => Operand::All(*one),
            _ => Operand::Each(elements),
        }
    }
}

/// `x = f(x, y)`, or `x = f(y, x)` if swapped, for every element.
#[inline(always)]
pub(crate) fn each<T: Copy>(x: &mut [T], y: Operand<'_, T>, swapped: bool, f: impl Fn(T, T) -> T) {
    match (y, swapped) {
        (Operand::Each(y), false) => x.iter_mut().zip(y).for_each(|(x, &y)| *x = f(*x, y)),
        (Operand::Each(y), true) => x.iter_mut().zip(y).for_each(|(x, &y)| *x = f(y, *x)),
        (Operand::All(y), false) => x.iter_mut().for_each(|x| *x = f(*x, y)),
        (Operand::All(y), true) => x.iter_mut().for_each(|x| *x = f(y, *x)),
    }
}

/// Checks that two operands agree in dtype and that their shapes are equal or one has size 1;
/// returns (the one to write into, the other, whether they changed places).
pub(crate) fn pair(op: &'static str, left: Array, right: Array) -> Result<(Array, Array, bool), OpError> {
    if left.dtype() != right.dtype() {
        return Err(OpError::DTypeMismatch { op, left: left.dtype(), right: right.dtype() });
    }
    if left.shape() == right.shape() {
        let swapped = !left.is_unique() && right.is_unique();
        return Ok(if swapped { (right, left, true) } else { (left, right, false) });
    }
    if right.size() == 1 && (left.size() != 1 || left.rank() >= right.rank()) {
        return Ok((left, right, false));
    }
    if left.size() == 1 {
        return Ok((right, left, true));
    }
    Err(OpError::shapes(op, left.shape(), right.shape()))
}

/// A copy of elements that a kernel has gone over in place, chunk by chunk, while each is in the innermost cache: what
/// changes elements that somebody else holds as well needs no second pass for the copy. The kernel gets each chunk's
/// offset.
pub(crate) fn copied<T: Element>(elements: &[T], mut kernel: impl FnMut(usize, &mut [T])) -> Result<Vec<T>, OpError> {
    let mut result = reserve(&Shape::from([elements.len()]))?;
    for chunk in elements.chunks(CHUNK) {
        let start = result.len();
        result.extend_from_slice(chunk);
        kernel(start, &mut result[start..]);
    }
    Ok(result)
}

/// Elements converted at a time: both operands stay in the innermost cache.
const CHUNK: usize = 1024;
/// So many, scalars of kernels among them, have room of their own: to make room for a chunk takes longer than all the rest.
const FEW: usize = 16;

/// Runs an `f32` kernel over elements of a 16- or 8-bit float dtype, rounding once at the end.
///
/// The kernel is called with the offset and values of one chunk after another.
pub(crate) fn in_f32_chunks(dtype: DType, buffer: &mut Buffer, mut kernel: impl FnMut(usize, &mut [f32])) {
    match buffer.len() {
        ..=FEW => in_chunks_of::<FEW>(dtype, buffer, &mut kernel),
        _ => in_chunks_of::<CHUNK>(dtype, buffer, &mut kernel),
    }
}

fn in_chunks_of<const N: usize>(dtype: DType, buffer: &mut Buffer, kernel: &mut dyn FnMut(usize, &mut [f32])) {
    let mut values = [0f32; N];
    let length = buffer.len();
    let mut start = 0;
    while start < length {
        let count = N.min(length - start);
        let values = &mut values[..count];
        load(dtype, buffer, start, values);
        kernel(start, values);
        match buffer {
            Buffer::BF16(elements) => {
                elements[start..start + count].convert_from_f32_slice(values);
            }
            Buffer::F16(elements) => elements[start..start + count].convert_from_f32_slice(values),
            Buffer::U8(elements) => {
                if let Some(format) = Float8::of(dtype) {
                    // XLA computes them as `float16`, so results are rounded to that first.
                    values.iter_mut().for_each(|value| *value = half::f16::from_f32(*value).to_f32());
                    format.encode_all(values, &mut elements[start..start + count]);
                }
            }
            _ => {}
        }
        start += count;
    }
}

/// Reads elements of a 16- or 8-bit float dtype, `values.len()` of them from `start` on.
fn load(dtype: DType, buffer: &Buffer, start: usize, values: &mut [f32]) {
    let range = start..start + values.len();
    match buffer {
        Buffer::BF16(elements) => elements[range].convert_to_f32_slice(values),
        Buffer::F16(elements) => elements[range].convert_to_f32_slice(values),
        Buffer::U8(elements) => {
            if let Some(format) = Float8::of(dtype) {
                format.decode_all(&elements[range], values);
            }
        }
        _ => {}
    }
}

/// Like [`in_f32_chunks`] with the same stretch of a second operand beside it.
pub(crate) fn in_f32_chunks_with(
    dtype: DType,
    buffer: &mut Buffer,
    other: &Buffer,
    mut kernel: impl FnMut(&mut [f32], Operand<'_, f32>),
) {
    if other.len() == 1 && buffer.len() != 1 {
        let mut one = [0f32];
        load(dtype, other, 0, &mut one);
        in_f32_chunks(dtype, buffer, |_, values| kernel(values, Operand::All(one[0])));
        return;
    }
    match buffer.len() {
        ..=FEW => beside_chunks_of::<FEW>(dtype, buffer, other, &mut kernel),
        _ => beside_chunks_of::<CHUNK>(dtype, buffer, other, &mut kernel),
    }
}

fn beside_chunks_of<const N: usize>(
    dtype: DType,
    buffer: &mut Buffer,
    other: &Buffer,
    kernel: &mut dyn FnMut(&mut [f32], Operand<'_, f32>),
) {
    let mut other_values = [0f32; N];
    in_chunks_of::<N>(dtype, buffer, &mut |start, values| {
        let other_values = &mut other_values[..values.len()];
        load(dtype, other, start, other_values);
        kernel(values, Operand::Each(other_values));
    });
}

/// Brings the storage of 4-bit and 2-bit integers back into range after 8-bit arithmetic.
pub(crate) fn wrap_four_bits(dtype: DType, buffer: &mut Buffer) {
    if !dtype.is_small_integer() {
        return;
    }
    let spare = 8 - dtype.bits();
    match buffer {
        Buffer::I8(elements) => elements.iter_mut().for_each(|x| *x = *x << spare >> spare),
        Buffer::U8(elements) => elements.iter_mut().for_each(|x| *x &= 0xff >> spare),
        _ => {}
    }
}

/// The nearest value of a 16- or 8-bit float dtype, as `f32`.
pub(crate) fn round_narrow(dtype: DType, x: f32) -> f32 {
    match dtype {
        DType::BF16 => half::bf16::from_f32(x).to_f32(),
        DType::F16 => half::f16::from_f32(x).to_f32(),
        DType::F8E8M0Fnu => Float8::of(dtype).map_or(x, |format| format.decode(format.encode(x))),
        _ => Float8::of(dtype).map_or(x, |format| {
            // XLA computes these as `float16`.
            format.decode(format.encode(half::f16::from_f32(x).to_f64()))
        }),
    }
}
