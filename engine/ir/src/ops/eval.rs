//! Pieces of evaluations that families share. Nothing here computes: that is `pallas_tensor::ops`.

use crate::op::EvalError;
use pallas_tensor::{Array, OpError};
use smallvec::{SmallVec, smallvec};

/// What an evaluation gives.
pub(super) type Results = Result<SmallVec<[Array; 1]>, EvalError>;
/// What an evaluation takes.
pub(super) type Operands = SmallVec<[Array; 4]>;

/// The operands by number; an error if there are more or fewer.
pub(super) fn take<const N: usize>(operands: Operands) -> Result<[Array; N], EvalError> {
    let found = operands.len();
    <[Array; N]>::try_from(operands.into_vec()).map_err(|_| EvalError::new(format!("takes {N} operands, got {found}")))
}

/// One result, or the tensor crate's refusal.
pub(super) fn one(result: Result<Array, OpError>) -> Results {
    Ok(smallvec![result?])
}

/// A required attribute, or the error that says which is missing.
pub(super) fn attribute<T>(value: Option<T>, name: &str) -> Result<T, EvalError> {
    value.ok_or_else(|| EvalError::new(format!("the attribute {name} is missing")))
}

/// Non-negative integers; type rules have refused negative ones.
pub(super) fn sizes(values: Option<&[i64]>, name: &str) -> Result<SmallVec<[usize; 6]>, EvalError> {
    attribute(values, name)?
        .iter()
        .map(|&value| {
            usize::try_from(value)
                .map_err(|_| EvalError::new(format!("the attribute {name} holds the negative {value}")))
        })
        .collect()
}
