//! The pipeline op. See [`crate::pipeline`] for what it carries.

use super::rule;
use crate::attribute::Attribute;
use crate::op::{ControlOp, InferContext, InferError, OpDef, OpKind, Types};
use crate::pipeline::{Pipeline, PipelineOperand};
use crate::types::{RefType, Type};
use pallas_tensor::{DType, Shape};

/// Runs a body once per point of a grid, on blocks of Refs that are copied ahead of it. Operands: the extents of dynamic
/// axes, where the grid begins along each axis (with `offsets`), the Refs. Attribute: `pipeline`. Regions: for each Ref its
/// index map, `(i32 per axis)` to one `i32` per dimension; then the body, `(i32 per axis, a Ref per block)`. No results.
pub static PIPELINE: OpDef = OpDef {
    name: "pipeline",
    doc: "Runs its last region on blocks of Refs; operands: extents..., offsets..., Refs...",
    attributes: &["pipeline"],
    infer,
    kind: OpKind::Control(ControlOp::Pipeline),
};

fn infer(context: &InferContext<'_>) -> Result<Types, InferError> {
    let Some(Attribute::Pipeline(pipeline)) = context.attributes.get("pipeline") else {
        return Err(rule::missing("pipeline", "pipeline"));
    };
    let count = pipeline.operands.len();
    rule::count(context, "pipeline", pipeline.scalars() + count)?;
    let (scalars, refs) = context.operands.split_at(pipeline.scalars());
    for scalar in scalars {
        if !is_number(scalar) {
            return Err(InferError::type_error(format!("pipeline: extents and offsets are i32[], got {scalar}")));
        }
    }
    let [maps @ .., body] = context.regions else {
        return Err(InferError::type_error("pipeline: its body is missing"));
    };
    if maps.len() != count {
        return Err(InferError::type_error(format!("pipeline: {} index maps for {count} Refs", maps.len())));
    }
    for ((operand, ty), &map) in pipeline.operands.iter().zip(refs).zip(maps) {
        let Type::Ref(ty) = ty else {
            return Err(InferError::type_error(format!("pipeline: {} must be a Ref, got {ty}", operand.name)));
        };
        check_map(context, pipeline, operand, ty, map)?;
    }
    let axes = pipeline.grid.len();
    let region = context.function.region(*body);
    let params: Vec<&Type> = region.params.iter().map(|&param| context.function.ty(param)).collect();
    let fits = params.len() == axes + count
        && params[..axes].iter().all(|ty| is_number(ty))
        && pipeline.operands.iter().zip(refs).zip(&params[axes..]).all(|((operand, source), param)| {
            matches!(param, Type::Ref(ty) if ty.shape == Shape::from(operand.block_shape()) && ty.dtype == source.dtype())
        });
    if !fits || !region.yields.is_empty() {
        return Err(InferError::type_error(format!(
            "pipeline: its body must take {axes} grid ids (i32[]) and a Ref per block, and yield nothing"
        )));
    }
    Ok(Types::new())
}

fn check_map(
    context: &InferContext<'_>,
    pipeline: &Pipeline,
    operand: &PipelineOperand,
    ty: &RefType,
    map: crate::function::RegionId,
) -> Result<(), InferError> {
    let rank = operand.block.len();
    if ty.shape.rank() != rank {
        return Err(InferError::type_error(format!(
            "pipeline: {rank} block sizes for {}, a Ref of shape {}",
            operand.name, ty.shape
        )));
    }
    let region = context.function.region(map);
    let numbers =
        |values: &[crate::function::ValueId]| values.iter().all(|&value| is_number(context.function.ty(value)));
    let fits = region.params.len() == pipeline.grid.len()
        && numbers(&region.params)
        && region.yields.len() == rank
        && numbers(&region.yields);
    if !fits {
        return Err(InferError::type_error(format!(
            "pipeline: the index map of {} must take {} grid ids and yield {rank} indices, all i32[]",
            operand.name,
            pipeline.grid.len()
        )));
    }
    Ok(())
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Tensor(ty) if ty.dtype == DType::I32 && ty.shape.rank() == 0)
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&PIPELINE].into_iter()
}
