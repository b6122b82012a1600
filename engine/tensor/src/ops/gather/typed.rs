//! Updates of elements where they lie, for the dtypes that are computed at their own width; `counted` has sums of the usual ones.

use super::Position;
use super::counted::in_order;
use crate::buffer::Buffer;
use crate::ops::BinaryOp;
use crate::ops::number::{Float, Integer};

/// Combines the element at each position with its update, or one update with all of them; positions outside are skipped. False, and
/// nothing done, for other dtypes and operations.
pub(super) fn combine<P: Position>(
    op: BinaryOp,
    target: &mut Buffer,
    (positions, wraps): (&[P], bool),
    updates: &Buffer,
) -> bool {
    macro_rules! each {
        ($known:ident, $($kind:ident)*) => {
            match (target, updates) {
                $((Buffer::$kind(target), Buffer::$kind(updates)) => match $known(op) {
                    Some(combine) => in_order(target, positions, wraps, updates, combine),
                    None => return false,
                },)*
                _ => return false,
            }
        };
    }
    match target {
        Buffer::F32(_) | Buffer::F64(_) => each!(of_floats, F32 F64),
        _ => each!(of_integers, I8 I16 I32 I64 U16 U32 U64),
    }
    true
}

fn of_integers<T: Integer>(op: BinaryOp) -> Option<fn(T, T) -> T> {
    Some(match op {
        BinaryOp::Add => T::add,
        BinaryOp::Sub => T::sub,
        BinaryOp::Mul => T::mul,
        BinaryOp::Max => T::max,
        BinaryOp::Min => T::min,
        BinaryOp::And => T::and,
        BinaryOp::Or => T::or,
        BinaryOp::Xor => T::xor,
        _ => return None,
    })
}

fn of_floats<T: Float>(op: BinaryOp) -> Option<fn(T, T) -> T> {
    Some(match op {
        BinaryOp::Add => T::add,
        BinaryOp::Sub => T::sub,
        BinaryOp::Mul => T::mul,
        BinaryOp::Max => T::maximum,
        BinaryOp::Min => T::minimum,
        _ => return None,
    })
}
