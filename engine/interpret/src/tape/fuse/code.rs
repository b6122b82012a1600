//! Which ops are operations of chains.

use super::Known;
use pallas_ir::{Op, OpId, OpKind, ops};
use pallas_tensor::ops::fused::{ChainBuilder, Code};
use pallas_tensor::ops::{BinaryOp, CompareOp, ReduceOp, UnaryOp};

/// What an op is in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lowered {
    /// One operation of the op's operands.
    One(Code),
    /// A maximum and a minimum, of operands low, x, high.
    Clamp,
}

/// The operation that an op is, if its operands and its result have the types of one.
pub(super) fn lowered(known: &Known<'_>, id: OpId) -> Option<Lowered> {
    let op = known.function.op(id);
    if !matches!(op.op.kind, OpKind::Pure { .. }) {
        return None;
    }
    let [result] = op.results.as_slice() else { return None };
    let result = known.tensor(*result)?;
    let reads = known.reads(id);
    let types: Option<Vec<_>> = reads.iter().map(|&value| known.tensor(value)).collect();
    let types = types?;
    let alike = |ty: &&&pallas_ir::TensorType| ty.shape == result.shape || ty.shape.size() == 1;
    // What has one element is not worth a chain.
    let fits = result.shape.checked_size().is_some_and(|size| size > 1)
        && types.iter().filter(alike).count() == types.len()
        && types.iter().map(|ty| ty.dtype).chain([result.dtype]).all(ChainBuilder::takes);
    if !fits {
        return None;
    }
    if let Some(contraction) = known.contractions.get(&id) {
        return Some(Lowered::One(Code::MultiplyAdd { form: contraction.form, divides: contraction.divides }));
    }
    if known.reciprocals.contains(&id) {
        return Some(Lowered::One(Code::ByReciprocal));
    }
    if op.op == Op(&ops::CLAMP) {
        return Some(Lowered::Clamp);
    }
    let dtype = types.first()?.dtype;
    let code = if op.op == Op(&ops::SELECT_N) {
        (types.len() == 3 && dtype == pallas_tensor::DType::Bool).then_some(Code::Select)?
    } else if op.op == Op(&ops::CONVERT_ELEMENT_TYPE) {
        Code::Convert
    } else if op.op == Op(&ops::INTEGER_POW) {
        Code::IntegerPow(op.attributes.int("y").and_then(|y| i32::try_from(y).ok())?)
    } else if op.op == Op(&ops::ROUND) {
        Code::Unary(match op.attributes.int("rounding") {
            Some(1) => UnaryOp::RoundEven,
            _ => UnaryOp::Round,
        })
    } else if op.op == Op(&ops::POW) {
        (types.get(1)?.dtype == dtype).then_some(Code::Binary(BinaryOp::Pow))?
    } else {
        by_name(op.op.name)?
    };
    Some(Lowered::One(code))
}

/// The operations that have their op's name and no attributes.
fn by_name(name: &str) -> Option<Code> {
    let unary = UnaryOp::all().find(|op| op.name() == name).map(Code::Unary);
    let binary = || BinaryOp::all().find(|op| op.name() == name).map(Code::Binary);
    let compare = || CompareOp::all().find(|op| op.name() == name).map(Code::Compare);
    unary.or_else(binary).or_else(compare)
}

/// The reductions that take rows as they are computed.
pub(super) fn reduction(name: &str) -> Option<ReduceOp> {
    [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min].into_iter().find(|op| op.name() == name)
}
