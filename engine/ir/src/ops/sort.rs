//! Sorting.

use super::eval::{Operands, attribute, take};
use super::rule::{self, Accepts};
use crate::op::{EvalContext, EvalError, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::{TensorType, Type};
use pallas_tensor::{DType, Kind, ops};
use smallvec::{SmallVec, smallvec};

/// Sorts along an axis by the first `num_keys` operands in turn, moving all operands alike. Operands: one or more of
/// one shape. Attributes: `axis`; `num_keys` (default 1); `stable` (the order of equals is always kept). Results: as
/// many as operands.
pub static SORT: OpDef = OpDef {
    name: "sort",
    doc: "Sorts along `axis` by the first `num_keys` operands, moving all operands alike",
    attributes: &["axis", "num_keys", "stable"],
    infer: infer_sort,
    kind: OpKind::Pure {
        eval: eval_sort,
        interval: Some(|_, operands| match operands {
            [only] => *only,
            _ => crate::Interval::ANY,
        }),
    },
};

/// The largest elements along the last axis, largest first, and their indices (i32). Attribute: `k`.
pub static TOP_K: OpDef = OpDef {
    name: "top_k",
    doc: "The `k` largest elements along the last axis, and their indices",
    attributes: &["k"],
    infer: infer_top_k,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let k = attribute(context.attributes.int("k"), "k")?;
            let k = usize::try_from(k).map_err(|_| EvalError::new(format!("k = {k} is negative")))?;
            let (values, indices) = ops::top_k(&x, k, DType::I32)?;
            Ok(smallvec![values, indices])
        },
        interval: None,
    },
};

fn eval_sort(context: &EvalContext<'_>, operands: Operands) -> Result<SmallVec<[pallas_tensor::Array; 1]>, EvalError> {
    let axis = attribute(context.attributes.int("axis"), "axis")?;
    let keys = context.attributes.int("num_keys").unwrap_or(1);
    let (Ok(axis), Ok(keys)) = (usize::try_from(axis), usize::try_from(keys)) else {
        return Err(EvalError::new("sort: a negative attribute"));
    };
    Ok(ops::sort(&operands, axis, keys)?.into())
}

fn infer_sort(context: &InferContext<'_>) -> Result<Types, InferError> {
    let operands = rule::tensors(context)?;
    let Some((first, rest)) = operands.split_first() else {
        return Err(InferError::type_error("sort takes at least 1 operand, got 0"));
    };
    if rest.iter().any(|ty| ty.shape != first.shape) {
        let shapes: Vec<String> = operands.iter().map(|ty| ty.shape.to_string()).collect();
        return Err(InferError::type_error(format!(
            "Arguments to sort must have equal shapes, got: {}",
            shapes.join(" ")
        ))
        .with_code("PL303"));
    }
    let axis = context.attributes.int("axis").ok_or_else(|| rule::missing("sort", "axis"))?;
    if usize::try_from(axis).map_or(true, |axis| axis >= first.shape.rank()) {
        return Err(InferError::value_error(format!(
            "axis {axis} is out of bounds for array of dimension {}",
            first.shape.rank()
        )));
    }
    let keys = context.attributes.int("num_keys").unwrap_or(1);
    if usize::try_from(keys).map_or(true, |keys| keys == 0 || keys > operands.len()) {
        return Err(InferError::value_error(format!(
            "num_keys={keys} must be between 1 and len(operand)={}",
            operands.len()
        )));
    }
    if let Some(key) = operands[..keys as usize].iter().find(|ty| ty.dtype.kind() == Kind::Key) {
        return Err(InferError::type_error(format!("cannot sort by {key}")));
    }
    Ok(operands.iter().map(|&ty| Type::Tensor(ty.clone())).collect())
}

fn infer_top_k(context: &InferContext<'_>) -> Result<Types, InferError> {
    let ty = rule::operand(
        context,
        "top_k",
        Accepts { test: |dtype| dtype.kind() != Kind::Key, names: "integer, floating, bool" },
    )?;
    let k = context.attributes.int("k").ok_or_else(|| rule::missing("top_k", "k"))?;
    let Ok(count) = usize::try_from(k) else {
        return Err(InferError::value_error(format!("k argument to top_k must be nonnegative, got {k}")));
    };
    let Some(&last) = ty.shape.last() else {
        return Err(InferError::type_error(format!("top_k operand must have >= 1 dimension, got {}", ty.shape)));
    };
    let axis = ty.shape.rank() - 1;
    if last < count {
        let shape: Vec<String> = ty.shape.iter().map(usize::to_string).collect();
        return Err(InferError::value_error(format!(
            "k argument to top_k must be no larger than size along axis; got k={k} with shape=[{}] and axis={axis}",
            shape.join(", ")
        )));
    }
    let mut shape = ty.shape.clone();
    shape[axis] = count;
    Ok(smallvec![
        Type::Tensor(TensorType { dtype: ty.dtype, shape: shape.clone(), weak: ty.weak }),
        Type::Tensor(TensorType { dtype: DType::I32, shape, weak: ty.weak }),
    ])
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&SORT, &TOP_K].into_iter()
}
