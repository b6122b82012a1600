//! Matrix products: `@`, `dot`, `matmul`, `tensordot`, `outer` and kin. Shapes as numpy's; accumulation as
//! `lax.dot_general`. `einsum` is in [`super::einsum`].

use super::arithmetic;
use super::call::{self, functions, given, operand, result};
use super::compose;
use super::shaping;
use crate::context::{Context, Rules};
use crate::convert;
use crate::lax::precision::{self, Scope};
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::Diagnosis;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Shape};

functions! { JAX_ROWS NUMPY_ROWS
    "matmul" "(a, b, *, precision=None, preferred_element_type=None, out_sharding=None)" "Matrix product; batch dimensions broadcast." matmul_row;
    "dot" "(a, b, *, precision=None, preferred_element_type=None, out_sharding=None)" "Product over the last axis of a and the second to last of b." |cx, args| contracted(cx, args, "dot", dot);
    "vdot" "(a, b, *, precision=None, preferred_element_type=None)" "Dot product of the flattened operands." |cx, args| contracted(cx, args, "vdot", vdot);
    "inner" "(a, b, *, precision=None, preferred_element_type=None)" "Product over the last axes." |cx, args| contracted(cx, args, "inner", inner);
    "vecdot" "(x1, x2, /, *, precision=None, preferred_element_type=None, axis=-1)" "Dot products along an axis." vecdot;
    "tensordot" "(a, b, axes=2, *, precision=None, preferred_element_type=None, out_sharding=None)" "Product over chosen axes." tensordot;
    "outer" "(a, b, out=None)" "Product of every pair of elements." outer;
    "kron" "(a, b)" "Kronecker product." kron;
    "cross" "(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None)" "Cross product." cross;
    "convolve" "(a, v, mode='full', *, precision=None, preferred_element_type=None)" "Convolution of two vectors." |cx, args| convolution(cx, args, "convolve");
    "correlate" "(a, v, mode='valid', *, precision=None, preferred_element_type=None)" "Cross-correlation of two vectors." |cx, args| convolution(cx, args, "correlate");
}

/// A product of two tiles with a dtype that may be asked for.
type Product = fn(&Context<'_>, &Tile, &Tile, Option<DType>) -> PyResult<Tile>;

/// The operands and `preferred_element_type` of a row `(a, b, *, precision, preferred_element_type, ..)`, and its precision
/// for as long as it is kept.
fn product_arguments(cx: &Context<'_>, args: &Arguments, name: &str) -> PyResult<(Tile, Tile, Option<DType>, Scope)> {
    let a = operand(cx, args.get(0), name)?;
    let b = call::operand_at(cx, args.get(1), name, 1)?;
    let precision = precision::scope(cx.interp, args.get(2))?;
    Ok((a, b, call::dtype(cx, args.get(3))?, precision))
}

fn contracted(cx: &Context<'_>, args: Arguments, name: &str, product: Product) -> PyResult<Value> {
    let (a, b, preferred, _precision) = product_arguments(cx, &args, name)?;
    result(cx, product(cx, &a, &b, preferred)?)
}

fn matmul_row(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (a, b, preferred, _precision) = product_arguments(cx, &args, "matmul")?;
    result(cx, matmul(cx, &a, &b, preferred)?)
}

/// `dot(a, b)`: scalars multiply; else the last axis of `a` with the second to last of `b` (the only one of vectors).
///
/// # Errors
/// `TypeError` in lax's words where the contracted extents differ.
pub fn dot(cx: &Context<'_>, a: &Tile, b: &Tile, preferred: Option<DType>) -> PyResult<Tile> {
    let operands = convert::promote_factors(cx, &[a, b], preferred.is_some())?;
    let (a, b) = (&operands[0], &operands[1]);
    if a.rank() == 0 || b.rank() == 0 {
        return general(cx, a, b, &[], &[], &[], &[], preferred);
    }
    let (left, right) = (a.rank() - 1, b.rank().saturating_sub(2));
    if a.shape()[left] != b.shape()[right] {
        return Err(mismatch(cx, a, b, left, right));
    }
    general(cx, a, b, &[left], &[right], &[], &[], preferred)
}

fn flat(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    p::reshape(cx, x, &Shape::from([x.shape().size()]))
}

fn vdot(cx: &Context<'_>, a: &Tile, b: &Tile, preferred: Option<DType>) -> PyResult<Tile> {
    dot(cx, &flat(cx, a)?, &flat(cx, b)?, preferred)
}

fn inner(cx: &Context<'_>, a: &Tile, b: &Tile, preferred: Option<DType>) -> PyResult<Tile> {
    if a.rank() == 0 || b.rank() == 0 {
        return arithmetic::multiply(cx, a, b);
    }
    tensordot_axes(cx, a, b, &[a.rank() - 1], &[b.rank() - 1], preferred)
}

fn vecdot(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (a, b, preferred, _precision) = product_arguments(cx, &args, "vecdot")?;
    let (left, right) = (convert::axis(cx, args.get(4), a.rank())?, convert::axis(cx, args.get(4), b.rank())?);
    let a = shaping::move_axes(cx, &a, &[left], &[a.rank() - 1])?;
    let b = shaping::move_axes(cx, &b, &[right], &[b.rank() - 1])?;
    let a = p::expand_dims(cx, &a, &[a.rank() - 1])?;
    let b = p::expand_dims(cx, &b, &[b.rank()])?;
    let product = matmul(cx, &a, &b, preferred)?;
    let rank = product.rank();
    result(cx, p::squeeze(cx, &product, &[rank - 2, rank - 1])?)
}

/// `tensordot` over given axes.
pub fn tensordot_axes(
    cx: &Context<'_>,
    a: &Tile,
    b: &Tile,
    left: &[usize],
    right: &[usize],
    preferred: Option<DType>,
) -> PyResult<Tile> {
    let operands = convert::promote_factors(cx, &[a, b], preferred.is_some())?;
    let (a, b) = (&operands[0], &operands[1]);
    if let Some((&l, &r)) = left.iter().zip(right).find(|&(&l, &r)| a.shape()[l] != b.shape()[r])
        && left.len() == 1
    {
        return Err(mismatch(cx, a, b, l, r));
    }
    general(cx, a, b, left, right, &[], &[], preferred)
}

fn tensordot(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [a, b, axes, precision, preferred, _] = args.take();
    let _precision = precision::scope(cx.interp, &precision)?;
    let (a, b) = (operand(cx, &a, "tensordot")?, call::operand_at(cx, &b, "tensordot", 1)?);
    let preferred = call::dtype(cx, &preferred)?;
    let (left, right) = if let Value::Int(_) = axes {
        let count = usize::try_from(cx.interp.to_i64(&axes)?).unwrap_or(0);
        if count > a.rank().min(b.rank()) {
            return Err(cx.interp.type_error(format!(
                "Number of tensordot axes (axes {count}) exceeds input ranks ({} and {})",
                a.shape(),
                b.shape()
            )));
        }
        ((a.rank() - count..a.rank()).collect::<Vec<_>>(), (0..count).collect::<Vec<_>>())
    } else {
        let pair = cx.interp.collect(&axes)?;
        let [left, right] = pair.as_slice() else {
            return Err(cx.interp.type_error(
                "tensordot axes argument must be an int, a pair of ints, or a pair of lists/tuples of ints.",
            ));
        };
        let list = |value: &Value, rank: usize| -> PyResult<Vec<usize>> {
            call::int_sequence(cx, value)?.into_iter().map(|axis| convert::normalize_axis(cx, axis, rank)).collect()
        };
        let (left, right) = (list(left, a.rank())?, list(right, b.rank())?);
        if left.len() != right.len() {
            return Err(cx.interp.type_error(format!(
                "tensordot requires axes lists to have equal length, got {left:?} and {right:?}."
            )));
        }
        (left, right)
    };
    result(cx, tensordot_axes(cx, &a, &b, &left, &right, preferred)?)
}

fn outer(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [a, b, out] = args.take();
    call::refuse_out(cx, &out, "outer")?;
    let (a, b) = (operand(cx, &a, "outer")?, call::operand_at(cx, &b, "outer", 1)?);
    let left = p::expand_dims(cx, &flat(cx, &a)?, &[1])?;
    let right = p::expand_dims(cx, &flat(cx, &b)?, &[0])?;
    result(cx, arithmetic::multiply(cx, &left, &right)?)
}

fn kron(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (a, b) = (operand(cx, args.get(0), "kron")?, call::operand_at(cx, args.get(1), "kron", 1)?);
    let operands = convert::promote_dtypes(cx, &[&a, &b])?;
    let rank = a.rank().max(b.rank());
    let widen = |tile: &Tile| p::expand_dims(cx, tile, &(0..rank - tile.rank()).collect::<Vec<_>>());
    let (a, b) = (widen(&operands[0])?, widen(&operands[1])?);
    let shape: Shape = a.shape().iter().zip(b.shape().iter()).map(|(x, y)| x * y).collect();
    let a = p::expand_dims(cx, &a, &(0..rank).map(|dim| 2 * dim + 1).collect::<Vec<_>>())?;
    let b = p::expand_dims(cx, &b, &(0..rank).map(|dim| 2 * dim).collect::<Vec<_>>())?;
    result(cx, p::reshape(cx, &arithmetic::multiply(cx, &a, &b)?, &shape)?)
}

fn cross(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [a, b, axis_a, axis_b, axis_c, axis] = args.take();
    let (a, b) = (operand(cx, &a, "cross")?, call::operand_at(cx, &b, "cross", 1)?);
    let pick = |own: &Value| given(&axis).unwrap_or(own).clone();
    let last = |tile: &Tile, axis: &Value| -> PyResult<Tile> {
        let axis = convert::axis(cx, axis, tile.rank())?;
        shaping::move_axes(cx, tile, &[axis], &[tile.rank() - 1])
    };
    let (a, b) = (last(&a, &pick(&axis_a))?, last(&b, &pick(&axis_b))?);
    let (size_a, size_b) = (a.shape()[a.rank() - 1], b.shape()[b.rank() - 1]);
    if !matches!(size_a, 2 | 3) || !matches!(size_b, 2 | 3) {
        return Err(cx.interp.value_error("Dimension must be either 2 or 3 for cross product"));
    }
    let part = |tile: &Tile, index: usize| -> PyResult<Tile> {
        let axis = tile.rank() - 1;
        if index < tile.shape()[axis] {
            return compose::take_axis(cx, tile, axis, index);
        }
        call::constant_like(cx, &compose::take_axis(cx, tile, axis, 0)?, 0.0)
    };
    let minor = |i: usize, j: usize| -> PyResult<Tile> {
        let positive = arithmetic::multiply(cx, &part(&a, i)?, &part(&b, j)?)?;
        let negative = arithmetic::multiply(cx, &part(&a, j)?, &part(&b, i)?)?;
        arithmetic::subtract(cx, &positive, &negative)
    };
    if size_a == 2 && size_b == 2 {
        return result(cx, minor(0, 1)?);
    }
    let stacked = super::joining::stack_tiles(cx, &[minor(1, 2)?, minor(2, 0)?, minor(0, 1)?], 0)?;
    let axis = convert::axis(cx, &pick(&axis_c), stacked.rank())?;
    result(cx, shaping::move_axes(cx, &stacked, &[0], &[axis])?)
}

/// Convolution by shifted products: one term per element of the shorter operand.
fn convolution(cx: &Context<'_>, args: Arguments, name: &str) -> PyResult<Value> {
    let [a, v, mode, _precision, preferred] = args.take();
    let (a, v) = (operand(cx, &a, name)?, call::operand_at(cx, &v, name, 1)?);
    if a.rank() != 1 || v.rank() != 1 {
        return Err(cx.interp.value_error(format!("{name}() only support 1-dimensional inputs.")));
    }
    if a.shape()[0] == 0 || v.shape()[0] == 0 {
        return Err(cx.interp.value_error(format!(
            "{name}: inputs cannot be empty, got shapes {} and {}.",
            a.shape(),
            v.shape()
        )));
    }
    let preferred = call::dtype(cx, &preferred)?;
    let operands = match (cx.rules, preferred) {
        (Rules::Jax, None) => super::elementwise::inexact_operands(cx, &[&a, &v])?,
        _ => convert::promote_dtypes(cx, &[&a, &v])?,
    };
    let swapped = operands[0].shape()[0] < operands[1].shape()[0];
    let (long, short) = if swapped { (&operands[1], &operands[0]) } else { (&operands[0], &operands[1]) };
    let kernel = if name == "convolve" { compose::reverse(cx, short, &[0])? } else { short.clone() };
    let (n, m) = (long.shape()[0], kernel.shape()[0]);
    let (low, high) = match &*cx.interp.to_str(&mode)? {
        "valid" => (0, 0),
        "same" => (m / 2, m - m / 2 - 1),
        "full" => (m - 1, m - 1),
        _ => return Err(cx.interp.value_error("mode must be one of ['full', 'same', 'valid']")),
    };
    let zero = p::scalar_like(long, 0.0);
    let padded = super::padding::pad_tile(cx, long, &zero, &[(low, high)])?;
    let count = n + low + high + 1 - m;
    // Row i of the windows starts at element i.
    let window = Shape::from([count, m]);
    let start = p::iota(cx, DType::I32, &window, 0)?;
    let index = p::binary(cx, &ops::ADD, &start, &p::iota(cx, DType::I32, &window, 1)?)?;
    let windows = compose::gather(cx, &padded, &[0], &[&index], "clip")?;
    let product = general(cx, &windows, &kernel, &[1], &[0], &[], &[], preferred)?;
    let reversed = swapped && name == "correlate";
    result(cx, if reversed { compose::reverse(cx, &product, &[0])? } else { product })
}

/// `matmul(a, b)`: batch dimensions broadcast; 1-D operands are vectors.
///
/// # Errors
/// `TypeError` in lax's words where the contracted extents differ.
pub fn matmul(cx: &Context<'_>, a: &Tile, b: &Tile, preferred: Option<DType>) -> PyResult<Tile> {
    for (tile, position) in [(a, 0), (b, 1)] {
        if tile.rank() == 0 {
            return Err(cx
                .interp
                .value_error(format!("matmul input operand {position} must have ndim at least 1, but it has ndim 0")));
        }
    }
    let operands = convert::promote_factors(cx, &[a, b], preferred.is_some())?;
    let (a, b) = (&operands[0], &operands[1]);
    let (a_vector, b_vector) = (a.rank() == 1, b.rank() == 1);
    let a_contract = a.rank() - 1;
    let b_contract = if b_vector { 0 } else { b.rank() - 2 };
    if a.shape()[a_contract] != b.shape()[b_contract] {
        return Err(mismatch(cx, a, b, a_contract, b_contract));
    }
    if a.rank() <= 2 && b.rank() <= 2 {
        return general(cx, a, b, &[a_contract], &[b_contract], &[], &[], preferred);
    }
    // Broadcast the batch dimensions, multiply, and drop the dimensions that vectors gained.
    let a_batch = Shape::from(&a.shape()[..a.rank().saturating_sub(2)]);
    let b_batch = Shape::from(&b.shape()[..b.rank().saturating_sub(2)]);
    let Some(batch) = Shape::broadcast(&[&a_batch, &b_batch]) else {
        return Err(cx.interp.value_error(match cx.rules {
            Rules::Jax => format!(
                "Incompatible types for matmul arguments: {} and {}",
                p::type_text(&a.ty()),
                p::type_text(&b.ty())
            ),
            Rules::Numpy => format!(
                "operands could not be broadcast together with remapped shapes [original->remapped]: {}->({batch},newaxis,\
                 newaxis) {}->({batch},newaxis,newaxis)",
                a.shape(),
                b.shape(),
                batch = "..."
            ),
        }));
    };
    let widen = |tile: &Tile, vector: bool, front: bool| -> PyResult<Tile> {
        let tile = match (vector, front) {
            (true, true) => p::expand_dims(cx, tile, &[0])?,
            (true, false) => p::expand_dims(cx, tile, &[1])?,
            (false, _) => tile.clone(),
        };
        let tail = &tile.shape()[tile.rank() - 2..];
        let shape: Shape = batch.iter().chain(tail).copied().collect();
        p::broadcast_to(cx, &tile, &shape)
    };
    let wide_a = widen(a, a_vector, true)?;
    let wide_b = widen(b, b_vector, false)?;
    let n = batch.len();
    let dims: Vec<usize> = (0..n).collect();
    let product = general(cx, &wide_a, &wide_b, &[n + 1], &[n], &dims, &dims, preferred)?;
    let mut dropped = Vec::new();
    if a_vector {
        dropped.push(n);
    }
    if b_vector {
        dropped.push(n + 1);
    }
    p::squeeze(cx, &product, &dropped)
}

/// `dot_general` with the result in the dtype that is asked for, or that of the operands; weak if both are.
#[expect(clippy::too_many_arguments, reason = "the four dimension lists are dot_general's own")]
pub fn general(
    cx: &Context<'_>,
    a: &Tile,
    b: &Tile,
    a_contract: &[usize],
    b_contract: &[usize],
    a_batch: &[usize],
    b_batch: &[usize],
    preferred: Option<DType>,
) -> PyResult<Tile> {
    let weak = a.weak() && b.weak();
    let dtype = preferred.unwrap_or(a.dtype());
    let product = p::dot_general(cx, a, b, (a_contract, b_contract), (a_batch, b_batch), dtype)?;
    p::convert(cx, &product, dtype, weak && preferred.is_none())
}

fn mismatch(cx: &Context<'_>, a: &Tile, b: &Tile, a_dim: usize, b_dim: usize) -> Box<pallas_python::Stop> {
    let (left, right) = (a.shape()[a_dim], b.shape()[b_dim]);
    cx.interp.error_with(
        &cx.interp.types().type_error,
        format!("dot_general requires contracting dimensions to have the same shape, got ({left},) and ({right},)."),
        Diagnosis {
            code: "PL303",
            message: Some(format!(
                "this product contracts {left} elements of {} with {right} elements of {}",
                a.ty(),
                b.ty()
            )),
            // The other one of two dimensions would fit.
            help: (b.rank() == 2 && b.shape()[1 - b_dim] == left).then(|| match b_dim {
                0 => "the second factor seems to be the wrong way round: transpose it, `y.T`".to_string(),
                _ => "the second factor seems to be transposed already".to_string(),
            }),
            ..Diagnosis::default()
        },
    )
}
