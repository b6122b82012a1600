//! The Refs of a pipeline with their specs: where the body finds each block, and index maps as regions.

use super::grid::Grid;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::pallas::spec::BlockSpec;
use crate::primitive;
use crate::refs::RefObject;
use crate::trace::Trace;
use crate::tree;
use pallas_ir::launch::OperandSpans;
use pallas_ir::{
    BlockDim, Function, MemorySpace, OpKind, PipelineOperand, RegionId, Role, TensorType, Type, ValueId, Window,
};
use pallas_python::CallArgs;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar};
use std::rc::Rc;

/// A Ref with its spec.
pub(super) struct Source {
    pub(super) reference: RefObject,
    /// Where the blocks are put.
    pub(super) space: MemorySpace,
    spec: Value,
    role: Role,
    name: String,
}

/// Matches Refs with specs: a spec per Ref, in the same nesting.
pub(super) fn sources(
    cx: &Context<'_>,
    specs: &Value,
    refs: &[Value],
    role: Role,
    out: &mut Vec<Source>,
) -> PyResult<()> {
    let interp = cx.interp;
    let (leaves, tree) = tree::flatten(interp, specs, None)?;
    let (found, other) = tree::flatten(interp, &Value::tuple(refs.iter().cloned()), None)?;
    if !tree.same(&other, interp)? {
        let what = if role == Role::Output { "out_specs" } else { "in_specs" };
        return Err(interp.error_with(
            &interp.types().value_error,
            format!(
                "the {what} of the pipeline do not match its Refs: {} and {}",
                tree.text(interp)?,
                other.text(interp)?
            ),
            Diagnosis {
                code: "PL103",
                help: Some("call the pipeline with one Ref per spec: inputs, then outputs".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    for (number, (spec, reference)) in leaves.into_iter().zip(found).enumerate() {
        let Some(described) = spec.downcast::<BlockSpec>() else {
            let shown = interp.repr(&spec)?;
            return Err(interp.type_error(format!("emit_pipeline takes BlockSpecs, got {shown}")));
        };
        let Some(object) = reference.downcast::<RefObject>() else {
            let shown = interp.repr(&reference)?;
            return Err(interp.type_error(format!("the arguments of a pipeline must be Refs, got {shown}")));
        };
        let space = match described.space {
            MemorySpace::Default => MemorySpace::Vmem,
            space => space,
        };
        let reference = object.materialized(cx)?;
        let name = format!("{}[{number}]", if role == Role::Output { "outputs" } else { "inputs" });
        out.push(Source { reference, space, spec: spec.clone(), role, name });
    }
    Ok(())
}

/// Whether the block is all of the Ref in every step, so that nothing is to be gained from slots.
pub(super) fn is_whole(cx: &Context<'_>, trace: &Rc<Trace>, grid: &Grid, source: &Source) -> PyResult<bool> {
    let Some(spec) = source.spec.downcast::<BlockSpec>() else { return Ok(true) };
    if spec.has_parts() {
        return Ok(false);
    }
    // The region is only looked at.
    let (region, operand) = map(cx, trace, grid, source)?;
    Ok(covers(trace, grid, source, region, &operand.block))
}

fn covers(trace: &Rc<Trace>, grid: &Grid, source: &Source, region: RegionId, block: &[BlockDim]) -> bool {
    source.reference.ty.shape.iter().zip(block).all(|(&extent, dim)| *dim == BlockDim::Blocked(extent))
        && trace.with_function(|function| is_constant(function, region, &grid.extents))
}

/// The index map of a Ref as a region, and what is known of its blocks.
pub(super) fn map(
    cx: &Context<'_>,
    trace: &Rc<Trace>,
    grid: &Grid,
    source: &Source,
) -> PyResult<(RegionId, PipelineOperand)> {
    let Some(spec) = source.spec.downcast::<BlockSpec>() else {
        return Err(cx.interp.type_error("emit_pipeline takes BlockSpecs"));
    };
    let shape = source.reference.ty.shape.clone();
    let block = spec.dims(cx, &shape, &source.name)?;
    let params = vec![Type::Tensor(TensorType::scalar(DType::I32)); grid.extents.len()];
    let (region, ()) = trace.in_region(&params, |values| {
        let ids: Vec<Value> =
            values.iter().filter_map(|&v| trace.tile(v)).map(|tile| Value::object(ArrayObject { tile })).collect();
        Ok((indices(cx, trace, spec, source, block.len(), ids)?, ()))
    })?;
    let is_trivial = covers(trace, grid, source, region, &block);
    let near = |space: MemorySpace| matches!(space, MemorySpace::Any | MemorySpace::Hbm);
    let here = source.reference.ty.space;
    let window = if here == source.space || (near(here) && near(source.space)) {
        Window::InPlace
    } else if is_trivial {
        Window::Whole
    } else {
        slots(cx, spec, source.role)?
    };
    let spans = OperandSpans {
        spec: Some(spec.span),
        block_shape: spec.block_shape_span,
        index_map: spec.index_map_span,
        ..OperandSpans::default()
    };
    let name = source.name.as_str().into();
    Ok((region, PipelineOperand { name, role: source.role, block, window, spans }))
}

fn slots(cx: &Context<'_>, spec: &BlockSpec, role: Role) -> PyResult<Window> {
    let (count, lookahead) = spec.buffers.as_ref().map_or((2, false), |b| (b.count, b.lookahead));
    if count < 1 {
        return Err(cx.interp.value_error(format!("buffer_count must be at least 1, got {count}")));
    }
    if role == Role::Output && lookahead {
        return Err(cx.interp.value_error("Output buffering does not support lookahead."));
    }
    if role == Role::Output && count > 2 {
        return Err(cx.interp.not_implemented_error("Buffer count >2 not supported for output buffered refs."));
    }
    Ok(Window::Slots { count, lookahead })
}

/// What the index map gives, as values of the region.
fn indices(
    cx: &Context<'_>,
    trace: &Rc<Trace>,
    spec: &BlockSpec,
    source: &Source,
    rank: usize,
    ids: Vec<Value>,
) -> PyResult<Vec<ValueId>> {
    let interp = cx.interp;
    let zero = primitive::scalar(DType::I32, Scalar::Int(0));
    if spec.index_map.is_none() {
        return (0..rank).map(|_| cx.value_in(trace, &zero)).collect();
    }
    let given = ids.len();
    let args = CallArgs::positional(ids);
    if let Err(stop) = interp.bind(&spec.index_map, args.clone()) {
        return Err(crate::pallas::launch::diagnosed(stop, || Diagnosis {
            code: "PL106",
            span: spec.index_map_span,
            message: Some(format!(
                "this index map is called with {given} grid id{}, one per axis of the pipeline's grid",
                if given == 1 { "" } else { "s" }
            )),
            help: Some("give the index map one parameter per grid axis".to_string()),
            ..Diagnosis::default()
        }));
    }
    let result = interp.call(&spec.index_map, args)?;
    let outputs = match &result {
        Value::Tuple(_) | Value::List(_) => interp.collect(&result)?,
        single => vec![single.clone()],
    };
    if outputs.len() != rank {
        return Err(interp.error_with(
            &interp.types().value_error,
            format!(
                "Index map function {} for {} must return {rank} values to match block_shape={}. Currently returning {} \
                 values:",
                crate::pallas::launch::origin_of(cx, &spec.index_map),
                source.name,
                interp.repr(&spec.block_shape)?,
                outputs.len()
            ),
            Diagnosis {
                code: "PL107",
                span: spec.index_map_span,
                help: Some("return one block index per dimension of the Ref".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    outputs
        .iter()
        .map(|output| {
            let tile = convert::tile(cx, output, "index_map")?;
            if tile.rank() != 0 || !tile.dtype().is_integer() {
                return Err(interp.error_with(
                    &interp.types().value_error,
                    format!(
                        "Index map function {} for {} must return integer scalars, got {}.",
                        crate::pallas::launch::origin_of(cx, &spec.index_map),
                        source.name,
                        crate::errors::type_text(&tile.ty())
                    ),
                    Diagnosis { code: "PL108", span: spec.index_map_span, ..Diagnosis::default() },
                ));
            }
            cx.value_in(trace, &primitive::convert(cx, &tile, DType::I32, false)?)
        })
        .collect()
}

/// Whether an index map gives the same for every step: it looks neither at the ids of axes with several steps nor at Refs.
fn is_constant(function: &Function, region: RegionId, extents: &[Option<usize>]) -> bool {
    let region = function.region(region);
    let moving: Vec<ValueId> =
        region.params.iter().zip(extents).filter(|(_, extent)| **extent != Some(1)).map(|(&param, _)| param).collect();
    let uses = |values: &[ValueId]| values.iter().any(|value| moving.contains(value));
    !uses(&region.yields)
        && region.ops.iter().all(|&op| {
            let op = function.op(op);
            matches!(op.op.kind, OpKind::Pure { .. }) && !uses(&op.operands)
        })
}
