//! Questions to the grid, effects, and launches from host functions.

use super::rule;
use crate::attribute::Attribute;
use crate::launch::Role;
use crate::op::{EffectOp, InferContext, InferError, OpDef, OpKind, ProgramOp, Types};
use crate::types::{TensorType, Type};
use pallas_tensor::DType;

/// The program id along the attribute `axis`, an `i32` scalar. No operands.
pub static PROGRAM_ID: OpDef = OpDef {
    name: "program_id",
    doc: "The program id along the grid's `axis`",
    attributes: &["axis"],
    infer: |context| infer(context, "program_id"),
    kind: OpKind::Program(ProgramOp::ProgramId),
};

/// The grid's extent along the attribute `axis`, an `i32` scalar. No operands.
pub static NUM_PROGRAMS: OpDef = OpDef {
    name: "num_programs",
    doc: "The grid's extent along `axis`",
    attributes: &["axis"],
    infer: |context| infer(context, "num_programs"),
    kind: OpKind::Program(ProgramOp::NumPrograms),
};

/// Prints. Operands: tiles. Attribute: `format`, as `pl.debug_print` takes it. No results.
pub static DEBUG_PRINT: OpDef = OpDef {
    name: "debug_print",
    doc: "Prints `format` with its `{}` fields filled from the operands",
    attributes: &["format"],
    infer: |context| {
        context.attributes.str("format").ok_or_else(|| rule::missing("debug_print", "format"))?;
        rule::tensors(context)?;
        Ok(Types::new())
    },
    kind: OpKind::Effect(EffectOp::DebugPrint),
};

/// Runs the attribute `launch`. Operands: the extents of its dynamic grid axes, its prefetched scalars and inputs, as tiles
/// of the arrays' types. Results: its outputs.
pub static LAUNCH: OpDef = OpDef {
    name: "launch",
    doc: "Runs `launch`; operands: extents of dynamic axes, prefetched scalars and inputs, results: its outputs",
    attributes: &["launch"],
    infer: infer_launch,
    kind: OpKind::Launch,
};

fn infer(context: &InferContext<'_>, name: &str) -> Result<Types, InferError> {
    rule::count(context, name, 0)?;
    rule::size(context.attributes, name, "axis")?;
    Ok(rule::one(TensorType::scalar(DType::I32)))
}

fn infer_launch(context: &InferContext<'_>) -> Result<Types, InferError> {
    let Some(Attribute::Launch(launch)) = context.attributes.get("launch") else {
        return Err(rule::missing("launch", "launch"));
    };
    let inputs = launch.operands.iter().filter(|o| o.role != Role::Output);
    let expected: Vec<_> = inputs.collect();
    let extents = launch.dynamic.len();
    rule::count(context, "launch", extents + expected.len())?;
    let types = rule::tensors(context)?;
    for (axis, ty) in launch.dynamic.iter().zip(&types) {
        if !ty.shape.is_empty() || ty.dtype != DType::I32 {
            return Err(InferError::type_error(format!("launch: the extent of axis {axis} must be i32[], got {ty}")));
        }
    }
    for (operand, ty) in expected.iter().zip(types.into_iter().skip(extents)) {
        if operand.array.shape != ty.shape || operand.array.dtype != ty.dtype {
            return Err(InferError::type_error(format!(
                "launch: operand {} must be {}, got {ty}",
                operand.name, operand.array
            )));
        }
    }
    Ok(launch.with_role(Role::Output).map(|(_, operand)| Type::Tensor(operand.array.clone())).collect())
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&PROGRAM_ID, &NUM_PROGRAMS, &DEBUG_PRINT, &LAUNCH].into_iter()
}
