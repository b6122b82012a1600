//! Shape functions, slices, reductions and sorting of `jax.lax`.

use super::elementwise::Definition;
use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Shape};

/// Rows of the module.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "iota",
        signature: "(dtype, size)",
        doc: "0, 1, 2, ...",
        run: |interp, args| {
            let [dtype, size] = args.take();
            let cx = Context::jax(interp);
            let dtype = dtype::parse_canonical(&cx, &dtype)?;
            if let Value::Int(_) = size
                && interp.to_i64(&size)? < 0
            {
                let size = interp.to_i64(&size)?;
                let message = format!("iota shape must have every element be nonnegative, got ({size},).");
                return Err(interp.type_error(message));
            }
            let shape = convert::shape(&cx, &size)?;
            Ok(convert::value(&cx, p::iota(&cx, dtype, &shape, 0)?))
        },
    },
    NativeDef {
        name: "broadcasted_iota",
        signature: "(dtype, shape, dimension, *, out_sharding=None)",
        doc: "0, 1, 2, ... along one dimension of a shape.",
        run: |interp, args| {
            let [dtype, shape, dimension, _] = args.take();
            let cx = Context::jax(interp);
            let dtype = dtype::parse_canonical(&cx, &dtype)?;
            let shape = convert::shape(&cx, &shape)?;
            let axis = convert::axis(&cx, &dimension, shape.len())?;
            Ok(convert::value(&cx, p::iota(&cx, dtype, &shape, axis)?))
        },
    },
    NativeDef {
        name: "broadcast",
        signature: "(operand, sizes, *, out_sharding=None)",
        doc: "Adds leading dimensions.",
        run: |interp, args| {
            let [x, sizes, _] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "broadcast")?;
            let sizes = convert::shape(&cx, &sizes)?;
            let shape: Shape = sizes.iter().chain(x.shape().iter()).copied().collect();
            Ok(convert::value(&cx, p::broadcast_to(&cx, &x, &shape)?))
        },
    },
    NativeDef {
        name: "broadcast_in_dim",
        signature: "(operand, shape, broadcast_dimensions, *, out_sharding=None)",
        doc: "Broadcasts dimension i of the operand to the given dimension of the shape.",
        run: |interp, args| {
            let [x, shape, dims, _] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "broadcast_in_dim")?;
            let shape = convert::shape(&cx, &shape)?;
            let dims = convert::shape(&cx, &dims)?;
            Ok(convert::value(&cx, p::broadcast_in_dim(&cx, &x, &shape, &dims)?))
        },
    },
    NativeDef {
        name: "reshape",
        signature: "(operand, new_sizes, dimensions=None, *, out_sharding=None)",
        doc: "The same elements in another shape.",
        run: |interp, args| {
            let [x, shape, dimensions, _] = args.take();
            let cx = Context::jax(interp);
            let mut x = convert::operand(&cx, &x, "reshape")?;
            let shape = convert::shape(&cx, &shape)?;
            if let Some(dimensions) = dimensions.given() {
                x = p::transpose(&cx, &x, &convert::shape(&cx, &dimensions)?)?;
            }
            Ok(convert::value(&cx, p::reshape(&cx, &x, &shape)?))
        },
    },
    NativeDef {
        name: "transpose",
        signature: "(operand, permutation)",
        doc: "Permutes dimensions.",
        run: |interp, args| {
            let [x, permutation] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "transpose")?;
            let permutation = convert::shape(&cx, &permutation)?;
            Ok(convert::value(&cx, p::transpose(&cx, &x, &permutation)?))
        },
    },
    NativeDef {
        name: "squeeze",
        signature: "(array, dimensions)",
        doc: "Drops dimensions of extent 1.",
        run: |interp, args| {
            let [x, dims] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "squeeze")?;
            let axes = convert::axes(&cx, &dims, x.rank())?;
            Ok(convert::value(&cx, p::squeeze(&cx, &x, &axes)?))
        },
    },
    NativeDef {
        name: "expand_dims",
        signature: "(array, dimensions)",
        doc: "Adds dimensions of extent 1.",
        run: |interp, args| {
            let [x, dims] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "expand_dims")?;
            let count = interp.len(&dims).unwrap_or(1);
            let axes = convert::axes(&cx, &dims, x.rank() + count)?;
            Ok(convert::value(&cx, p::expand_dims(&cx, &x, &axes)?))
        },
    },
    NativeDef {
        name: "collapse",
        signature: "(operand, start_dimension, stop_dimension=None)",
        doc: "Joins neighbouring dimensions into one.",
        run: collapse,
    },
    NativeDef {
        name: "concatenate",
        signature: "(operands, dimension)",
        doc: "Arrays one after the other.",
        run: |interp, args| {
            let [operands, dimension] = args.take();
            let cx = Context::jax(interp);
            let tiles = tiles(&cx, &operands, "concatenate")?;
            let Some(first) = tiles.first() else {
                return Err(interp.value_error("concatenate requires a non-empty sequences of arrays".to_string()));
            };
            let axis = convert::axis(&cx, &dimension, first.rank())?;
            Ok(convert::value(&cx, p::concatenate(&cx, &tiles.iter().collect::<Vec<_>>(), axis)?))
        },
    },
    NativeDef {
        name: "pad",
        signature: "(operand, padding_value, padding_config)",
        doc: "Adds elements before, after and between (low, high, interior), per dimension.",
        run: pad,
    },
    NativeDef {
        name: "rev",
        signature: "(operand, dimensions)",
        doc: "Reverses dimensions.",
        run: |interp, args| {
            let [x, dims] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "rev")?;
            let axes = convert::axes(&cx, &dims, x.rank())?;
            let attribute = Attribute::Ints(axes.iter().map(|&a| a as i64).collect());
            Ok(convert::value(&cx, cx.bind(&ops::REV, &[&x], Attributes::none().with("axes", attribute))?))
        },
    },
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
            let starts = wrapped(&cx, &x, &starts)?;
            let mut operands = vec![&x, &update];
            operands.extend(&starts);
            Ok(convert::value(&cx, cx.bind(&ops::DYNAMIC_UPDATE_SLICE, &operands, Attributes::none())?))
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
            let starts = wrapped(&cx, &x, &starts)?;
            let mut operands = vec![&x, &update];
            operands.extend(&starts);
            Ok(convert::value(&cx, cx.bind(&ops::DYNAMIC_UPDATE_SLICE, &operands, Attributes::none())?))
        },
    },
    reduction("reduce_sum", "The sum over axes.", |i, a| reduce(i, a, &ops::REDUCE_SUM)),
    reduction("reduce_prod", "The product over axes.", |i, a| reduce(i, a, &ops::REDUCE_PROD)),
    reduction("reduce_max", "The largest over axes.", |i, a| reduce(i, a, &ops::REDUCE_MAX)),
    reduction("reduce_min", "The smallest over axes.", |i, a| reduce(i, a, &ops::REDUCE_MIN)),
    reduction("reduce_and", "Bitwise and over axes.", |i, a| reduce(i, a, &ops::REDUCE_AND)),
    reduction("reduce_or", "Bitwise or over axes.", |i, a| reduce(i, a, &ops::REDUCE_OR)),
    reduction("reduce_xor", "Bitwise exclusive or over axes.", |i, a| reduce(i, a, &ops::REDUCE_XOR)),
    cumulative("cumsum", "Running sums.", |i, a| cumulate(i, a, &ops::CUMSUM)),
    cumulative("cumprod", "Running products.", |i, a| cumulate(i, a, &ops::CUMPROD)),
    cumulative("cummax", "Running maxima.", |i, a| cumulate(i, a, &ops::CUMMAX)),
    cumulative("cummin", "Running minima.", |i, a| cumulate(i, a, &ops::CUMMIN)),
    cumulative("cumlogsumexp", "Running log-sum-exps.", |i, a| cumulate(i, a, &ops::CUMLOGSUMEXP)),
    NativeDef {
        name: "argmax",
        signature: "(operand, axis, index_dtype)",
        doc: "The position of the largest along an axis.",
        run: |interp, args| extreme(interp, args, &ops::ARGMAX),
    },
    NativeDef {
        name: "argmin",
        signature: "(operand, axis, index_dtype)",
        doc: "The position of the smallest along an axis.",
        run: |interp, args| extreme(interp, args, &ops::ARGMIN),
    },
    NativeDef {
        name: "sort",
        signature: "(operand, dimension=-1, is_stable=True, num_keys=1)",
        doc: "Sorts along a dimension; several operands move together.",
        run: sort,
    },
    NativeDef {
        name: "sort_key_val",
        signature: "(keys, values, dimension=-1, is_stable=True)",
        doc: "Sorts keys, and values with them.",
        run: |interp, args| {
            let [keys, values, dimension, _] = args.take();
            let cx = Context::jax(interp);
            let operands = vec![convert::operand(&cx, &keys, "sort")?, convert::operand(&cx, &values, "sort")?];
            let sorted = sorted(&cx, &operands, &dimension, 1)?;
            Ok(Value::tuple(sorted.into_iter().map(|tile| convert::value(&cx, tile))))
        },
    },
    NativeDef {
        name: "top_k",
        signature: "(operand, k, *, axis=-1)",
        doc: "The k largest along the last axis, and their positions.",
        run: |interp, args| {
            let [x, k, axis] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "top_k")?;
            let attributes = Attributes::none().with("k", Attribute::Int(interp.to_i64(&k)?));
            // The op works on the last axis; another one is moved there and back.
            let mut order: Vec<usize> = (0..x.rank()).collect();
            if x.rank() > 0 {
                order.swap(convert::axis(&cx, &axis, x.rank())?, x.rank() - 1);
            }
            let results = cx.bind_all(&ops::TOP_K, &[&p::transpose(&cx, &x, &order)?], attributes)?;
            let results = results
                .iter()
                .map(|tile| Ok(convert::value(&cx, p::transpose(&cx, tile, &order)?)))
                .collect::<PyResult<Vec<_>>>()?;
            Ok(Value::list(results))
        },
    },
    NativeDef {
        name: "empty",
        signature: "(shape, dtype, *, out_sharding=None)",
        doc: "An array of unspecified values: zeros.",
        run: |interp, args| {
            let [shape, dtype, _] = args.take();
            let cx = Context::jax(interp);
            let dtype = dtype::parse_canonical(&cx, &dtype)?;
            let shape = convert::shape(&cx, &shape)?;
            Ok(convert::value(&cx, p::full(&cx, &shape, dtype, p::zero_scalar(dtype))?))
        },
    },
];

const fn reduction(name: &'static str, doc: &'static str, run: fn(&Interp, Arguments) -> PyResult<Value>) -> NativeDef {
    NativeDef { name, signature: "(operand, axes, *, out_sharding=None)", doc, run }
}

const fn cumulative(
    name: &'static str,
    doc: &'static str,
    run: fn(&Interp, Arguments) -> PyResult<Value>,
) -> NativeDef {
    NativeDef { name, signature: "(operand, axis=0, reverse=False)", doc, run }
}

fn tiles(cx: &Context<'_>, values: &Value, function: &str) -> PyResult<Vec<Tile>> {
    cx.interp.collect(values)?.iter().map(|v| convert::operand(cx, v, function)).collect()
}

fn reduce(interp: &Interp, args: Arguments, op: Definition) -> PyResult<Value> {
    let [x, axes, _] = args.take();
    let cx = Context::jax(interp);
    let x = convert::operand(&cx, &x, "reduce")?;
    if let Value::Tuple(items) = &axes {
        let rank = x.rank() as i64;
        let outside = |item: &Value| matches!(interp.to_i64(item), Ok(axis) if axis < -rank || axis >= rank);
        if items.iter().any(outside) {
            let (shown, ty) = (interp.repr(&axes)?, p::type_text(&x.ty()));
            let message = format!("reduction axes {shown} contains out-of-bounds indices for {ty}.");
            return Err(interp.value_error(message));
        }
    }
    let axes = convert::axes(&cx, &axes, x.rank())?;
    Ok(convert::value(&cx, p::reduce(&cx, op, &x, &axes)?))
}

/// An axis of an operand; one that it has not is refused in the function's own words.
fn named_axis(cx: &Context<'_>, x: &Tile, axis: &Value, words: impl FnOnce(i64, String) -> String) -> PyResult<usize> {
    if let Value::Int(_) = axis {
        let number = cx.interp.to_i64(axis)?;
        let rank = x.rank() as i64;
        if number < -rank || number >= rank {
            return Err(cx.interp.value_error(words(number, x.shape().to_string())));
        }
    }
    convert::axis(cx, axis, x.rank())
}

fn cumulate(interp: &Interp, args: Arguments, op: Definition) -> PyResult<Value> {
    let [x, axis, reverse] = args.take();
    let cx = Context::jax(interp);
    let x = convert::operand(&cx, &x, "cumulative")?;
    let axis =
        named_axis(&cx, &x, &axis, |axis, shape| format!("axis {axis} is out of bounds for array of shape {shape}"))?;
    let attributes = Attributes::none()
        .with("axis", Attribute::Int(axis as i64))
        .with("reverse", Attribute::Bool(interp.truth(&reverse)?));
    Ok(convert::value(&cx, cx.bind(op, &[&x], attributes)?))
}

fn extreme(interp: &Interp, args: Arguments, op: Definition) -> PyResult<Value> {
    let [x, axis, dtype] = args.take();
    let cx = Context::jax(interp);
    let x = convert::operand(&cx, &x, "argmax")?;
    let axis = named_axis(&cx, &x, &axis, |axis, shape| format!("Invalid axis {axis} for operand shape {shape}"))?;
    let dtype = dtype::parse_canonical(&cx, &dtype)?;
    let attributes =
        Attributes::none().with("axis", Attribute::Int(axis as i64)).with("dtype", Attribute::DType(dtype));
    Ok(convert::value(&cx, cx.bind(op, &[&x], attributes)?))
}

fn sorted(cx: &Context<'_>, operands: &[Tile], dimension: &Value, keys: i64) -> PyResult<Vec<Tile>> {
    let rank = operands.first().map_or(0, Tile::rank);
    let axis = convert::axis(cx, dimension, rank)?;
    let attributes = Attributes::none()
        .with("axis", Attribute::Int(axis as i64))
        .with("num_keys", Attribute::Int(keys))
        .with("stable", Attribute::Bool(true));
    let operands: Vec<&Tile> = operands.iter().collect();
    Ok(cx.bind_all(&ops::SORT, &operands, attributes)?.into_vec())
}

fn sort(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [operand, dimension, _stable, keys] = args.take();
    let cx = Context::jax(interp);
    let keys = interp.to_i64(&keys)?;
    if matches!(operand, Value::Tuple(_) | Value::List(_)) {
        let operands = tiles(&cx, &operand, "sort")?;
        let sorted = sorted(&cx, &operands, &dimension, keys)?;
        return Ok(Value::tuple(sorted.into_iter().map(|tile| convert::value(&cx, tile))));
    }
    let operand = convert::operand(&cx, &operand, "sort")?;
    let mut sorted = sorted(&cx, &[operand], &dimension, keys)?;
    match sorted.pop() {
        Some(tile) => Ok(convert::value(&cx, tile)),
        None => Err(interp.runtime_error("sort has no result".to_string())),
    }
}

fn collapse(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, start, stop] = args.take();
    let cx = Context::jax(interp);
    let x = convert::operand(&cx, &x, "collapse")?;
    let rank = x.rank() as i64;
    let bound = |value: i64| (if value < 0 { value + rank } else { value }).clamp(0, rank) as usize;
    let start = bound(interp.to_i64(&start)?);
    let stop = match stop.given() {
        Some(stop) => bound(interp.to_i64(&stop)?),
        None => x.rank(),
    };
    let stop = stop.max(start);
    let mut shape: Vec<usize> = x.shape()[..start].to_vec();
    shape.push(x.shape()[start..stop].iter().product());
    shape.extend_from_slice(&x.shape()[stop..]);
    Ok(convert::value(&cx, p::reshape(&cx, &x, &Shape::from(shape.as_slice()))?))
}

fn pad(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, value, config] = args.take();
    let cx = Context::jax(interp);
    let x = convert::operand(&cx, &x, "pad")?;
    let value = convert::operand(&cx, &value, "pad")?;
    let fits = value.weak() && value.dtype().is_float() == x.dtype().is_float();
    let value = if fits { p::convert(&cx, &value, x.dtype(), false)? } else { value };
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    for dim in interp.collect(&config)? {
        let triple = interp.collect(&dim)?;
        if triple.len() != 3 {
            return Err(interp.value_error("padding_config takes (low, high, interior) per dimension".to_string()));
        }
        for (part, number) in parts.iter_mut().zip(&triple) {
            part.push(interp.to_i64(number)?);
        }
    }
    let [low, high, interior] = parts;
    let attributes = Attributes::none()
        .with("low", Attribute::Ints(low))
        .with("high", Attribute::Ints(high))
        .with("interior", Attribute::Ints(interior));
    Ok(convert::value(&cx, cx.bind(&ops::PAD, &[&x, &value], attributes)?))
}

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
    let values = match starts {
        Value::Tuple(_) | Value::List(_) => cx.interp.collect(starts)?,
        starts => cx.interp.collect(starts)?,
    };
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
    let zero = p::scalar(start.dtype(), pallas_tensor::Scalar::Int(0));
    Ok((0..rank).map(|d| if d == axis { start.clone() } else { zero.clone() }).collect())
}

fn dynamic_slice(cx: &Context<'_>, x: &Tile, starts: &[Tile], sizes: &Shape) -> PyResult<Tile> {
    let starts = wrapped(cx, x, starts)?;
    let mut operands = vec![x];
    operands.extend(&starts);
    let sizes = Attribute::Ints(sizes.iter().map(|&d| d as i64).collect());
    cx.bind(&ops::DYNAMIC_SLICE, &operands, Attributes::none().with("sizes", sizes))
}

/// Negative starts count from the end, as `lax.dynamic_slice` takes them; the op itself only clamps.
pub(crate) fn wrapped(cx: &Context<'_>, x: &Tile, starts: &[Tile]) -> PyResult<Vec<Tile>> {
    starts
        .iter()
        .zip(x.shape().iter())
        .map(|(start, &extent)| {
            if let Some(at) = start.array().and_then(|a| a.item()).and_then(pallas_tensor::Scalar::as_int) {
                let at = if at < 0 { at + extent as i128 } else { at };
                return Ok(p::scalar(start.dtype(), pallas_tensor::Scalar::Int(at)));
            }
            if !start.dtype().is_signed() {
                return Ok(start.clone());
            }
            let constant = |value: usize| p::scalar(start.dtype(), pallas_tensor::Scalar::Int(value as i128));
            let negative = p::binary(cx, &ops::LT, start, &constant(0))?;
            let moved = p::binary(cx, &ops::ADD, start, &constant(extent))?;
            p::select(cx, &negative, &moved, start)
        })
        .collect()
}
