//! Small helpers of `jax.experimental.pallas` that hold no values: uninitialised arrays, checks that interpreted kernels
//! do not make, and settings for them.

use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::pallas::spec;
use crate::primitive;
use crate::tree;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Shape};

/// Rows of the `pallas` module.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "reciprocal",
        signature: "(x, *, approx=False, full_range=True)",
        doc: "1 / x; the approximation is that of the hardware only.",
        run: |interp, args: Arguments| {
            let [x, _approx, _full_range] = args.take();
            let one = Value::from(1.0);
            interp.binary(pallas_syntax::ast::BinaryOp::Div, &one, &x)
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
            empty(&cx, &shape, dtype)
        },
    },
    NativeDef {
        name: "empty_like",
        signature: "(x)",
        doc: "Arrays of unspecified values with the shapes and dtypes of a pytree's leaves: zeros.",
        run: |interp, args| {
            let cx = Context::jax(interp);
            let (leaves, def) = tree::flatten(interp, args.get(0), None)?;
            let arrays = leaves
                .iter()
                .map(|leaf| match spec::declared(&cx, leaf)? {
                    Some((shape, dtype)) => empty(&cx, &shape, dtype),
                    None => {
                        let class = interp.type_name(leaf);
                        Err(interp.attribute_error(format!("'{class}' object has no attribute 'shape'")))
                    }
                })
                .collect::<PyResult<Vec<_>>>()?;
            tree::unflatten(interp, &def, &mut arrays.into_iter())
        },
    },
    NativeDef {
        name: "debug_check",
        signature: "(condition, message)",
        doc: "A check that compiled kernels make where checks are enabled; interpreted kernels make none.",
        run: |_interp, _args| Ok(Value::None),
    },
    NativeDef {
        name: "delay",
        signature: "(nanos)",
        doc: "Waits; interpreted, nothing is waited for.",
        run: |_interp, _args| Ok(Value::None),
    },
    NativeDef {
        name: "enable_debug_checks",
        signature: "(new_val=True)",
        doc: "A context in which compiled kernels make their checks.",
        run: setting,
    },
    NativeDef {
        name: "enable_poison_buffers",
        signature: "(new_val=True)",
        doc: "A context in which compiled kernels poison their buffers.",
        run: setting,
    },
];

fn setting(interp: &Interp, _args: Arguments) -> PyResult<Value> {
    interp.call_values(&interp.get_attr(&interp.import("contextlib")?, "nullcontext")?, [])
}

fn empty(cx: &Context<'_>, shape: &Shape, dtype: DType) -> PyResult<Value> {
    let zero = primitive::zero_scalar(dtype);
    Ok(convert::value(cx, primitive::full(cx, shape, dtype, zero)?))
}
