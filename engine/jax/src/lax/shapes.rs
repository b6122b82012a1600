//! Shapes of arrays, of `jax.lax`: ranges, broadcasts, other shapes, arrays put together and padded.

use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::primitive as p;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::Shape;

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
            let tiles = super::tiles(&cx, &operands, "concatenate")?;
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
