//! Where the argument of a function has what of an operand, in bytes.

use super::memory::Call;
use std::mem::offset_of;

pub(super) fn address(operand: usize) -> i64 {
    (offset_of!(Call, addresses) + operand * size_of::<usize>()) as i64
}

pub(super) fn pitch(operand: usize) -> i64 {
    (offset_of!(Call, pitches) + operand * size_of::<usize>()) as i64
}

#[cfg(target_arch = "x86_64")]
pub(super) fn step(operand: usize) -> i64 {
    (offset_of!(Call, steps) + operand * size_of::<usize>()) as i64
}

pub(super) fn ahead(operand: usize) -> i64 {
    (offset_of!(Call, ahead) + operand * size_of::<usize>()) as i64
}
