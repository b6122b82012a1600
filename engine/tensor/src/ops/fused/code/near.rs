//! Remainders of floats whose quotient is known to be small, without a division for each.

use super::graph::{Id, Op, Relation};
use super::translate::Translator;

const SIZE: u32 = 0x7fff_ffff;
/// `1 + 2^-22`.
const ABOVE: f32 = 1.0 + 2.0 * f32::EPSILON;

impl Translator {
    /// `x % y` for `x` of zero and more, as [`remains_near`](crate::ops::remains_near) has found them.
    ///
    /// The quotient is estimated from above, with a reciprocal that is `4 * 2^-24` of itself too large: more than its three
    /// roundings, of `2^-24` each, can take away. It is `7 * 2^-24` of itself too large at most, which is less than one where it is
    /// below `2^21`: `y` is taken off as often as it should be, or once too often. What remains is between `-y` and `y`, a number of
    /// the last place of `y`, and so exact.
    pub(super) fn near_remainder(&mut self, x: Id, y: Id) -> Id {
        let (size, one, above) = (self.constant(SIZE), self.constant(1f32.to_bits()), self.constant(ABOVE.to_bits()));
        let y = self.value(Op::And, &[y, size]);
        let reciprocal = self.value(Op::Div, &[one, y]);
        let reciprocal = self.value(Op::Mul, &[reciprocal, above]);
        let estimate = self.value(Op::Mul, &[x, reciprocal]);
        let quotient = self.value(Op::Round(1), &[estimate]);
        let rest = self.value(Op::MultiplyAdd { negates_product: true, subtracts: false }, &[quotient, y, x]);
        let zero = self.constant(0);
        let is_below = self.value(Op::CompareFloat(Relation::Below), &[rest, zero]);
        let wrapped = self.value(Op::Add, &[rest, y]);
        let rest = self.value(Op::Choose, &[is_below, wrapped, rest]);
        // What is too small for the code to see remains as it is.
        let is_all = self.value(Op::CompareFloat(Relation::Below), &[x, y]);
        self.value(Op::Choose, &[is_all, x, rest])
    }
}
