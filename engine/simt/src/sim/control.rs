//! Loops and branches in the simulator: frames that begin and end.

use super::world::{Frame, World};
use super::{Fault, fault};
use crate::ir::{Inst, Op, Value};
use pallas_tensor::{Array, Scalar};

/// What becomes of a region at its end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Then<'k> {
    /// The team has ended.
    End,
    /// A branch: it gives results.
    Branch(&'k Inst),
    /// A round of a loop with this number, and the bound.
    Round(&'k Inst, i64, i64),
    /// The condition of a loop.
    Condition(&'k Inst),
    /// The body of that loop.
    Body(&'k Inst),
}

impl<'k> World<'k> {
    /// Begins with a loop or branch.
    pub(super) fn enter(&mut self, inst: &'k Inst) -> Result<(), Fault> {
        match inst.op {
            Op::For => {
                let body = inst.regions.first().ok_or_else(|| fault("a loop without a body".to_string()))?;
                let (lower, upper) = (self.uniform(inst.operands[0])?, self.uniform(inst.operands[1])?);
                self.copy(&body.params[1..], &inst.operands[2..])?;
                self.round(inst, lower, upper)
            }
            Op::While => {
                let [condition, _] = inst.regions.as_slice() else {
                    return Err(fault("a loop without a condition".to_string()));
                };
                self.copy(&condition.params, &inst.operands)?;
                self.begin(inst, 0, Then::Condition(inst))
            }
            _ => {
                let which = usize::try_from(self.uniform(inst.operands[0])?).ok();
                let which = which.filter(|&which| which < inst.regions.len());
                let which = which.ok_or_else(|| fault("a branch that is not there".to_string()))?;
                self.begin(inst, which, Then::Branch(inst))
            }
        }
    }

    /// The region is over: what comes next.
    pub(super) fn leave(&mut self) -> Result<(), Fault> {
        let Some(Frame { region, then, .. }) = self.agents[self.turn].frames.pop() else { return Ok(()) };
        match then {
            Then::End => Ok(()),
            Then::Branch(inst) => self.copy(&inst.results, &region.yields),
            Then::Round(inst, number, upper) => {
                self.copy(&region.params[1..], &region.yields)?;
                self.round(inst, number + 1, upper)
            }
            Then::Condition(inst) => {
                let go_on = region.yields.first().map_or(Ok(0), |&value| self.uniform(value))?;
                if go_on == 0 {
                    return self.copy(&inst.results, &region.params);
                }
                self.copy(&inst.regions[1].params, &region.params)?;
                self.begin(inst, 1, Then::Body(inst))
            }
            Then::Body(inst) => {
                self.copy(&inst.regions[0].params, &region.yields)?;
                self.begin(inst, 0, Then::Condition(inst))
            }
        }
    }

    /// A round, or the end of the loop.
    fn round(&mut self, inst: &'k Inst, number: i64, upper: i64) -> Result<(), Fault> {
        let body = &inst.regions[0];
        if number >= upper {
            return self.copy(&inst.results, &body.params[1..]);
        }
        let counter = body.params[0];
        let dtype = self.kernel.ty(counter).dtype;
        self.put(counter, Array::full(dtype, [self.len(counter)].as_slice(), Scalar::Int(number.into()))?);
        self.begin(inst, 0, Then::Round(inst, number, upper))
    }

    fn begin(&mut self, inst: &'k Inst, region: usize, then: Then<'k>) -> Result<(), Fault> {
        self.fuel = self.fuel.checked_sub(1).ok_or_else(|| fault("the kernel takes too long".to_string()))?;
        self.agents[self.turn].frames.push(Frame { region: &inst.regions[region], next: 0, then });
        Ok(())
    }

    /// Values become others, all at once.
    fn copy(&mut self, to: &[Value], from: &[Value]) -> Result<(), Fault> {
        let arrays = from.iter().map(|&value| self.get(value)).collect::<Result<Vec<_>, Fault>>()?;
        for (&value, array) in to.iter().zip(arrays) {
            self.put(value, array);
        }
        Ok(())
    }
}
