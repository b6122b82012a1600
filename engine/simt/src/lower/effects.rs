//! Questions to the grid, and prints.

use super::context::Lower;
use super::number::Number;
use crate::Refusal;
use crate::ir::Op;
use pallas_ir::op::ProgramOp;
use pallas_ir::{OpData, print_fields};

impl Lower<'_> {
    pub(crate) fn lower_program(&mut self, op: &OpData, question: ProgramOp) -> Result<(), Refusal> {
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(usize::MAX);
        let number = match question {
            ProgramOp::ProgramId => self.ids.get(axis).copied(),
            ProgramOp::NumPrograms => self.grid.get(axis).map(|&extent| Number::Known(extent as i64)),
        };
        let number = number.ok_or_else(|| self.refuse_because(op, "asks for an axis that the grid does not have"))?;
        let value = number.value(&mut self.b);
        self.set(op, value);
        Ok(())
    }

    /// Scalars only: the elements of a tile are with many threads.
    pub(crate) fn lower_print(&mut self, op: &OpData) -> Result<(), Refusal> {
        let format = op.attributes.str("format").unwrap_or_default().to_string();
        let mut operands = Vec::new();
        for &operand in &op.operands {
            let tile = self.held(operand)?;
            if tile.shape.iter().product::<usize>() != 1 {
                return Err(self.refuse_because(op, "of a tile is not lowered yet, only of scalars"));
            }
            operands.push(tile.value);
        }
        let (pieces, order) = print_fields(&format, operands.len());
        let operands: Vec<_> = order.into_iter().map(|number| operands[number]).collect();
        self.b.add(Op::Print(pieces), &operands, &[], Vec::new());
        Ok(())
    }
}
