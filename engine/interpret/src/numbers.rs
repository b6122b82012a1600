//! Numbers in registers: scalar integers and flags that stand there by value.

use crate::error::RunError;
use crate::machine::{Machine, Value};
use crate::tape::{NumberOp, Source, Step};
use pallas_tensor::{Array, DType, Scalar};

/// A scalar of `int32` or `bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Integer(i32),
    Flag(bool),
}

impl Number {
    /// As a tile.
    pub(crate) fn tile(self) -> Array {
        match self {
            Number::Integer(value) => Array::scalar(DType::I32, Scalar::Int(value.into())),
            Number::Flag(value) => Array::scalar(DType::Bool, Scalar::Bool(value)),
        }
    }

    /// As an integer: 0 and 1 for flags.
    pub(crate) fn integer(self) -> i32 {
        match self {
            Number::Integer(value) => value,
            Number::Flag(value) => value.into(),
        }
    }
}

impl Value {
    /// The scalar of `int32` or `bool` that is held here, in one form or the other.
    pub(crate) fn number(&self) -> Option<Number> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Tile(tile) if tile.size() == 1 => match tile.elements::<i32>() {
                Some(&[value]) => Some(Number::Integer(value)),
                _ => tile.elements::<bool>().and_then(|flags| flags.first().copied()).map(Number::Flag),
            },
            _ => None,
        }
    }
}

impl Machine<'_> {
    /// The number in a register. Who takes a number leaves it there: nobody waits for its memory.
    pub(crate) fn number(&self, source: Source) -> Option<Number> {
        self.registers[source.register as usize].number()
    }

    /// Runs a step on numbers.
    pub(crate) fn run_number(&mut self, step: &Step, op: NumberOp) -> Result<(), RunError> {
        let malformed = || RunError::malformed("an integer scalar was expected");
        let operand = |place: usize| step.operands.get(place).and_then(|&source| self.number(source));
        let integer = |place: usize| operand(place).map(Number::integer).ok_or_else(malformed);
        let extent = |numbers: &[usize], axis: usize| match numbers.get(axis) {
            Some(&number) => Ok(Number::Integer(number as i32)),
            None => Err(RunError::malformed(format!("the grid has no axis {axis}"))),
        };
        let result = match op {
            NumberOp::ProgramId(axis) => extent(self.ids, axis)?,
            NumberOp::NumPrograms(axis) => extent(self.grid, axis)?,
            NumberOp::Binary(op) => Number::Integer(op.of_integers(integer(0)?, integer(1)?).ok_or_else(malformed)?),
            NumberOp::Compare(op) => Number::Flag(op.holds(integer(0)?, integer(1)?)),
            NumberOp::Integer => Number::Integer(integer(0)?),
            NumberOp::Flag => Number::Flag(integer(0)? != 0),
        };
        match step.results.as_slice() {
            &[register] => self.put(register, Value::Number(result)),
            _ => return Err(malformed()),
        }
        for &register in &step.drops {
            self.put(register, Value::Empty);
        }
        Ok(())
    }
}
