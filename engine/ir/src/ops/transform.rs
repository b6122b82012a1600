//! Ops that only transformations of functions look at: calls with derivatives of their own, and barriers to derivatives.
//! They are gone before anything runs: a call is replaced by its body, a barrier by its operand.

use super::rule;
use crate::op::{ControlOp, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::Type;

/// A call of a function with a derivative of its own. Operands: its arguments. One region with a parameter per operand.
/// Attributes: `name`; `custom`, the number of the derivative in the tables of the tracer. Results: what the region
/// yields.
pub static CALL: OpDef = OpDef {
    name: "call",
    doc: "Runs its region on its operands; `custom` says which derivative it has",
    attributes: &["name", "custom"],
    infer: infer_call,
    kind: OpKind::Control(ControlOp::Call),
};

/// The operand, as a constant to derivatives. Operand: x. Result: `x`.
pub static STOP_GRADIENT: OpDef = OpDef {
    name: "stop_gradient",
    doc: "The operand, as a constant to derivatives",
    attributes: &[],
    infer: |context| {
        rule::count(context, "stop_gradient", 1)?;
        Ok(rule::one(context.tensor(0)?.clone()))
    },
    kind: OpKind::Pure { eval: |_, operands| Ok(operands.into_iter().collect()), interval: None },
};

fn infer_call(context: &InferContext<'_>) -> Result<Types, InferError> {
    let [region] = context.regions else {
        return Err(InferError::type_error(format!("call takes one region, got {}", context.regions.len())));
    };
    let region = context.function.region(*region);
    let params: Vec<&Type> = region.params.iter().map(|&v| context.function.ty(v)).collect();
    let fits = params.len() == context.operands.len()
        && params.iter().zip(context.operands).all(|(param, operand)| super::control::compatible(param, operand));
    if !fits {
        return Err(InferError::type_error("call: the operands do not fit the region's parameters"));
    }
    Ok(region.yields.iter().map(|&v| context.function.ty(v).clone()).collect())
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&CALL, &STOP_GRADIENT].into_iter()
}
