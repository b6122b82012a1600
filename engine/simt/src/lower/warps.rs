//! Warps of a warpgroup with roles of their own (`plgpu.WarpMesh`): a loop over them whose rounds run at the same time. What a warp does
//! by itself is scalar: it starts copies and products, arrives and waits.

use super::context::Lower;
use super::number::Number;
use crate::Refusal;
use crate::ir::{Op, Ty, WARP};
use pallas_ir::op::AgentOp;
use pallas_ir::{OpData, OpKind, Type};
use pallas_tensor::DType;

impl Lower<'_> {
    pub(crate) fn lower_warps(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (lower, upper) = (self.number(op.operands[0])?, self.number(op.operands[1])?);
        let warps = i64::from(self.b.kernel().threads / WARP);
        let whole = lower == Number::Known(0) && upper == Number::Known(warps);
        if !self.has_teams || self.teams.in_warp || !whole || !op.results.is_empty() {
            return Err(self.refuse_because(op, "over agents is lowered for the four warps of a warpgroup only"));
        }
        let params = self.function.region(op.regions[0]).params.clone();
        let values = self.b.open(&[Ty { dtype: DType::I32, regs: 1 }]);
        for (&param, &value) in params.iter().zip(&values) {
            self.set_value(param, value);
        }
        self.teams.in_warp = true;
        let lowered = self.region(op.regions[0]);
        self.teams.in_warp = false;
        if self.function.ops.iter().any(|op| matches!(op.op.kind, OpKind::Agent(AgentOp::CopyOut))) {
            // Who sent boxes has to wait for them.
            self.b.add(Op::WaitSent { pending: 0, read: true }, &[], &[], Vec::new());
        }
        let body = self.b.close(Vec::new());
        lowered?;
        self.b.add(Op::Warps, &[], &[], vec![body]);
        Ok(())
    }

    /// That an op is nothing which takes all threads of a warpgroup, where a warp does it.
    pub(crate) fn fits_in_warp(&self, op: &OpData) -> Result<(), Refusal> {
        if !self.teams.in_warp {
            return Ok(());
        }
        let is_tile = |ty: &Type| matches!(ty, Type::Tensor(ty) if ty.shape.size() != 1);
        let mut types = op.operands.iter().chain(&op.results).map(|&value| self.function.ty(value));
        let takes_all = matches!(op.op.kind, OpKind::Agent(AgentOp::Product | AgentOp::ProductWait));
        match takes_all || types.any(is_tile) {
            true => Err(self.refuse_because(op, "of tiles takes a whole warpgroup, and a warp does it")),
            false => Ok(()),
        }
    }
}
