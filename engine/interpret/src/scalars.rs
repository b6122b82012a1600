//! Numbers in registers as chains read them: elements in memory, one for each operand, that are there for the next chain as well.

use crate::numbers::Number;
use pallas_tensor::Buffer;

/// One element of each type of number for each operand of a chain.
#[derive(Debug, Default)]
pub(crate) struct Scalars([Vec<Buffer>; 3]);

impl Scalars {
    /// Has an element be the number that an operand is.
    pub(crate) fn hold(&mut self, operand: usize, number: Number) {
        let elements = &mut self.0[kind(number)];
        while elements.len() <= operand {
            elements.push(match number {
                Number::Integer(_) => Buffer::I32(vec![0]),
                Number::Flag(_) => Buffer::Bool(vec![false]),
                Number::Float(_) => Buffer::F32(vec![0.0]),
            });
        }
        match (&mut elements[operand], number) {
            (Buffer::I32(element), Number::Integer(value)) => element.fill(value),
            (Buffer::Bool(element), Number::Flag(value)) => element.fill(value),
            (Buffer::F32(element), Number::Float(value)) => element.fill(value),
            _ => {}
        }
    }

    /// The element that was last held for an operand.
    pub(crate) fn element(&self, operand: usize, number: Number) -> Option<&Buffer> {
        self.0[kind(number)].get(operand)
    }
}

/// Which of the types it has.
fn kind(number: Number) -> usize {
    match number {
        Number::Integer(_) => 0,
        Number::Flag(_) => 1,
        Number::Float(_) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operand_has_the_number_that_was_held_last() {
        let mut scalars = Scalars::default();
        for (operand, number) in [(2, Number::Integer(7)), (0, Number::Float(1.5)), (2, Number::Flag(true))] {
            assert!(scalars.element(operand, number).is_none());
            scalars.hold(operand, number);
        }
        scalars.hold(2, Number::Integer(-1));
        let held = |operand, number| scalars.element(operand, number).cloned();
        assert_eq!(held(2, Number::Integer(0)), Some(Buffer::I32(vec![-1])));
        assert_eq!(held(2, Number::Flag(false)), Some(Buffer::Bool(vec![true])));
        assert_eq!(held(0, Number::Float(0.0)), Some(Buffer::F32(vec![1.5])));
    }
}
