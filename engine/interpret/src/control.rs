//! Loops, branches and scoped allocations.

use crate::error::RunError;
use crate::fresh;
use crate::hooks::Unmatched;
use crate::machine::{Machine, Value};
use crate::memory::View;
use crate::numbers::Number;
use crate::semaphores::Leftover;
use crate::tape::{Block, Step};
use pallas_ir::{Interpretation, RefType};
use pallas_tensor::{Array, DType, Scalar};
use smallvec::SmallVec;

type Values = SmallVec<[Value; 1]>;

impl Machine<'_> {
    fn operands(&mut self, step: &Step, skip: usize) -> Result<Values, RunError> {
        step.operands.iter().skip(skip).map(|&source| self.take(source)).collect()
    }

    pub(crate) fn run_for(&mut self, step: &Step, body: &Block) -> Result<Values, RunError> {
        // The compiler has checked that there are two bounds, and as many parameters as carries and one.
        let lower = self.tile(step.operands[0])?;
        let dtype = lower.dtype();
        let lower = scalar(&lower)?;
        let upper = self.integer(step.operands[1])?;
        let mut carries = self.operands(step, 2)?;
        let mut counter = lower;
        while counter < upper {
            self.poll()?;
            let number = match i32::try_from(counter) {
                Ok(counter) if dtype == DType::I32 => Value::Number(Number::Integer(counter)),
                _ => Value::Tile(Array::scalar(dtype, Scalar::Int(counter.into()))),
            };
            self.enter(body, std::iter::once(number).chain(carries));
            self.run(body)?;
            carries = self.yields(body)?.into_iter().collect();
            counter += 1;
        }
        Ok(carries)
    }

    pub(crate) fn run_while(&mut self, step: &Step, condition: &Block, body: &Block) -> Result<Values, RunError> {
        let mut carries = self.operands(step, 0)?;
        loop {
            self.poll()?;
            self.enter(condition, carries.iter().cloned());
            self.run(condition)?;
            let flag = self.tile(condition.yields[0])?;
            let flag = flag.item().and_then(Scalar::as_bool);
            if !flag.ok_or_else(|| RunError::malformed("a condition is not a bool scalar"))? {
                return Ok(carries);
            }
            // What the condition kept of the carries would make the body copy them.
            self.enter(condition, carries.iter().map(|_| Value::Empty));
            self.enter(body, carries);
            self.run(body)?;
            carries = self.yields(body)?.into_iter().collect();
        }
    }

    pub(crate) fn run_cond(&mut self, step: &Step, branches: &[Block]) -> Result<Values, RunError> {
        let which = match self.number(step.operands[0]).and_then(Number::integer) {
            Some(number) => number.into(),
            None => scalar(&self.tile(step.operands[0])?)?,
        };
        let which = which.clamp(0, branches.len() as i64 - 1) as usize;
        let branch = &branches[which];
        self.run(branch)?;
        Ok(self.yields(branch)?.into_iter().collect())
    }

    /// Ends the life of the buffers from `first` on; what is left on their semaphores is reported.
    pub(crate) fn leave_scope(&mut self, first: usize) {
        self.report_left_over(first);
        self.memory.last_signals.retain(|place, _| place.buffer < first);
        self.memory.buffers.truncate(first);
        self.memory.forget_from(first);
    }

    /// Tells the hooks of copies that were not carried out, and of semaphores above zero, in buffers from `first` on.
    pub(crate) fn report_left_over(&mut self, first: usize) {
        let mut left = self.memory.drop_copies(first);
        left.extend(self.memory.left_over(first));
        for (_, Leftover { name, location, is_copy, count }) in left {
            let kind = if is_copy { Unmatched::CopyLeft } else { Unmatched::Left };
            self.report_unmatched(&name, location, kind, count, 0);
        }
    }

    pub(crate) fn run_scoped(&mut self, body: &Block, allocations: &[RefType]) -> Result<Values, RunError> {
        let first = self.memory.buffers.len();
        for (&param, ty) in body.params.iter().zip(allocations) {
            let buffer = self.memory.add(allocate(ty, self.interpretation)?);
            self.memory.declare(buffer, self.tape.name(param), ty);
            self.put(param, Value::reference(View::whole(buffer, &ty.shape)));
        }
        self.run(body)?;
        let values = self.yields(body)?.into_iter().collect();
        self.leave_scope(first);
        Ok(values)
    }
}

/// What a Ref holds at first: nothing in particular; semaphores are 0.
pub(crate) fn allocate(ty: &RefType, interpretation: Interpretation) -> Result<Array, RunError> {
    Ok(match ty.space.is_semaphore() {
        true => Array::zeros(ty.dtype, ty.shape.clone())?,
        false => fresh(ty.dtype, ty.shape.clone(), interpretation)?,
    })
}

fn scalar(array: &Array) -> Result<i64, RunError> {
    array
        .item()
        .and_then(Scalar::as_int)
        .and_then(|value| i64::try_from(value).ok())
        .ok_or_else(|| RunError::malformed("an integer scalar was expected"))
}
