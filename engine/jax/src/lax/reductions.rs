//! Reductions of `jax.lax`: over axes, running along one, and positions of extremes.

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

/// Rows of the module.
pub(super) static FUNCTIONS: &[NativeDef] = &[
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
