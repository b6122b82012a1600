//! Samplers, in the order of operations of jax/_src/random/core.py.

use crate::array::{Array, reserve};
use crate::buffer::{Buffer, Element};
use crate::dtype::DType;
use crate::error::OpError;
use crate::ops::{
    BinaryOp, CompareOp, MultiplyAdd, UnaryOp, bitcast_convert, compare, convert, multiply_add, sort, take_flat, unary,
};
use crate::random::threefry::{bits, threefry_block};
use crate::scalar::Scalar;
use crate::shape::Shape;

/// A limit of a range: one for all elements or one for each.
fn limit(op: &'static str, value: &Array, shape: &Shape) -> Result<(), OpError> {
    if value.size() == 1 || value.shape() == shape {
        return Ok(());
    }
    Err(OpError::shapes(op, shape, value.shape()))
}

/// The two keys of `split(key)`.
fn two_keys(key: [u32; 2]) -> [[u32; 2]; 2] {
    [threefry_block(key, [0, 0]), threefry_block(key, [0, 1])]
}

/// Floats in `[minimum, maximum)`, as `jax.random.uniform`.
///
/// The limits have size 1 or the shape, and are cast to `dtype` first.
///
/// # Errors
/// For dtypes that are not floats, limits that do not fit, and [`OpError::TooLarge`].
pub fn uniform(
    key: [u32; 2],
    shape: impl Into<Shape>,
    dtype: DType,
    minimum: &Array,
    maximum: &Array,
) -> Result<Array, OpError> {
    const OP: &str = "uniform";
    let shape = shape.into();
    let Some(info) = dtype.finfo() else {
        return Err(OpError::DType { op: OP, dtype });
    };
    limit(OP, minimum, &shape)?;
    limit(OP, maximum, &shape)?;
    let minimum = convert(minimum, dtype)?;
    let maximum = convert(maximum, dtype)?;
    // Random mantissa bits under the exponent of 1 make a float in [1, 2).
    let width = if info.nmant < 8 { 8 } else { info.bits };
    let unsigned = match info.bits {
        8 => DType::U8,
        16 => DType::U16,
        32 => DType::U32,
        _ => DType::U64,
    };
    let one = Array::scalar(dtype, Scalar::Float(1.0));
    let one_bits = bitcast_convert(&one, unsigned)?;
    let shift = Array::scalar(unsigned, Scalar::Int((width - info.nmant).into()));
    let random = convert(&bits(key, width, shape)?, unsigned)?;
    let random = crate::ops::binary(BinaryOp::ShiftRightLogical, random, shift)?;
    let random = crate::ops::binary(BinaryOp::Or, random, one_bits)?;
    let floats = bitcast_convert(&random, dtype)?;
    let floats = crate::ops::binary(BinaryOp::Sub, floats, one)?;
    let span = crate::ops::binary(BinaryOp::Sub, maximum, minimum.clone())?;
    let scaled = scale(floats, &span, &minimum)?;
    crate::ops::binary(BinaryOp::Max, scaled, minimum)
}

/// `x * span + minimum`, which XLA contracts into one fused operation for `f32` and `f64`.
fn scale(mut x: Array, span: &Array, minimum: &Array) -> Result<Array, OpError> {
    if x.dtype() == DType::F32 {
        let shape = x.shape().clone();
        let scaled = multiply_add(x, span.clone(), minimum.clone(), MultiplyAdd::Add, false)?;
        return Ok(scaled.relabel(shape));
    }
    if x.dtype() != DType::F64 {
        let product = crate::ops::binary(BinaryOp::Mul, x, span.clone())?;
        return crate::ops::binary(BinaryOp::Add, product, minimum.clone());
    }
    if let (Buffer::F64(x), Buffer::F64(span), Buffer::F64(minimum)) = (x.make_mut(), span.buffer(), minimum.buffer()) {
        let step = |operand: &[f64]| usize::from(operand.len() != 1);
        let (span_step, minimum_step) = (step(span), step(minimum));
        for (index, x) in x.iter_mut().enumerate() {
            *x = x.mul_add(span[index * span_step], minimum[index * minimum_step]);
        }
    }
    Ok(x)
}

/// Normally distributed floats, as `jax.random.normal`: `sqrt(2) * erf_inv(u)` with `u` uniform in
/// `(-1, 1)`.
///
/// # Errors
/// As [`uniform`].
pub fn normal(key: [u32; 2], shape: impl Into<Shape>, dtype: DType) -> Result<Array, OpError> {
    let one = |value: f64| Array::scalar(dtype, Scalar::Float(value));
    if !dtype.is_float() {
        return Err(OpError::DType { op: "normal", dtype });
    }
    let low = crate::ops::binary(BinaryOp::NextAfter, one(-1.0), one(0.0))?;
    let sample = uniform(key, shape, dtype, &low, &one(1.0))?;
    let sample = unary(UnaryOp::ErfInv, sample)?;
    crate::ops::binary(BinaryOp::Mul, sample, one(std::f64::consts::SQRT_2))
}

/// Integers in `[minimum, maximum)`, as `jax.random.randint`.
///
/// The limits are integer arrays of size 1 or the shape; `maximum <= minimum` always gives
/// `minimum`.
///
/// # Errors
/// For dtypes that are not integers of 8 bits or more, limits that do not fit, and
/// [`OpError::TooLarge`].
pub fn randint(
    key: [u32; 2],
    shape: impl Into<Shape>,
    minimum: &Array,
    maximum: &Array,
    dtype: DType,
) -> Result<Array, OpError> {
    const OP: &str = "randint";
    let shape = shape.into();
    let info = dtype.iinfo().filter(|info| info.bits >= 8);
    let Some(info) = info else {
        return Err(OpError::DType { op: OP, dtype });
    };
    limit(OP, minimum, &shape)?;
    limit(OP, maximum, &shape)?;
    if info.bits < 32 {
        // Narrow integers are sampled in 32 bits, which makes the bias small.
        let within = |limit: &Array, highest: i128| {
            let bound = |value: i128| Array::scalar(DType::I32, Scalar::Int(value));
            let limit = convert(limit, DType::I32)?;
            crate::ops::clamp(&bound(info.min), limit, &bound(highest))
        };
        let minimum = within(minimum, info.max)?;
        let maximum = within(maximum, info.max + 1)?;
        let wide = randint(key, shape, &minimum, &maximum, DType::I32)?;
        return convert(&wide, dtype);
    }
    let [high_key, low_key] = two_keys(key);
    let high = bits(high_key, info.bits, shape.clone())?;
    let low = bits(low_key, info.bits, shape.clone())?;
    // What the sampler computes in unsigned words of the dtype's width.
    let modulus = 1u128 << info.bits;
    let value = |array: &Array, index: usize| {
        let index = if array.size() == 1 { 0 } else { index };
        array.get(index).and_then(Scalar::as_int).unwrap_or(0)
    };
    let remainder = |word: u128, span: u128| if span == 0 { word } else { word % span };
    let mut result: Vec<i64> = reserve(&shape)?;
    for index in 0..shape.size() {
        let out_of_range = value(maximum, index) > info.max;
        let minimum = value(minimum, index).clamp(info.min, info.max);
        let maximum = value(maximum, index).clamp(info.min, info.max);
        let span = match maximum <= minimum {
            true => 1,
            false => ((maximum - minimum) as u128 + u128::from(out_of_range)) % modulus,
        };
        let half = remainder(1 << (info.bits / 2), span);
        let multiplier = remainder(half * half % modulus, span);
        let word = |array: &Array| value(array, index) as u128;
        let offset = remainder(word(&high), span) * multiplier + remainder(word(&low), span);
        let offset = remainder(offset % modulus, span);
        result.push((minimum + offset as i128) as i64);
    }
    convert(&Array::from_parts(DType::I64, shape, i64::wrap(result)), dtype)
}

/// `bool`s that are true with probability `p`, as `jax.random.bernoulli` in its default mode.
///
/// `p` is a float array of size 1 or the shape; its dtype is what is sampled.
///
/// # Errors
/// As [`uniform`].
pub fn bernoulli(key: [u32; 2], p: &Array, shape: impl Into<Shape>) -> Result<Array, OpError> {
    let shape = shape.into();
    limit("bernoulli", p, &shape)?;
    let one = |value: f64| Array::scalar(p.dtype(), Scalar::Float(value));
    let sample = uniform(key, shape, p.dtype(), &one(0.0), &one(1.0))?;
    compare(CompareOp::Lt, &sample, p)
}

/// The elements in random order along `axis`, every line by itself, as `_shuffle` behind
/// `jax.random.permutation(..., independent=True)`.
///
/// # Errors
/// For an axis out of bounds, and [`OpError::TooLarge`].
pub fn shuffle(key: [u32; 2], array: &Array, axis: usize) -> Result<Array, OpError> {
    let size = array.size().max(1) as f64;
    // Rounds of sorting by 32-bit words until ties in all of them are unlikely enough.
    let rounds = (3.0 * size.ln() / f64::from(u32::MAX).ln()).ceil() as usize;
    let mut key = key;
    let mut shuffled = array.clone();
    for _ in 0..rounds {
        let [next, used] = two_keys(key);
        key = next;
        let order = bits(used, 32, array.shape().clone())?;
        let sorted = sort(&[order, shuffled], axis, 1)?;
        shuffled = sorted.into_iter().nth(1).unwrap_or_else(|| array.clone());
    }
    Ok(shuffled)
}

/// The array with its slices along `axis` in random order, as `jax.random.permutation(key, x)`.
///
/// # Errors
/// As [`shuffle`].
pub fn permutation(key: [u32; 2], array: &Array, axis: usize) -> Result<Array, OpError> {
    let Some(&length) = array.shape().get(axis) else {
        return Err(OpError::argument(
            "permutation",
            format!("axis {axis} is out of bounds for shape {}", array.shape()),
        ));
    };
    if array.rank() == 1 {
        return shuffle(key, array, axis);
    }
    if array.size() == 0 {
        return Ok(array.clone());
    }
    let order = shuffle(key, &Array::iota(DType::I32, [length], 0)?, 0)?;
    let order: &[i32] = order.elements().unwrap_or_default();
    let inner: usize = array.shape()[axis + 1..].iter().product();
    let outer: usize = array.shape()[..axis].iter().product();
    let mut positions = reserve(array.shape())?;
    for block in 0..outer {
        for &index in order {
            let start = (block * length + index as usize) * inner;
            positions.extend((start..start + inner).map(|position| position as i64));
        }
    }
    let fill = Array::scalar(array.dtype(), Scalar::zero(array.dtype()));
    take_flat(array, &positions, array.shape().clone(), &fill)
}
