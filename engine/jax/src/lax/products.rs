//! Products of `jax.lax`: `dot`, `dot_general`, `batch_matmul`.

use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::primitive as p;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// Rows of the module.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "dot_general",
        signature: "(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, *, out_sharding=None)",
        doc: "The product over contracting dimensions, per batch dimension.",
        run: dot_general,
    },
    NativeDef {
        name: "dot",
        signature: "(lhs, rhs, *, dimension_numbers=None, precision=None, preferred_element_type=None, out_sharding=None)",
        doc: "The product of vectors and matrices.",
        run: dot,
    },
    NativeDef {
        name: "batch_matmul",
        signature: "(lhs, rhs, precision=None)",
        doc: "Matrix products over leading dimensions.",
        run: |interp, args| {
            let [lhs, rhs, _] = args.take();
            let cx = Context::jax(interp);
            let (lhs, rhs) =
                (convert::operand(&cx, &lhs, "batch_matmul")?, convert::operand(&cx, &rhs, "batch_matmul")?);
            Ok(convert::value(&cx, crate::jnp::products::matmul(&cx, &lhs, &rhs, None)?))
        },
    },
];

/// `((lhs contracting, rhs contracting), (lhs batch, rhs batch))`
type Dimensions = ((Vec<usize>, Vec<usize>), (Vec<usize>, Vec<usize>));

fn dimensions(interp: &Interp, value: &Value) -> PyResult<Dimensions> {
    let pair = |value: &Value| -> PyResult<(Vec<usize>, Vec<usize>)> {
        let parts = interp.collect(value)?;
        let [left, right] = parts.as_slice() else {
            return Err(interp.type_error("dimension_numbers must be ((lhs, rhs), (lhs, rhs))".to_string()));
        };
        let list = |v: &Value| interp.collect(v)?.iter().map(|d| interp.to_usize(d)).collect::<PyResult<Vec<_>>>();
        Ok((list(left)?, list(right)?))
    };
    let parts = interp.collect(value)?;
    let [contracting, batch] = parts.as_slice() else {
        return Err(interp.type_error("dimension_numbers must be ((lhs, rhs), (lhs, rhs))".to_string()));
    };
    Ok((pair(contracting)?, pair(batch)?))
}

fn dot_general(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [lhs, rhs, numbers, precision, preferred, _] = args.take();
    let cx = Context::jax(interp);
    // Operands first: a Ref is refused whatever the numbers are.
    for operand in [&lhs, &rhs] {
        convert::operand(&cx, operand, "dot_general")?;
    }
    let _precision = super::precision::scope(interp, &precision)?;
    let (contracting, batch) = dimensions(interp, &numbers)?;
    product(&cx, &lhs, &rhs, &contracting, &batch, &preferred)
}

fn dot(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [lhs, rhs, numbers, precision, preferred, _] = args.take();
    let cx = Context::jax(interp);
    let _precision = super::precision::scope(interp, &precision)?;
    if !numbers.is_none() {
        let (contracting, batch) = dimensions(interp, &numbers)?;
        return product(&cx, &lhs, &rhs, &contracting, &batch, &preferred);
    }
    let (a, b) = (convert::operand(&cx, &lhs, "dot")?, convert::operand(&cx, &rhs, "dot")?);
    let fits = (1..=2).contains(&a.rank()) && (1..=2).contains(&b.rank());
    if !fits || a.shape()[a.rank() - 1] != b.shape()[0] {
        return Err(interp.error_with(
            &interp.types().value_error,
            format!(
                "jax.lax.dot: dimension_numbers must be specified when not performing simple un-batched matrix-matrix, \
                 matrix-vector, or vector-vector products; got lhs_shape={} rhs_shape={}",
                a.shape(),
                b.shape()
            ),
            pallas_python::Diagnosis { code: "PL303", ..Default::default() },
        ));
    }
    let contracting = (vec![a.rank() - 1], vec![0]);
    product(&cx, &lhs, &rhs, &contracting, &(Vec::new(), Vec::new()), &preferred)
}

fn product(
    cx: &Context<'_>,
    lhs: &Value,
    rhs: &Value,
    contracting: &(Vec<usize>, Vec<usize>),
    batch: &(Vec<usize>, Vec<usize>),
    preferred: &Value,
) -> PyResult<Value> {
    let (a, b) = (convert::operand(cx, lhs, "dot_general")?, convert::operand(cx, rhs, "dot_general")?);
    let wish = dtype::optional(cx, preferred)?;
    let dtype = pallas_ir::ops::dot_general_dtype(a.dtype(), b.dtype(), wish).map_err(|error| cx.infer_error(error))?;
    let result = p::dot_general(cx, &a, &b, (&contracting.0, &contracting.1), (&batch.0, &batch.1), dtype)?;
    Ok(convert::value(cx, result))
}
