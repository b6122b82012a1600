//! Whether two values of a function are certainly the same, or two Refs the same memory: made by the same pure ops, or the same
//! views, of the same. What was read from memory is only like itself.

use pallas_ir::op::MemoryOp;
use pallas_ir::{Function, OpKind, ValueId};

/// Ops that are looked through.
const DEEPEST: usize = 16;

/// Whether two values are the same whenever both are computed in one round of the loops around them.
pub(crate) fn alike(function: &Function, left: ValueId, right: ValueId) -> bool {
    is_alike(function, left, right, DEEPEST)
}

fn is_alike(function: &Function, left: ValueId, right: ValueId, deep: usize) -> bool {
    if left == right {
        return true;
    }
    let (Some(one), Some(other)) = (function.definition(left), function.definition(right)) else { return false };
    let (one, other) = (function.op(one), function.op(other));
    let is_pure = matches!(one.op.kind, OpKind::Pure { .. } | OpKind::Program(_) | OpKind::Memory(MemoryOp::View));
    is_pure
        && deep > 0
        && one.op == other.op
        && one.attributes == other.attributes
        && one.operands.len() == other.operands.len()
        && one.results.iter().position(|&result| result == left) == other.results.iter().position(|&r| r == right)
        && one.operands.iter().zip(&other.operands).all(|(&one, &other)| is_alike(function, one, other, deep - 1))
}
