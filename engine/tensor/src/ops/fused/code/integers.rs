//! Quotients, remainders, signs and powers of integers, for which processors have no instruction over lanes.
//!
//! A quotient is estimated with floats, from below: what is left then is divided once more, and at most one is missing after that.

use super::graph::{Id, Op, Relation};
use super::translate::Translator;
use crate::dtype::DType;
use crate::ops::unary;
use std::cell::RefCell;

/// `1 - 2^-21`: more than the four roundings of an estimate, of `2^-24` each, can add.
const BELOW: f32 = 1.0 - 1.0 / 2_097_152.0;

impl Translator {
    /// Truncates; all ones where the divisor is zero.
    pub(super) fn quotient(&mut self, dtype: DType, x: Id, y: Id) -> Id {
        let quotient = match dtype {
            DType::I32 => {
                let (signs, sizes) = self.signs_and_sizes(x, y);
                let (quotient, _) = self.divided(sizes);
                let sign = self.value(Op::Xor, &signs);
                self.signed(quotient, sign)
            }
            _ => self.divided([x, y]).0,
        };
        let ones = self.constant(u32::MAX);
        self.unless_zero(y, quotient, ones)
    }

    /// With the sign of the dividend, which it is where the divisor is zero.
    pub(super) fn remainder(&mut self, dtype: DType, x: Id, y: Id) -> Id {
        let remainder = match dtype {
            DType::I32 => {
                let ([sign, _], sizes) = self.signs_and_sizes(x, y);
                let (_, remainder) = self.divided(sizes);
                self.signed(remainder, sign)
            }
            _ => self.divided([x, y]).1,
        };
        self.unless_zero(y, remainder, x)
    }

    /// -1, 0 or 1.
    pub(super) fn sign(&mut self, dtype: DType, x: Id) -> Id {
        if dtype == DType::U32 {
            let one = self.constant(1);
            return self.value(Op::LeastUnsigned, &[x, one]);
        }
        let zero = self.constant(0);
        let negative = self.sign_of(x);
        let opposite = self.value(Op::SubInteger, &[zero, x]);
        let positive = self.value(Op::ShiftRight(31), &[opposite]);
        self.value(Op::Or, &[negative, positive])
    }

    /// Products in the order of the loops. The exponent is not zero.
    pub(super) fn integer_power(&mut self, exponent: u32, x: Id) -> Id {
        let one = self.constant(1);
        let this = RefCell::new(self);
        unary::power(x, exponent, one, |x, y| this.borrow_mut().value(Op::MulInteger, &[x, y]))
    }

    /// The quotient and the remainder of numbers without signs.
    fn divided(&mut self, [x, y]: [Id; 2]) -> (Id, Id) {
        let divisor = self.value(Op::FromUnsigned, &[y]);
        let below = self.constant(BELOW.to_bits());
        let (mut quotient, mut rest) = (None, x);
        for _ in 0..2 {
            let number = self.value(Op::FromUnsigned, &[rest]);
            let number = self.value(Op::Mul, &[number, below]);
            let number = self.value(Op::Div, &[number, divisor]);
            let estimate = self.value(Op::ToUnsigned, &[number]);
            let product = self.value(Op::MulInteger, &[estimate, y]);
            rest = self.value(Op::SubInteger, &[rest, product]);
            quotient = Some(match quotient {
                Some(quotient) => self.value(Op::AddInteger, &[quotient, estimate]),
                None => estimate,
            });
        }
        let (quotient, one) = (quotient.unwrap_or(x), self.constant(1));
        let is_missing = self.value(Op::CompareUnsigned(Relation::AtLeast), &[rest, y]);
        let (more, less) = (self.value(Op::AddInteger, &[quotient, one]), self.value(Op::SubInteger, &[rest, y]));
        let quotient = self.value(Op::Choose, &[is_missing, more, quotient]);
        (quotient, self.value(Op::Choose, &[is_missing, less, rest]))
    }

    /// All ones where a number is negative, else zero.
    fn sign_of(&mut self, x: Id) -> Id {
        let places = self.constant(31);
        self.value(Op::ShiftSignBy, &[x, places])
    }

    fn signs_and_sizes(&mut self, x: Id, y: Id) -> ([Id; 2], [Id; 2]) {
        ([x, y].map(|number| self.sign_of(number)), [x, y].map(|number| self.value(Op::AbsSigned, &[number])))
    }

    /// The negative of a number where there is a sign.
    fn signed(&mut self, size: Id, sign: Id) -> Id {
        let turned = self.value(Op::Xor, &[size, sign]);
        self.value(Op::SubInteger, &[turned, sign])
    }

    fn unless_zero(&mut self, y: Id, result: Id, otherwise: Id) -> Id {
        let zero = self.constant(0);
        let is_zero = self.value(Op::CompareSigned(Relation::Equal), &[y, zero]);
        self.value(Op::Choose, &[is_zero, otherwise, result])
    }
}
