//! Numbers in registers: scalar integers and flags that stand there by value.

use crate::error::RunError;
use crate::machine::{Machine, Value};
use crate::tape::{NumberOp, Source, Step};
use pallas_tensor::{Array, Buffer, DType, Scalar, Shape};

/// A scalar of `int32`, `bool` or `float32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i32),
    Flag(bool),
    Float(f32),
}

impl Number {
    /// As a tile.
    pub(crate) fn tile(self) -> Array {
        match self {
            Number::Integer(value) => Array::scalar(DType::I32, Scalar::Int(value.into())),
            Number::Flag(value) => Array::scalar(DType::Bool, Scalar::Bool(value)),
            // The bits, also of what is no number.
            Number::Float(value) => Array::from_f32s(Shape::scalar(), &[value])
                .unwrap_or_else(|_| Array::scalar(DType::F32, Scalar::Float(value.into()))),
        }
    }

    /// The element of a buffer, if it is of such a type.
    pub(crate) fn at(buffer: &Buffer, place: usize) -> Option<Number> {
        match buffer {
            Buffer::I32(elements) => elements.get(place).copied().map(Number::Integer),
            Buffer::Bool(elements) => elements.get(place).copied().map(Number::Flag),
            Buffer::F32(elements) => elements.get(place).copied().map(Number::Float),
            _ => None,
        }
    }

    /// As an integer: 0 and 1 for flags.
    pub(crate) fn integer(self) -> Option<i32> {
        match self {
            Number::Integer(value) => Some(value),
            Number::Flag(value) => Some(value.into()),
            Number::Float(_) => None,
        }
    }

    fn float(self) -> Option<f32> {
        match self {
            Number::Float(value) => Some(value),
            Number::Integer(_) | Number::Flag(_) => None,
        }
    }

    pub(crate) fn dtype(self) -> DType {
        match self {
            Number::Integer(_) => DType::I32,
            Number::Flag(_) => DType::Bool,
            Number::Float(_) => DType::F32,
        }
    }
}

impl Value {
    /// The scalar that is held here, in one form or the other.
    pub(crate) fn number(&self) -> Option<Number> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Tile(tile) if tile.size() == 1 => Number::at(tile.buffer(), 0),
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
        let operand = |place: usize| step.operands.get(place).and_then(|&source| self.number(source));
        let result = op.of((self.ids, self.grid), operand)?;
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

fn malformed() -> RunError {
    RunError::malformed("a scalar of another type was expected")
}

impl NumberOp {
    /// What it gives of its operands, in a program of a grid.
    #[inline]
    pub(crate) fn of(
        self,
        (ids, grid): (&[usize], &[usize]),
        operand: impl Fn(usize) -> Option<Number>,
    ) -> Result<Number, RunError> {
        let integer = |place: usize| operand(place).and_then(Number::integer).ok_or_else(malformed);
        let float = |place: usize| operand(place).and_then(Number::float).ok_or_else(malformed);
        let extent = |numbers: &[usize], axis: usize| match numbers.get(axis) {
            Some(&number) => Ok(Number::Integer(number as i32)),
            None => Err(RunError::malformed(format!("the grid has no axis {axis}"))),
        };
        Ok(match self {
            NumberOp::ProgramId(axis) => extent(ids, axis)?,
            NumberOp::NumPrograms(axis) => extent(grid, axis)?,
            NumberOp::Binary(op) => Number::Integer(op.of_integers(integer(0)?, integer(1)?).ok_or_else(malformed)?),
            NumberOp::Flags(op) => Number::Flag(op.of_flags(integer(0)? != 0, integer(1)? != 0).ok_or_else(malformed)?),
            NumberOp::Compare(op) => Number::Flag(op.holds(integer(0)?, integer(1)?)),
            NumberOp::Sign => Number::Integer(integer(0)?.signum()),
            NumberOp::Select(dtype) => {
                let chosen = operand(if integer(0)? != 0 { 2 } else { 1 });
                chosen.filter(|chosen| chosen.dtype() == dtype).ok_or_else(malformed)?
            }
            NumberOp::Float(op) => Number::Float(op.of_floats(float(0)?, float(1)?).ok_or_else(malformed)?),
            NumberOp::MultiplyAdd { form, divides } => {
                Number::Float(form.of_floats([float(0)?, float(1)?, float(2)?], divides))
            }
            NumberOp::Integer => Number::Integer(integer(0)?),
            NumberOp::Flag => Number::Flag(integer(0)? != 0),
        })
    }

    /// The dtype of what it gives.
    pub(crate) fn dtype(self) -> DType {
        match self {
            NumberOp::ProgramId(_) | NumberOp::NumPrograms(_) => DType::I32,
            NumberOp::Binary(_) | NumberOp::Sign | NumberOp::Integer => DType::I32,
            NumberOp::Flags(_) | NumberOp::Compare(_) | NumberOp::Flag => DType::Bool,
            NumberOp::Select(dtype) => dtype,
            NumberOp::Float(_) | NumberOp::MultiplyAdd { .. } => DType::F32,
        }
    }
}
