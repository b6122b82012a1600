//! Whether a value of a kernel is the same in every program of the grid: it is made of constants, and of what blocks hold that
//! do not move. A proof, not a guess: what is not understood may differ.

use crate::block_map::BlockMap;
use crate::function::{Function, ValueId};
use crate::launch::{Operand, Role};
use crate::op::{MemoryOp, OpKind, ProgramOp};
use std::collections::HashSet;

/// Whether `value` is surely the same in all programs of a grid of `axes` axes.
pub fn same_in_all_programs(function: &Function, operands: &[Operand], axes: usize, value: ValueId) -> bool {
    let mut seen = HashSet::new();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        if !seen.insert(value) {
            continue;
        }
        let Some(op) = function.definition(value).map(|op| function.op(op)) else { return false };
        match &op.op.kind {
            OpKind::Pure { .. } => todo.extend(op.operands.iter().copied()),
            OpKind::Program(ProgramOp::NumPrograms) => {}
            OpKind::Memory(MemoryOp::Load) => {
                let [reference, index @ ..] = &op.operands[..] else { return false };
                let number = function.params().iter().position(|param| param == reference);
                let stays = number.and_then(|number| operands.get(number)).is_some_and(|operand| {
                    operand.role != Role::Output && moved_by(operand, axes).is_some_and(|axes| axes.is_empty())
                });
                if !stays {
                    return false;
                }
                todo.extend(index.iter().copied());
            }
            _ => return false,
        }
    }
    true
}

/// The grid axes that an operand's block follows; `None` where that is not known.
pub fn moved_by(operand: &Operand, axes: usize) -> Option<Vec<usize>> {
    let map = BlockMap::new(operand, axes);
    let mut moved = Vec::new();
    for axis in 0..axes {
        if map.depends_on(axis)? {
            moved.push(axis);
        }
    }
    Some(moved)
}
