//! Which blocks the pipelines of Mosaic GPU kernels ask for: noted beside the loops that they are staged as, for those who check
//! kernels. A pipeline whose grid or maps are not known is not noted, and what is wrong with a map its use says.

use super::staging::kernel;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::pallas::spec::BlockSpec;
use crate::primitive;
use crate::refs::RefObject;
use crate::trace::Trace;
use pallas_ir::launch::OperandSpans;
use pallas_ir::{Staged, StagedOperand, TensorType, Type, ValueId};
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::DType;
use std::rc::Rc;

pub(super) fn note(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [grid, specs, refs] = args.take();
    let cx = Context::jax(interp);
    if !interp.is_analysis() {
        return Ok(Value::None);
    }
    let trace = kernel(&cx, "a pipeline")?;
    let extents = interp.collect(&grid)?;
    let extents = extents.iter().map(|extent| match extent {
        Value::Int(_) => interp.to_usize(extent).ok(),
        _ => None,
    });
    let Some(grid) = extents.collect::<Option<Vec<usize>>>() else { return Ok(Value::None) };
    let (specs, refs) = (interp.collect(&specs)?, interp.collect(&refs)?);
    let operands: Vec<StagedOperand> =
        specs.iter().zip(&refs).filter_map(|(spec, reference)| operand(&cx, &trace, &grid, spec, reference)).collect();
    if !operands.is_empty() {
        let within = trace.region();
        trace.staged.borrow_mut().push(Staged { grid, within, operands });
    }
    Ok(Value::None)
}

fn operand(
    cx: &Context<'_>,
    trace: &Rc<Trace>,
    grid: &[usize],
    spec: &Value,
    reference: &Value,
) -> Option<StagedOperand> {
    let spec = spec.downcast::<BlockSpec>()?;
    // A part of a Ref is a view only when it is used.
    let reference = reference.downcast::<RefObject>().filter(|reference| reference.pending.is_none())?;
    if spec.index_map.is_none() || spec.has_parts() || !Rc::ptr_eq(&reference.trace, trace) {
        return None;
    }
    let block = spec.dims(cx, &reference.ty.shape, "a Ref").ok()?;
    let (step, indices) = indices(cx, trace, grid.len(), &spec.index_map).ok()?;
    let spans = OperandSpans {
        spec: Some(spec.span),
        block_shape: spec.block_shape_span,
        index_map: spec.index_map_span,
        ..OperandSpans::default()
    };
    let operand = StagedOperand { source: reference.value, block, step, indices, spans };
    (operand.indices.len() == operand.block.len()).then_some(operand)
}

/// What an index map makes of the ids of a step, in a region that nothing runs.
fn indices(cx: &Context<'_>, trace: &Rc<Trace>, axes: usize, map: &Value) -> PyResult<(Vec<ValueId>, Vec<ValueId>)> {
    let mut found = (Vec::new(), Vec::new());
    let params = vec![Type::Tensor(TensorType::scalar(DType::I32)); axes];
    trace.discarded_region(&params, |values| {
        let tiles = values.iter().filter_map(|&value| trace.tile(value));
        let arguments = tiles.map(|tile| Value::object(ArrayObject { tile }));
        let result = cx.interp.call(map, CallArgs::positional(arguments))?;
        let outputs = match &result {
            Value::Tuple(_) | Value::List(_) => cx.interp.collect(&result)?,
            single => vec![single.clone()],
        };
        let mut made = Vec::new();
        for output in &outputs {
            let tile = primitive::convert(cx, &convert::tile(cx, output, "index_map")?, DType::I32, false)?;
            made.push(cx.value_in(trace, &tile)?);
        }
        found = (values.to_vec(), made);
        Ok(())
    })?;
    Ok(found)
}
