//! Small functions for sampled data: windows, polynomials, bits, phases. Follows jax/_src/numpy/window_functions.py,
//! polynomial.py and lax_numpy.py.

use super::arithmetic;
use super::call::{self, functions, given, operand, result};
use super::compose::{self, with_constant};
use super::{joining, padding};
use crate::context::Context;
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};
use std::f64::consts::PI;

functions! { JAX_ROWS NUMPY_ROWS
    "hanning" "(M)" "Hann window." |cx, args| window(cx, args, |cx, t, _| cosines(cx, t, &[0.5, -0.5]));
    "hamming" "(M)" "Hamming window." |cx, args| window(cx, args, |cx, t, _| cosines(cx, t, &[0.54, -0.46]));
    "blackman" "(M)" "Blackman window." |cx, args| window(cx, args, |cx, t, _| cosines(cx, t, &[0.42, -0.5, 0.08]));
    "bartlett" "(M)" "Triangular window." |cx, args| window(cx, args, triangle);
    "polyval" "(p, x, *, unroll=16)" "The value of a polynomial." polyval;
    "packbits" "(a, axis=None, bitorder='big')" "Bits packed into bytes." packbits;
    "unpackbits" "(a, axis=None, count=None, bitorder='big')" "Bytes taken apart into bits." unpackbits;
    "unwrap" "(p, discont=None, axis=-1, period=6.283185307179586)" "Phases without jumps." unwrap;
    "matvec" "(x1, x2, /)" "Products of matrices and vectors." |cx, args| matrix_vector(cx, args, true);
    "vecmat" "(x1, x2, /)" "Products of vectors and matrices." |cx, args| matrix_vector(cx, args, false);
}

/// A window of `M` samples; one sample is 1.
fn window(
    cx: &Context<'_>,
    args: Arguments,
    shape: fn(&Context<'_>, &Tile, usize) -> PyResult<Tile>,
) -> PyResult<Value> {
    let size = cx.interp.to_usize(args.get(0))?;
    let dtype = convert::default_float(cx);
    if size <= 1 {
        return result(cx, p::full(cx, &Shape::from([size]), dtype, Scalar::Float(1.0))?);
    }
    let samples = compose::positions(cx, dtype, size)?;
    result(cx, shape(cx, &samples, size)?)
}

/// `a0 + a1 cos(2 pi n / (M - 1)) + a2 cos(4 pi n / (M - 1)) ...`
fn cosines(cx: &Context<'_>, samples: &Tile, weights: &[f64]) -> PyResult<Tile> {
    let last = samples.shape()[0] as f64 - 1.0;
    let mut total = call::constant_like(cx, samples, weights[0])?;
    for (index, &weight) in weights.iter().enumerate().skip(1) {
        let angle = with_constant(cx, &ops::MUL, samples, 2.0 * index as f64 * PI)?;
        let wave = p::unary(cx, &ops::COS, &compose::divide_by(cx, &angle, last)?)?;
        total = p::binary(cx, &ops::ADD, &total, &with_constant(cx, &ops::MUL, &wave, weight)?)?;
    }
    Ok(total)
}

/// `1 - |2 n + 1 - M| / (M - 1)`
fn triangle(cx: &Context<'_>, samples: &Tile, size: usize) -> PyResult<Tile> {
    let twice = with_constant(cx, &ops::MUL, samples, 2.0)?;
    let distance = p::unary(cx, &ops::ABS, &with_constant(cx, &ops::ADD, &twice, 1.0 - size as f64)?)?;
    let slope = compose::divide_by(cx, &distance, size as f64 - 1.0)?;
    p::binary(cx, &ops::SUB, &call::constant_like(cx, samples, 1.0)?, &slope)
}

/// Horner's scheme.
fn polyval(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let coefficients = operand(cx, args.get(0), "polyval")?;
    let x = call::operand_at(cx, args.get(1), "polyval", 1)?;
    let operands = convert::promote_dtypes(cx, &[&coefficients, &x])?;
    let (coefficients, x) = (&operands[0], &operands[1]);
    let mut total = call::constant_like(cx, x, 0.0)?;
    for index in 0..coefficients.shape().first().copied().unwrap_or(0) {
        let coefficient = p::broadcast_to(cx, &compose::take_axis(cx, coefficients, 0, index)?, x.shape())?;
        total = compose::multiply_add(cx, &total, x, &coefficient)?;
    }
    result(cx, total)
}

/// The weights of the bits of a byte in an order, as a vector.
fn bit_places(cx: &Context<'_>, order: &Value) -> PyResult<Tile> {
    let places = compose::positions(cx, DType::U8, 8)?;
    match &*cx.interp.to_str(order)? {
        "big" => compose::reverse(cx, &places, &[0]),
        "little" => Ok(places),
        _ => Err(cx.interp.value_error("'order' must be either 'little' or 'big'")),
    }
}

/// The operand with the axis last; flattened for `None`.
fn axis_last(cx: &Context<'_>, x: Tile, axis: &Value) -> PyResult<(Tile, usize)> {
    let (x, axis) = match given(axis) {
        Some(axis) => {
            let axis = convert::axis(cx, axis, x.rank())?;
            (x, axis)
        }
        None => (p::reshape(cx, &x, &Shape::from([x.shape().size()]))?, 0),
    };
    let rank = x.rank();
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(axis, rank - 1);
    Ok((p::transpose(cx, &x, &order)?, axis))
}

/// Undoes [`axis_last`].
fn axis_back(cx: &Context<'_>, x: &Tile, axis: usize) -> PyResult<Tile> {
    let mut order: Vec<usize> = (0..x.rank()).collect();
    order.swap(axis, x.rank() - 1);
    p::transpose(cx, x, &order)
}

fn packbits(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "packbits")?;
    if x.dtype().is_float() {
        return Err(cx.interp.type_error("Expected an input array of integer or boolean data type"));
    }
    let bits = p::convert(cx, &compose::as_bool(cx, &x)?, DType::U8, false)?;
    let (bits, axis) = axis_last(cx, bits, args.get(1))?;
    let last = bits.rank() - 1;
    let missing = (8 - bits.shape()[last] % 8) % 8;
    let mut widths = vec![(0, 0); bits.rank()];
    widths[last] = (0, missing);
    let bits = padding::pad_tile(cx, &bits, &compose::integer_scalar(DType::U8, 0), &widths)?;
    let mut shape = bits.shape().clone();
    shape[last] /= 8;
    shape.push(8);
    let bits = p::reshape(cx, &bits, &shape)?;
    let places = p::broadcast_to(cx, &bit_places(cx, args.get(2))?, bits.shape())?;
    let shifted = p::binary(cx, &ops::SHIFT_LEFT, &bits, &places)?;
    let packed = p::reduce(cx, &ops::REDUCE_OR, &shifted, &[last + 1])?;
    result(cx, axis_back(cx, &packed, axis)?)
}

fn unpackbits(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "unpackbits")?;
    if x.dtype() != DType::U8 {
        return Err(cx.interp.type_error("Expected an input array of unsigned byte data type"));
    }
    let (x, axis) = axis_last(cx, x, args.get(1))?;
    let last = x.rank() - 1;
    let wide: Shape = x.shape().iter().copied().chain([8]).collect();
    let bytes = p::broadcast_in_dim(cx, &x, &wide, &(0..x.rank()).collect::<Vec<_>>())?;
    let places = p::broadcast_to(cx, &bit_places(cx, args.get(3))?, &wide)?;
    let raised = p::binary(cx, &ops::SHIFT_RIGHT_LOGICAL, &bytes, &places)?;
    let bits = with_constant(cx, &ops::AND, &raised, 1.0)?;
    let mut shape = x.shape().clone();
    shape[last] = shape[last].saturating_mul(8);
    let mut bits = p::reshape(cx, &bits, &shape)?;
    if let Some(count) = given(args.get(2)) {
        let count = cx.interp.to_usize(count)?;
        let size = shape[last];
        if count <= size {
            bits = compose::slice_axis(cx, &bits, last, 0, count)?;
        } else {
            let mut widths = vec![(0, 0); bits.rank()];
            widths[last] = (0, count - size);
            bits = padding::pad_tile(cx, &bits, &compose::integer_scalar(DType::U8, 0), &widths)?;
        }
    }
    result(cx, axis_back(cx, &bits, axis)?)
}

fn unwrap(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, discont, axis, period] = args.take();
    let x = operand(cx, &x, "unwrap")?;
    let period = call::operand_at(cx, &period, "unwrap", 3)?;
    let operands = convert::promote_dtypes(cx, &[&x, &period])?;
    let (x, period) = (operands[0].clone(), operands[1].clone());
    let axis = convert::axis(cx, &axis, x.rank())?;
    let size = x.shape()[axis];
    if size == 0 {
        return result(cx, x);
    }
    let interval = if x.dtype().is_float() {
        with_constant(cx, &ops::MUL, &period, 0.5)?
    } else {
        with_constant(cx, &ops::DIV, &period, 2.0)?
    };
    let discont = match given(&discont) {
        Some(discont) => p::convert(cx, &operand(cx, discont, "unwrap")?, x.dtype(), false)?,
        None => interval.clone(),
    };
    let after = compose::slice_axis(cx, &x, axis, 1, size)?;
    let steps = p::binary(cx, &ops::SUB, &after, &compose::slice_axis(cx, &x, axis, 0, size - 1)?)?;
    let wrapped = arithmetic::remainder(cx, &arithmetic::add(cx, &steps, &interval)?, &period)?;
    let wrapped = arithmetic::subtract(cx, &wrapped, &interval)?;
    let low = p::unary(cx, &ops::NEG, &interval)?;
    let at_edge = arithmetic::simple(cx, "eq", &ops::EQ, &wrapped, &low)?;
    let edge = p::binary(cx, &ops::AND, &at_edge, &with_constant(cx, &ops::GT, &steps, 0.0)?)?;
    let wrapped = compose::choose(cx, &edge, &interval, &wrapped)?;
    let correction = p::binary(cx, &ops::SUB, &wrapped, &steps)?;
    let small = arithmetic::simple(cx, "lt", &ops::LT, &arithmetic::absolute(cx, &steps)?, &discont)?;
    let none = call::constant_like(cx, &correction, 0.0)?;
    let correction = p::select(cx, &small, &none, &correction)?;
    let running =
        cx.bind(&ops::CUMSUM, &[&correction], Attributes::none().with("axis", Attribute::Int(axis as i64)))?;
    let rest = arithmetic::add(cx, &after, &running)?;
    let tile = joining::concatenate_tiles(cx, &[compose::slice_axis(cx, &x, axis, 0, 1)?, rest], axis as i64, None)?;
    result(cx, tile)
}

/// `matvec` and `vecmat`: vectors along the last axis, the dimensions before it batched.
fn matrix_vector(cx: &Context<'_>, args: Arguments, matrix_first: bool) -> PyResult<Value> {
    let (x, y) = (operand(cx, args.get(0), "matvec")?, call::operand_at(cx, args.get(1), "matvec", 1)?);
    let (matrix, vector) = if matrix_first { (&x, &y) } else { (&y, &x) };
    if matrix.rank() < 2 || vector.rank() < 1 {
        return Err(cx.interp.value_error("matvec and vecmat take a matrix and a vector"));
    }
    let axis = if matrix_first { vector.rank() } else { vector.rank() - 1 };
    let widened = p::expand_dims(cx, vector, &[axis])?;
    let product = if matrix_first {
        super::products::matmul(cx, matrix, &widened, None)?
    } else {
        super::products::matmul(cx, &widened, matrix, None)?
    };
    let gone = if matrix_first { product.rank() - 1 } else { product.rank() - 2 };
    result(cx, p::squeeze(cx, &product, &[gone])?)
}
