//! What is known of elements before they are computed: that they lie between zero and a number. A remainder of such has nothing
//! to be wrapped around.

use super::{Later, Recipe, Work};
use crate::array::Array;
use crate::dtype::DType;
use crate::ops::BinaryOp;
use crate::ops::fused::Code;
use crate::range::Steps;

/// The largest number that is taken for a bound: nothing of this dtype that is no larger overflows by being rounded.
fn largest(dtype: DType) -> Option<f64> {
    match dtype {
        DType::F32 => Some(f64::from(f32::MAX) / 2.0),
        DType::F64 => Some(f64::MAX / 2.0),
        DType::I32 => Some(f64::from(i32::MAX)),
        _ => None,
    }
}

impl Array {
    /// The number that all elements are, where that is known without computing them.
    pub(super) fn one_number(&self) -> Option<f64> {
        if self.size() == 1 {
            return self.get(0)?.as_f64();
        }
        let later = self.put_off().filter(|later| later.computed().is_none())?;
        match &*later.recipe()? {
            Recipe { work: Work::Same, operands, .. } => operands.first()?.get(0)?.as_f64(),
            _ => None,
        }
    }

    /// A number that no element is above, where it is known without computing many that none is below zero: then none is NaN, or a
    /// zero with a sign, either.
    pub fn most_above_zero(&self) -> Option<f64> {
        let most = match self.one_number() {
            Some(number) if number.is_sign_positive() => number,
            Some(_) => return None,
            None => {
                let later = self.put_off().filter(|later| later.computed().is_none())?;
                most_of(&*later.recipe()?, later)?
            }
        };
        (most <= largest(self.dtype())?).then_some(most)
    }
}

fn most_of(recipe: &Recipe, later: &Later) -> Option<f64> {
    let last = later.len().checked_sub(1)? as f64;
    match (&recipe.work, &recipe.operands[..]) {
        (Work::Steps(Steps::Singles { start, step } | Steps::Doubles { start, step }), _) => {
            (start.is_sign_positive() && *step >= 0.0).then_some(start + last * step)
        }
        (Work::Steps(Steps::Integers { start, step }), _) => {
            (*start >= 0 && *step >= 0).then_some(f64::from(*start) + last * f64::from(*step))
        }
        // One of both is one number, so that an expression is gone through once.
        (Work::Step(Code::Binary(op @ (BinaryOp::Add | BinaryOp::Mul))), [x, y])
            if x.one_number().is_some() || y.one_number().is_some() =>
        {
            let (x, y) = (x.most_above_zero()?, y.most_above_zero()?);
            Some(if *op == BinaryOp::Add { x + y } else { x * y })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::array::Array;
    use crate::deferred::{deferring, stepped};
    use crate::dtype::DType;
    use crate::ops::{BinaryOp, binary, broadcast_in_dim};
    use crate::range::Steps;
    use crate::scalar::Scalar;

    const SIZE: usize = 1 << 18;

    fn of(steps: Steps, op: BinaryOp, scalar: Scalar) -> Option<f64> {
        deferring(|| {
            let places = stepped([SIZE], steps).expect("they fit");
            let one = Array::scalar(places.dtype(), scalar);
            let repeated = broadcast_in_dim(&one, [SIZE], &[]).expect("one for all");
            let found = binary(op, places.clone(), one).expect("numbers").most_above_zero();
            assert_eq!(binary(op, places, repeated).expect("numbers").most_above_zero(), found);
            found
        })
    }

    #[test]
    fn what_lies_above_zero_is_known_before_it_is_computed() {
        let places = Steps::Singles { start: 0.0, step: 1.0 };
        assert_eq!(of(places, BinaryOp::Mul, Scalar::Float(0.5)), Some((SIZE - 1) as f64 / 2.0));
        assert_eq!(of(places, BinaryOp::Add, Scalar::Float(2.5)), Some(SIZE as f64 + 1.5));
        assert_eq!(of(places, BinaryOp::Sub, Scalar::Float(2.5)), None);
        for factor in [-1.0, -0.0, f64::NAN, f64::INFINITY, 1e34] {
            assert_eq!(of(places, BinaryOp::Mul, Scalar::Float(factor)), None, "{factor}");
        }
        assert_eq!(of(Steps::Singles { start: -1.0, step: 1.0 }, BinaryOp::Add, Scalar::Float(1.0)), None);
        assert_eq!(of(Steps::Singles { start: 9.0, step: -1.0 }, BinaryOp::Add, Scalar::Float(1.0)), None);
        assert_eq!(of(Steps::Doubles { start: -0.0, step: 1.0 }, BinaryOp::Add, Scalar::Float(1.0)), None);
        let integers = Steps::Integers { start: 1, step: 3 };
        assert_eq!(of(integers, BinaryOp::Add, Scalar::Int(7)), Some((SIZE - 1) as f64 * 3.0 + 8.0));
        assert_eq!(of(integers, BinaryOp::Mul, Scalar::Int(1 << 20)), None, "it would wrap around");
        assert_eq!(Array::from_f32s([2], &[1.0, 2.0]).expect("two").most_above_zero(), None, "nobody looks at them");
        assert_eq!(Array::scalar(DType::U8, Scalar::Int(3)).most_above_zero(), None);
    }

    #[test]
    fn an_expression_that_doubles_itself_is_not_followed() {
        let squared = deferring(|| {
            let places = stepped([SIZE], Steps::Doubles { start: 1.0, step: 0.0 }).expect("they fit");
            (0..60).fold(places, |x, _| binary(BinaryOp::Mul, x.clone(), x).expect("floats"))
        });
        assert_eq!(squared.most_above_zero(), None);
    }
}
