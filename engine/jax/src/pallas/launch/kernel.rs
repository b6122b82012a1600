//! The kernel traced to IR: which Refs it gets, what it may not return or capture.

use super::parameters::name_parameters;
use super::{advice, diagnosed, origin_of};
use crate::context::Context;
use crate::pallas::agents::collective;
use crate::pallas::call::PallasCall;
use crate::pallas::memory::MemoryRef;
use crate::pallas::spec;
use crate::pallas::targets::generator;
use crate::pallas::{agents, mesh};
use crate::refs::RefObject;
use crate::trace::{Trace, TraceKind};
use crate::transform::named;
use crate::tree::{self, TreeDef};
use pallas_ir::{Function, MemorySpace, Operand, RefType, Role, Staged, TensorType, Type};
use pallas_python::CallArgs;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use std::rc::Rc;

/// The scratch Refs and how the kernel gets them.
pub(super) fn scratch_types(
    cx: &Context<'_>,
    value: &Value,
    names: &[Option<Rc<str>>],
) -> PyResult<(Vec<RefType>, TreeDef)> {
    let axis = |name: &str| names.iter().position(|known| known.as_deref() == Some(name));
    let value = match value {
        Value::None | Value::Unset => Value::tuple([]),
        Value::List(items) => Value::tuple(items.borrow().iter().cloned()),
        value => value.clone(),
    };
    let (leaves, tree) = tree::flatten(cx.interp, &value, None)?;
    let types = leaves
        .iter()
        .map(|leaf| {
            let request = agents::requested(cx.interp, leaf)?;
            let leaf = request.as_ref().unwrap_or(leaf);
            if let Some(memory) = leaf.downcast::<MemoryRef>() {
                return memory.reference(cx.interp, axis);
            }
            if let Some((kind, shape)) = crate::pallas::semaphore::requested(cx.interp, leaf)? {
                return Ok(kind.reference(shape));
            }
            if matches!(cx.interp.find_attr(leaf, "get_ref_aval"), Ok(None)) {
                let (kind, shown) = (cx.interp.type_name(leaf), cx.interp.repr(leaf)?);
                let message = format!(
                    "scratch_shapes takes memory requests such as pltpu.VMEM((8, 128), jnp.float32), got {shown}"
                );
                return Err(cx.interp.error_with(
                    &cx.interp.types().attribute_error,
                    format!("'{kind}' object has no attribute 'get_ref_aval'"),
                    Diagnosis { message: Some(message), ..Diagnosis::default() },
                ));
            }
            match spec::declared(cx, leaf)? {
                Some((shape, dtype)) => Ok(RefType::new(dtype, shape, MemorySpace::Default)),
                None => {
                    let shown = cx.interp.repr(leaf)?;
                    Err(cx.interp.type_error(format!(
                        "scratch_shapes takes memory requests such as pltpu.VMEM((8, 128), jnp.float32), got {shown}"
                    )))
                }
            }
        })
        .collect::<PyResult<Vec<_>>>()?;
    Ok((types, tree))
}

/// How the kernel's arguments are nested.
pub(super) struct KernelTrees<'a> {
    pub(super) scalars: &'a TreeDef,
    pub(super) inputs: &'a TreeDef,
    pub(super) outputs: &'a TreeDef,
    pub(super) scratch: &'a TreeDef,
    /// Inputs that the kernel works on in place, with the outputs that it gets instead.
    pub(super) in_place: &'a [(usize, usize)],
    /// What the arguments of the launch are called, where they are names.
    pub(super) arguments: &'a [Option<String>],
}

/// The kernel, and the pipelines whose steps it makes itself.
pub(super) fn trace_kernel(
    cx: &Context<'_>,
    call: &PallasCall,
    (grid, names): (Vec<Option<usize>>, &[Option<Rc<str>>]),
    operands: &mut [Operand],
    scratch: &[RefType],
    trees: &KernelTrees<'_>,
) -> PyResult<(Function, Vec<Staged>)> {
    let interp = cx.interp;
    let origin = origin_of(cx, &call.kernel);
    let name = call.name.clone().unwrap_or_else(|| interp.callable_name(&call.kernel));
    let trace =
        Trace::new(cx, TraceKind::Kernel, &name, format!("{origin} for pallas_call kernel"), Some(grid.clone()));
    trace.takes_scalars.set(call.space == MemorySpace::Any);
    let mut refs = Vec::new();
    let mut values = Vec::new();
    let types = operands
        .iter()
        .map(|operand| RefType::new(operand.array.dtype, operand.block_shape(), operand.space))
        .chain(scratch.iter().cloned());
    for ty in types {
        let value = trace.param(Type::Ref(ty), None);
        values.push(value);
        refs.extend(RefObject::new(&trace, value).map(Value::object));
    }
    let inputs = operands.iter().filter(|operand| operand.role != Role::Output).count();
    for &(input, output) in trees.in_place {
        refs.swap(input, inputs + output);
    }
    if let Some(&(_, first)) = trees.in_place.first() {
        refs.drain(inputs + first..operands.len());
    }
    let mut leaves = refs.into_iter();
    let mut positional = interp.collect(&tree::unflatten(interp, trees.scalars, &mut leaves)?)?;
    positional.extend(interp.collect(&tree::unflatten(interp, trees.inputs, &mut leaves)?)?);
    let outputs = tree::unflatten(interp, trees.outputs, &mut leaves)?;
    match outputs {
        Value::Tuple(_) | Value::List(_) => positional.extend(interp.collect(&outputs)?),
        output => positional.push(output),
    }
    let mut args = CallArgs::positional(positional);
    match tree::unflatten(interp, trees.scratch, &mut leaves)? {
        Value::Dict(dict) => {
            for (key, value) in dict.borrow().iter() {
                args.keywords.push((pallas_syntax::ast::Name::from(&*interp.to_str(key)?), value.clone()));
            }
        }
        scratch @ (Value::Tuple(_) | Value::List(_)) => args.positional.extend(interp.collect(&scratch)?),
        scratch => args.positional.push(scratch),
    }

    // What is no Python function (a pipeline that is a kernel by itself) says itself what it takes.
    let function = interp.underlying_function(&call.kernel);
    let bound = function.as_ref().map(|_| interp.bind(&call.kernel, args.clone())).unwrap_or_else(|| Ok(Vec::new()));
    let bound = bound.map_err(|stop| {
        let advice = advice::arity(interp, call, &stop, operands, scratch.len());
        diagnosed(stop, || advice)
    })?;
    name_parameters(interp, &trace, call, operands, (&bound, &args));
    let extents: Vec<usize> = grid.iter().map(|extent| extent.unwrap_or(1)).collect();
    let result = trace.within(cx, || {
        let _entered = named::enter(cx, mesh::named_axes(cx, &trace, names, &extents)?);
        let _blocks = collective::enter(cx, collective::BlockAxes::of(&call.semantics, names));
        interp.call(&call.kernel, args)
    });
    let programs = extents.iter().fold(1usize, |count, &extent| count.saturating_mul(extent));
    let result = result.map_err(|stop| advice::which_refs(stop, operands, trees.arguments, (programs, cx.x64())))?;
    if let Value::Unknown(unknown) = &result {
        // The call came to something that is not known to analysis, and the rest of the kernel was not seen.
        let diagnosis = Diagnosis { unknown: Some(unknown.clone()), ..Diagnosis::default() };
        return Err(interp.error_with(&interp.types().value_error, unknown.why.clone(), diagnosis));
    }
    if !result.is_none() {
        let (_, tree) = tree::flatten(interp, &result, None)?;
        return Err(interp.error_with(
            &interp.types().value_error,
            format!(
                "The kernel function in the pallas_call {origin} should return None. It returns a PyTree: PyTreeDef({})",
                tree.text(interp)?
            ),
            Diagnosis {
                code: "PL110",
                span: interp.underlying_function(&call.kernel).map(|f| f.code.name_span()),
                message: Some("this kernel returns a value; kernels write their results to output Refs".to_string()),
                help: Some("store the result: `o_ref[...] = value`".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    // Kernels over a mesh take scalars from outside; those that are known are constants of the kernel.
    let mut captured = trace.captured.borrow().clone();
    captured.retain(|(array, _)| !trace.takes_scalars.get() || array.rank() > 0);
    if let Some((_, span)) = captured.first() {
        let types: Vec<String> = captured
            .iter()
            .map(|(array, _)| TensorType::new(array.dtype(), array.shape().clone()).to_string())
            .collect();
        let (what, kind) = match trace.takes_scalars.get() {
            true => ("mpmd_map", "non-Ref constants"),
            false => ("pallas_call", "constants"),
        };
        return Err(interp.error_with(
            &interp.types().value_error,
            format!(
                "The kernel function in the {what} {origin} captures {kind} [{}]. You should pass them as inputs.",
                types.join(", ")
            ),
            Diagnosis {
                code: "PL305",
                span: Some(*span),
                message: Some(format!("this kernel captures an array from outside: {}", types.join(", "))),
                help: Some("pass it as an operand with a BlockSpec of its own".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    let (drawn, staged) = (trace.drawn.take(), trace.staged.take());
    let function = trace.finish(Vec::new());
    generator::check(cx, &drawn, &function, operands, &grid);
    Ok((function, staged))
}
