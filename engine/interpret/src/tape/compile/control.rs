//! Loops, branches, scopes and pipelines as steps: that what they carry fits their regions.

use super::{Captured, Compiler};
use crate::error::RunError;
use crate::tape::{Action, Block, MapBlock, PipelineStep};
use pallas_ir::function::OpData;
use pallas_ir::op::ControlOp;
use pallas_ir::{Attribute, RefType, ValueId, Window};

impl Compiler<'_> {
    pub(super) fn control(
        &mut self,
        op: &OpData,
        kind: ControlOp,
        captured: &mut Captured,
    ) -> Result<Action, RunError> {
        let mut blocks = Vec::new();
        for &region in &op.regions {
            blocks.push(self.block(region, captured)?);
        }
        let carries = |blocks: &[&Block], extra: usize, count: usize| {
            blocks.iter().all(|b| b.params.len() == count + extra) && op.results.len() == count
        };
        let operands = op.operands.len();
        let malformed = || RunError::malformed(format!("{} does not fit its regions", op.op.name));
        match kind {
            ControlOp::For => {
                let [body] = <[Block; 1]>::try_from(blocks).map_err(|_| malformed())?;
                let count = operands.checked_sub(2).ok_or_else(malformed)?;
                if !carries(&[&body], 1, count) || body.yields.len() != count {
                    return Err(malformed());
                }
                Ok(Action::For(body))
            }
            ControlOp::While => {
                let [condition, body] = <[Block; 2]>::try_from(blocks).map_err(|_| malformed())?;
                if !carries(&[&condition, &body], 0, operands)
                    || body.yields.len() != operands
                    || condition.yields.len() != 1
                {
                    return Err(malformed());
                }
                Ok(Action::While { condition, body })
            }
            ControlOp::Cond => {
                let fits = |block: &Block| block.params.is_empty() && block.yields.len() == op.results.len();
                if operands != 1 || blocks.is_empty() || !blocks.iter().all(fits) {
                    return Err(malformed());
                }
                Ok(Action::Cond(blocks))
            }
            ControlOp::Pipeline => {
                let Some(Attribute::Pipeline(pipeline)) = op.attributes.get("pipeline") else {
                    return Err(malformed());
                };
                let (axes, count) = (pipeline.grid.len(), pipeline.operands.len());
                let body = blocks.pop().ok_or_else(malformed)?;
                let fits = blocks.len() == count
                    && body.params.len() == axes + count
                    && operands == pipeline.scalars() + count
                    && blocks.iter().zip(&pipeline.operands).zip(&op.operands[operands - count..]).all(
                        |((map, operand), &source)| {
                            map.params.len() == axes
                                && map.yields.len() == operand.block.len()
                                && self.function.ty(source).shape().len() == operand.block.len()
                                && operand.window != Window::Slots { count: 0, lookahead: false }
                        },
                    );
                if !fits || !op.results.is_empty() {
                    return Err(malformed());
                }
                let maps = blocks
                    .into_iter()
                    .zip(&op.regions)
                    .map(|(block, &region)| MapBlock { block, is_pure: self.is_pure(region) })
                    .collect();
                Ok(Action::Pipeline(Box::new(PipelineStep { pipeline: pipeline.clone(), maps, body })))
            }
            // The tracer puts the body in the place of a call before anything runs.
            ControlOp::Call => Err(RunError::malformed("a call stands where its body should")),
            ControlOp::Scoped => {
                let [body] = <[Block; 1]>::try_from(blocks).map_err(|_| malformed())?;
                let allocations: Option<Vec<RefType>> =
                    body.params.iter().map(|&param| self.function.ty(ValueId(param)).as_ref_type().cloned()).collect();
                let allocations = allocations.ok_or_else(malformed)?;
                if operands != 0 || body.yields.len() != op.results.len() {
                    return Err(malformed());
                }
                Ok(Action::Scoped(body, allocations))
            }
        }
    }
}
