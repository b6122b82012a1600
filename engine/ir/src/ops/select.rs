//! Choosing elements: `select_n` and `clamp`.

use super::bounds;
use super::eval::{one, take};
use super::rule;
use crate::op::{EvalError, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::TensorType;
use pallas_tensor::{DType, ops};

/// `cases[which]` elementwise. Operands: `which` (`bool`, or any integer; a scalar or the cases' shape), then cases of
/// equal shape and dtype. With a `bool`, case 0 is for false and case 1 for true.
pub static SELECT_N: OpDef = OpDef {
    name: "select_n",
    doc: "`cases[which]` elementwise; operands: which, cases...",
    attributes: &[],
    infer: infer_select_n,
    kind: OpKind::Pure {
        eval: |_, operands| {
            let Some((which, cases)) = operands.split_first() else {
                return Err(EvalError::new("takes at least 1 operand"));
            };
            let cases: Vec<_> = cases.iter().collect();
            match which.dtype() {
                DType::Bool | DType::I32 => one(ops::select_n(which, &cases)),
                _ => one(ops::select_n(&ops::convert(which, DType::I32)?, &cases)),
            }
        },
        interval: Some(bounds::select_n),
    },
};

/// `min(max(x, low), high)`. Operands: `low`, `x`, `high`, of one dtype; the limits are scalars or have `x`'s shape.
pub static CLAMP: OpDef = OpDef {
    name: "clamp",
    doc: "`min(max(x, low), high)`; operands: low, x, high",
    attributes: &[],
    infer: infer_clamp,
    kind: OpKind::Pure {
        eval: |_, operands| {
            let [low, x, high] = take(operands)?;
            one(ops::clamp(&low, x, &high))
        },
        interval: Some(bounds::clamp),
    },
};

fn infer_select_n(context: &InferContext<'_>) -> Result<Types, InferError> {
    let operands = rule::tensors(context)?;
    let Some((which, cases)) = operands.split_first() else {
        return Err(InferError::type_error("select must have at least one case"));
    };
    let Some(first) = cases.first() else {
        return Err(InferError::type_error("select must have at least one case"));
    };
    if cases.iter().any(|case| case.shape != first.shape) {
        let shapes: Vec<String> = cases.iter().map(|case| case.shape.to_string()).collect();
        return Err(InferError::type_error(format!(
            "select cases must have the same shapes, got [{}].",
            shapes.join(", ")
        ))
        .with_code("PL303"));
    }
    if which.shape.rank() > 0 && which.shape != first.shape {
        return Err(InferError::type_error(format!(
            "select `which` must be scalar or have the same shape as cases, got `which` shape {} but case shape {}.",
            which.shape, first.shape
        ))
        .with_code("PL303"));
    }
    rule::same_dtypes("select", cases)?;
    if which.dtype != DType::Bool && !which.dtype.is_integer() {
        return Err(InferError::type_error(format!(
            "select `which` must be boolean or integer type, got {}.",
            which.dtype
        ))
        .with_code("PL304"));
    }
    if which.dtype == DType::Bool && cases.len() > 2 {
        return Err(InferError::type_error("select with boolean `which` cannot have > 2 cases."));
    }
    Ok(rule::one(TensorType { dtype: first.dtype, shape: first.shape.clone(), weak: rule::all_weak(cases) }))
}

fn infer_clamp(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "clamp", 3)?;
    let operands = rule::tensors(context)?;
    let x = operands[1];
    for (name, limit) in [("min", operands[0]), ("max", operands[2])] {
        if limit.shape.rank() > 0 && limit.shape != x.shape {
            return Err(InferError::type_error(format!(
                "clamp requires {name}.shape == operand.shape or {name}.shape == (), got {name}.shape={}, \
                 operand.shape={}.",
                limit.shape, x.shape
            ))
            .with_code("PL303"));
        }
    }
    rule::same_accepted_dtypes("clamp", &operands, rule::ANY)?;
    Ok(rule::one(TensorType { dtype: x.dtype, shape: x.shape.clone(), weak: rule::all_weak(&operands) }))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&SELECT_N, &CLAMP].into_iter()
}
