//! Where the program is in the grid.

use super::{Results, one};
use crate::Refusal;
use crate::lower::Lower;
use pallas_ir::op::ProgramOp;
use pallas_ir::{OpData, OpKind};

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let OpKind::Program(question) = op.op.kind else { return Ok(None) };
    let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(0);
    let tile = match question {
        ProgramOp::ProgramId => match lower.ids.get(axis).cloned() {
            Some(id) => id.tile(&mut lower.e)?,
            None => lower.e.index(0)?,
        },
        ProgramOp::NumPrograms => {
            let extent = lower.launch.grid.get(axis).copied().unwrap_or(1);
            lower.e.index(extent as i64)?
        }
    };
    Ok(one(tile))
}
