//! Parts of arrays, of `jax.lax`: with known bounds, and of known size at a computed place.

use crate::context::Context;
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};

/// Rows of the module.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "slice",
        signature: "(operand, start_indices, limit_indices, strides=None)",
        doc: "A part with known bounds.",
        run: |interp, args| {
            let [x, start, limit, strides] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "slice")?;
            let start = convert::shape(&cx, &start)?;
            let limit = convert::shape(&cx, &limit)?;
            let strides = match strides.given() {
                Some(strides) => convert::shape(&cx, &strides)?,
                None => start.iter().map(|_| 1).collect(),
            };
            Ok(convert::value(&cx, p::slice(&cx, &x, &start, &limit, &strides)?))
        },
    },
    NativeDef {
        name: "slice_in_dim",
        signature: "(operand, start_index, limit_index, stride=1, axis=0)",
        doc: "A part with known bounds along one dimension.",
        run: slice_in_dim,
    },
    NativeDef {
        name: "index_in_dim",
        signature: "(operand, index, axis=0, keepdims=True)",
        doc: "One position along a dimension.",
        run: |interp, args| {
            let [x, index, axis, keepdims] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "index_in_dim")?;
            let axis = convert::axis(&cx, &axis, x.rank())?;
            let index = convert::normalize_axis(&cx, interp.to_i64(&index)?, x.shape()[axis])?;
            let part = along(&cx, &x, index, index + 1, 1, axis)?;
            let part = if interp.truth(&keepdims)? { part } else { p::squeeze(&cx, &part, &[axis])? };
            Ok(convert::value(&cx, part))
        },
    },
    NativeDef {
        name: "dynamic_slice",
        signature: "(operand, start_indices, slice_sizes)",
        doc: "A part of known size at a computed place, moved inside where it would leave.",
        run: |interp, args| {
            let [x, starts, sizes] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "dynamic_slice")?;
            let starts = start_indices(&cx, &starts)?;
            let sizes = convert::shape(&cx, &sizes)?;
            Ok(convert::value(&cx, dynamic_slice(&cx, &x, &starts, &sizes)?))
        },
    },
    NativeDef {
        name: "dynamic_slice_in_dim",
        signature: "(operand, start_index, slice_size, axis=0)",
        doc: "As dynamic_slice, along one dimension.",
        run: |interp, args| {
            let [x, start, size, axis] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "dynamic_slice_in_dim")?;
            let axis = convert::axis(&cx, &axis, x.rank())?;
            let starts = one_start(&cx, &start, axis, x.rank())?;
            let mut sizes: Vec<usize> = x.shape().to_vec();
            sizes[axis] = interp.to_usize(&size)?;
            Ok(convert::value(&cx, dynamic_slice(&cx, &x, &starts, &Shape::from(sizes.as_slice()))?))
        },
    },
    NativeDef {
        name: "dynamic_index_in_dim",
        signature: "(operand, index, axis=0, keepdims=True)",
        doc: "One computed position along a dimension.",
        run: |interp, args| {
            let [x, index, axis, keepdims] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "dynamic_index_in_dim")?;
            let axis = convert::axis(&cx, &axis, x.rank())?;
            let starts = one_start(&cx, &index, axis, x.rank())?;
            let mut sizes: Vec<usize> = x.shape().to_vec();
            sizes[axis] = 1;
            let part = dynamic_slice(&cx, &x, &starts, &Shape::from(sizes.as_slice()))?;
            let part = if interp.truth(&keepdims)? { part } else { p::squeeze(&cx, &part, &[axis])? };
            Ok(convert::value(&cx, part))
        },
    },
    NativeDef {
        name: "dynamic_update_slice",
        signature: "(operand, update, start_indices)",
        doc: "The operand with a part replaced at a computed place.",
        run: |interp, args| {
            let [x, update, starts] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "dynamic_update_slice")?;
            let update = convert::operand(&cx, &update, "dynamic_update_slice")?;
            let starts = start_indices(&cx, &starts)?;
            updated(&cx, &x, &update, &starts)
        },
    },
    NativeDef {
        name: "dynamic_update_slice_in_dim",
        signature: "(operand, update, start_index, axis)",
        doc: "As dynamic_update_slice, along one dimension.",
        run: |interp, args| {
            let [x, update, start, axis] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "dynamic_update_slice_in_dim")?;
            let update = convert::operand(&cx, &update, "dynamic_update_slice_in_dim")?;
            let axis = convert::axis(&cx, &axis, x.rank())?;
            let starts = one_start(&cx, &start, axis, x.rank())?;
            updated(&cx, &x, &update, &starts)
        },
    },
];

fn along(cx: &Context<'_>, x: &Tile, from: usize, to: usize, stride: usize, axis: usize) -> PyResult<Tile> {
    let mut start = vec![0; x.rank()];
    let mut limit = x.shape().to_vec();
    let mut strides = vec![1; x.rank()];
    (start[axis], limit[axis], strides[axis]) = (from, to, stride);
    p::slice(cx, x, &start, &limit, &strides)
}

fn slice_in_dim(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, start, limit, stride, axis] = args.take();
    let cx = Context::jax(interp);
    let x = convert::operand(&cx, &x, "slice_in_dim")?;
    let axis = convert::axis(&cx, &axis, x.rank())?;
    let extent = x.shape()[axis] as i64;
    let bound = |value: Value, default: i64| -> PyResult<usize> {
        let value = match value.given() {
            Some(value) => interp.to_i64(&value)?,
            None => default,
        };
        Ok((if value < 0 { value + extent } else { value }).clamp(0, extent) as usize)
    };
    let (start, limit) = (bound(start, 0)?, bound(limit, extent)?);
    let part = along(&cx, &x, start, limit, interp.to_usize(&stride)?.max(1), axis)?;
    Ok(convert::value(&cx, part))
}

/// Start indices as scalars of one dtype: a sequence, or a one-dimensional array.
fn start_indices(cx: &Context<'_>, starts: &Value) -> PyResult<Vec<Tile>> {
    let values = cx.interp.collect(starts)?;
    values
        .iter()
        .map(|v| {
            let tile = convert::operand(cx, v, "dynamic_slice")?;
            let dtype = if tile.weak() { DType::I32 } else { tile.dtype() };
            p::convert(cx, &tile, dtype, false)
        })
        .collect()
}

fn one_start(cx: &Context<'_>, start: &Value, axis: usize, rank: usize) -> PyResult<Vec<Tile>> {
    let start = start_indices(cx, &Value::tuple([start.clone()]))?.remove(0);
    let zero = p::scalar(start.dtype(), Scalar::Int(0));
    Ok((0..rank).map(|d| if d == axis { start.clone() } else { zero.clone() }).collect())
}

fn dynamic_slice(cx: &Context<'_>, x: &Tile, starts: &[Tile], sizes: &Shape) -> PyResult<Tile> {
    let starts = wrapped(cx, x, starts)?;
    let mut operands = vec![x];
    operands.extend(&starts);
    let sizes = Attribute::Ints(sizes.iter().map(|&d| d as i64).collect());
    cx.bind(&ops::DYNAMIC_SLICE, &operands, Attributes::none().with("sizes", sizes))
}

fn updated(cx: &Context<'_>, x: &Tile, update: &Tile, starts: &[Tile]) -> PyResult<Value> {
    let starts = wrapped(cx, x, starts)?;
    let mut operands = vec![x, update];
    operands.extend(&starts);
    Ok(convert::value(cx, cx.bind(&ops::DYNAMIC_UPDATE_SLICE, &operands, Attributes::none())?))
}

/// Negative starts count from the end, as `lax.dynamic_slice` takes them; the op itself only clamps.
fn wrapped(cx: &Context<'_>, x: &Tile, starts: &[Tile]) -> PyResult<Vec<Tile>> {
    starts
        .iter()
        .zip(x.shape().iter())
        .map(|(start, &extent)| {
            if let Some(at) = start.array().and_then(|a| a.item()).and_then(Scalar::as_int) {
                let at = if at < 0 { at + extent as i128 } else { at };
                return Ok(p::scalar(start.dtype(), Scalar::Int(at)));
            }
            if !start.dtype().is_signed() {
                return Ok(start.clone());
            }
            let constant = |value: usize| p::scalar(start.dtype(), Scalar::Int(value as i128));
            let negative = p::binary(cx, &ops::LT, start, &constant(0))?;
            let moved = p::binary(cx, &ops::ADD, start, &constant(extent))?;
            p::select(cx, &negative, &moved, start)
        })
        .collect()
}
