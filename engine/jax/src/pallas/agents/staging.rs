//! Stages one op of a GPU kernel from Python values: Refs and arrays are operands, keywords are attributes.

use super::pipelines;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::primitive;
use crate::refs::RefObject;
use crate::trace::{Trace, TraceKind};
use pallas_ir::{Attribute, Attributes, Function, Op, OpId, TensorType, Type, ValueId, ops};
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_tensor::DType;
use std::collections::HashSet;
use std::rc::Rc;

/// Rows of the private module.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "stage",
        signature: "(name, operands, attributes=None)",
        doc: "Adds an op to the kernel that is traced; a tuple of its results.",
        run: stage,
    },
    NativeDef {
        name: "depends",
        signature: "(index_map, count)",
        doc: "Whether the result of an index map depends on one of its `count` arguments.",
        run: depends,
    },
    NativeDef {
        name: "note_pipeline",
        signature: "(grid, specs, refs)",
        doc: "Notes which blocks a pipeline asks for, where that will be looked at.",
        run: pipelines::note,
    },
    NativeDef {
        name: "races_found",
        signature: "()",
        doc: "Whether the last launch that was run has shown a race.",
        run: |interp, _args| Ok(Value::Bool(Context::jax(interp).state.raced.get())),
    },
    NativeDef {
        name: "forget_races",
        signature: "()",
        doc: "Forgets what launches have shown.",
        run: |interp, _args| {
            Context::jax(interp).state.raced.set(false);
            Ok(Value::None)
        },
    },
    NativeDef {
        name: "in_kernel",
        signature: "()",
        doc: "Whether a kernel is being traced.",
        run: |interp, _args| {
            let cx = Context::jax(interp);
            let traces = cx.state.traces.borrow();
            Ok(Value::Bool(traces.iter().any(|trace| trace.kind == TraceKind::Kernel)))
        },
    },
    NativeDef {
        name: "transposed",
        signature: "(ref, permutation)",
        doc: "The Ref with its dimensions in another order.",
        run: |interp, args| {
            let [reference, permutation] = args.take();
            crate::refs::transposed(interp, &reference, &permutation)
        },
    },
];

/// The trace of the kernel that is running.
pub(super) fn kernel(cx: &Context<'_>, function: &str) -> PyResult<Rc<Trace>> {
    cx.innermost().ok_or_else(|| {
        cx.interp.error_with(
            &cx.interp.types().value_error,
            format!("{function} must be called in a kernel."),
            Diagnosis { help: Some("call it in a function given to plgpu.kernel".to_string()), ..Diagnosis::default() },
        )
    })
}

fn stage(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [name, operands, attributes] = args.take();
    let cx = Context::jax(interp);
    let name = interp.to_str(&name)?;
    let Some(op) = ops::find(&name) else {
        return Err(interp.runtime_error(format!("there is no op {name}")));
    };
    let trace = kernel(&cx, &name)?;
    let operands = interp.collect(&operands)?;
    if let Some(unknown) = operands.iter().find(|operand| operand.is_unknown()) {
        return Ok(unknown.clone());
    }
    let operands = operands.iter().map(|value| operand(&cx, &trace, value)).collect::<PyResult<Vec<_>>>()?;
    let mut given = Vec::new();
    if let Value::Dict(dict) = &attributes {
        for (key, value) in dict.borrow().iter() {
            given.push((interp.to_str(key)?.to_string(), value.clone()));
        }
    }
    let mut built = Attributes::none();
    for &known in op.attributes {
        if let Some((_, value)) = given.iter().find(|(name, _)| name == known)
            && let Some(attribute) = attribute(interp, value)?
        {
            built = built.with(known, attribute);
        }
    }
    let results = trace.add(&cx, Op(op.0), &operands, built, &[])?;
    let values = results.iter().filter_map(|&result| match trace.tile(result) {
        Some(tile) => Some(Value::object(ArrayObject { tile })),
        None => RefObject::new(&trace, result).map(Value::object),
    });
    Ok(Value::tuple(values.collect::<Vec<_>>()))
}

/// A Ref, an array, or a number: integers are `i32`.
fn operand(cx: &Context<'_>, trace: &Rc<Trace>, value: &Value) -> PyResult<ValueId> {
    if let Some(reference) = value.downcast::<RefObject>() {
        return reference.operand(cx);
    }
    // A Ref from outside, which the function on cores has a parameter for.
    if let Some(inside) = crate::held::in_core(cx, value)
        && let Some(reference) = inside.downcast::<RefObject>()
    {
        return reference.operand(cx);
    }
    let tile = convert::tile(cx, value, "asarray")?;
    let tile = match value {
        Value::Int(_) => primitive::convert(cx, &tile, DType::I32, false)?,
        _ => tile,
    };
    cx.value_in(trace, &tile)
}

/// An attribute; nothing for `None` and false.
fn attribute(interp: &Interp, value: &Value) -> PyResult<Option<Attribute>> {
    Ok(match value {
        Value::None | Value::Unset | Value::Bool(false) => None,
        Value::Bool(true) => Some(Attribute::Bool(true)),
        Value::Str(text) => Some(Attribute::Str((&**text).into())),
        Value::Tuple(_) | Value::List(_) => {
            let items = interp.collect(value)?;
            if items.iter().any(|item| matches!(item, Value::Tuple(_) | Value::List(_))) {
                let lists = items.iter().map(|item| integers(interp, item)).collect::<PyResult<Vec<_>>>()?;
                Some(Attribute::IntLists(lists))
            } else {
                Some(Attribute::Ints(integers(interp, value)?))
            }
        }
        value => Some(Attribute::Int(interp.to_i64(value)?)),
    })
}

fn integers(interp: &Interp, value: &Value) -> PyResult<Vec<i64>> {
    interp.collect(value)?.iter().map(|item| interp.to_i64(item)).collect()
}

/// Traces an index map and looks for its arguments.
fn depends(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [map, count] = args.take();
    let cx = Context::jax(interp);
    let trace = kernel(&cx, "an index map of a pipeline")?;
    let params = vec![Type::Tensor(TensorType::scalar(DType::I32)); interp.to_usize(&count)?];
    let mut found = false;
    trace.discarded_region(&params, |values| {
        let tiles = values.iter().filter_map(|&value| trace.tile(value));
        let arguments = tiles.map(|tile| Value::object(ArrayObject { tile }));
        let result = interp.call(&map, CallArgs::positional(arguments))?;
        let outputs = match &result {
            Value::Tuple(_) | Value::List(_) => interp.collect(&result)?,
            single => vec![single.clone()],
        };
        let mut needed = Vec::new();
        for output in &outputs {
            needed.push(cx.value_in(&trace, &convert::tile(&cx, output, "index_map")?)?);
        }
        found = trace.with_function(|function| reaches(function, needed, values));
        Ok(())
    })?;
    Ok(Value::Bool(found))
}

/// Whether values are made from others.
fn reaches(function: &Function, mut needed: Vec<ValueId>, sources: &[ValueId]) -> bool {
    let mut seen = HashSet::new();
    while let Some(value) = needed.pop() {
        if sources.contains(&value) {
            return true;
        }
        if !seen.insert(value) {
            continue;
        }
        let mut ops: Vec<OpId> = function.definition(value).into_iter().collect();
        while let Some(op) = ops.pop() {
            let op = function.op(op);
            needed.extend(&op.operands);
            for &region in &op.regions {
                needed.extend(&function.region(region).yields);
                ops.extend(&function.region(region).ops);
            }
        }
    }
    false
}
