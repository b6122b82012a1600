//! Blocks that take the work of others which have not begun (`plgpu.try_cluster_cancel`). Blackwell and later devices answer; on others,
//! and where the kernel is interpreted, every block takes its own, and none is left to be given away.

use super::context::Lower;
use super::number::Number;
use crate::Refusal;
use crate::ir::{Op, Ty, Value};
use pallas_ir::{OpData, ops};
use pallas_tensor::{DType, Scalar};

/// The first compute capability whose devices answer.
const ANSWERS: u32 = 100;

impl Lower<'_> {
    /// Asks: once for a cluster. All teams of all its blocks come here, and arrive.
    pub(crate) fn lower_claim(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (phases, which) = self.phases(op.operands[1])?;
        if self.deal.capability >= ANSWERS {
            let view = self.reference(op.operands[0])?;
            let at = self.begin_of(&view).value(&mut self.b);
            let memory = view.memory;
            self.b.align(memory, Op::CLAIM);
            let team = if self.b.kernel().teams > 1 { Number::Computed(self.b.team()) } else { Number::Known(0) };
            let blocks = i64::from(self.b.kernel().cluster);
            let rank = match blocks {
                1 => Number::Known(0),
                blocks => {
                    let block = Number::Computed(self.b.block());
                    super::number::binary(&mut self.b, &ops::REM, block, Number::Known(blocks))
                }
            };
            self.b.open(&[]);
            self.b.add(Op::Expect { phases, bytes: Op::CLAIM }, &[which], &[], Vec::new());
            let asks = self.leads(rank);
            self.b.open(&[]);
            self.b.add(Op::Claim { memory, phases }, &[at, which], &[], Vec::new());
            let claim = self.b.close(Vec::new());
            self.b.add(Op::Switch, &[asks], &[], vec![Default::default(), claim]);
            let expects = self.b.close(Vec::new());
            let first = self.leads(team);
            self.b.add(Op::Switch, &[first], &[], vec![Default::default(), expects]);
        }
        self.b.add(Op::Arrive { phases, alone: true, across: false }, &[which], &[], Vec::new());
        Ok(())
    }

    /// The ids of the program whose work it is now, and whether there was one.
    pub(crate) fn lower_claimed(&mut self, op: &OpData) -> Result<(), Refusal> {
        let axes = op.attributes.ints("axes").unwrap_or_default().to_vec();
        let claimed = match self.deal.capability >= ANSWERS {
            true => {
                let view = self.reference(op.operands[0])?;
                let at = self.begin_of(&view).value(&mut self.b);
                let types = [Ty { dtype: DType::I32, regs: 1 }, Ty { dtype: DType::Bool, regs: 1 }];
                let claimed = self.b.add(Op::Claimed(view.memory), &[at], &types, Vec::new());
                let plan = super::grid::plan(self.launch);
                Some((self.ids_of(&plan, Number::Computed(claimed[0])), claimed[1]))
            }
            false => None,
        };
        for (&axis, &result) in axes.iter().zip(&op.results) {
            let id = |ids: &[Number]| {
                let id = usize::try_from(axis).ok().and_then(|axis| ids.get(axis).copied());
                id.unwrap_or(Number::Known(0))
            };
            let own = id(&self.ids).value(&mut self.b);
            let value = match &claimed {
                Some((ids, found)) => {
                    let other = id(ids).value(&mut self.b);
                    self.b.select(*found, other, own)
                }
                None => own,
            };
            self.set_value(result, value);
        }
        if let Some(&found) = op.results.get(axes.len()) {
            let value: Value = match claimed {
                Some((_, found)) => found,
                None => self.b.constant(DType::Bool, Scalar::Bool(false), 1),
            };
            self.set_value(found, value);
        }
        Ok(())
    }
}
