//! Moving elements by computed positions: gather and scatter on flat indices. Sums that are scattered fast are in `counted`.
//!
//! `lax.gather`, `x[idx]`, Ref indexing and `scatter_add` all come down to these once their
//! positions are computed, which is the business of who knows the indexing rules.

mod counted;
mod position;
mod runs;
mod typed;

pub use position::Position;
pub use runs::{Runs, places};

use crate::array::{Array, reserve};
use crate::buffer::{Buffer, Element, with_elements};
use crate::error::OpError;
use crate::ops::binary::{BinaryOp, binary};
use crate::shape::Shape;

/// What operations are called in errors.
const OP_GATHER: &str = "gather";
const OP_SCATTER: &str = "scatter";

/// The elements at flat row-major positions, in the given shape. A position outside (negative or
/// past the end) gives `fill`.
///
/// # Errors
/// If the number of positions is not the shape's size, or `fill` is not a scalar of the dtype.
pub fn take_flat(array: &Array, positions: &[i64], shape: impl Into<Shape>, fill: &Array) -> Result<Array, OpError> {
    const OP: &str = OP_GATHER;
    let shape = shape.into();
    if shape.checked_size() != Some(positions.len()) {
        return Err(OpError::argument(OP, format!("{} positions for shape {shape}", positions.len())));
    }
    if fill.dtype() != array.dtype() || fill.size() != 1 {
        return Err(OpError::DTypeMismatch { op: OP, left: array.dtype(), right: fill.dtype() });
    }
    let buffer = with_elements!(array.buffer(), elements => {
        let mut result = reserve(&shape)?;
        if let Some(&[fill]) = Element::slice(fill.buffer()) {
            result.extend(positions.iter().map(|&position| {
                let element = usize::try_from(position).ok().and_then(|index| elements.get(index));
                element.copied().unwrap_or(fill)
            }));
        }
        Element::wrap(result)
    });
    Ok(Array::from_parts(array.dtype(), shape, buffer))
}

/// How a [`Scatter`] combines an update with what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// The update replaces; of several to one position the last wins.
    Replace,
    /// The operation's result with the element on the left.
    With(BinaryOp),
}

/// Updates that are combined into the elements at flat positions, in order. Positions outside are skipped. A single update goes to all
/// positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scatter {
    /// How.
    pub combine: Combine,
    /// Whether negative positions count from the end. Otherwise they are outside.
    pub wraps: bool,
}

impl Scatter {
    /// The elements with the updates. In place if nobody else holds the buffer.
    ///
    /// # Errors
    /// If there are not as many positions as updates, dtypes differ, or the operation does not accept
    /// the dtype.
    pub fn run<P: Position>(self, mut array: Array, positions: &[P], updates: &Array) -> Result<Array, OpError> {
        const OP: &str = OP_SCATTER;
        let dtype = array.dtype();
        if dtype != updates.dtype() {
            return Err(OpError::DTypeMismatch { op: OP, left: dtype, right: updates.dtype() });
        }
        // From the update of one position to that of the next.
        let step = usize::from(updates.size() != 1);
        if positions.len() != updates.size() && step != 0 {
            return Err(OpError::argument(OP, format!("{} positions for {} updates", positions.len(), updates.size())));
        }
        match self.combine {
            Combine::Replace => with_elements!(array.make_mut(), elements => {
                let updates = Element::slice(updates.buffer()).unwrap_or_default();
                for (number, &position) in positions.iter().enumerate() {
                    if let Some(index) = position.within(elements.len(), self.wraps) {
                        elements[index] = updates[number * step];
                    }
                }
            }),
            Combine::With(op) => {
                if !op.accepts(dtype) {
                    return Err(OpError::DType { op: op.name(), dtype });
                }
                if self.add_onto(array.make_mut(), positions, updates.buffer()) {
                    return Ok(array);
                }
                if !dtype.is_small_integer()
                    && typed::combine(op, array.make_mut(), (positions, self.wraps), updates.buffer())
                {
                    return Ok(array);
                }
                let length = array.size();
                for (number, &position) in positions.iter().enumerate() {
                    let Some(index) = position.within(length, self.wraps) else {
                        continue;
                    };
                    // Both indices are in range, so these are always there.
                    let (Some(old), Some(new)) = (array.get(index), updates.get(number * step)) else {
                        continue;
                    };
                    let old = Array::scalar(dtype, old);
                    let combined = binary(op, old, Array::scalar(dtype, new))?;
                    if let Some(combined) = combined.item() {
                        array.set(index, combined);
                    }
                }
            }
        }
        Ok(array)
    }

    /// Additions, onto elements where they lie, of as many updates as there are positions, or one. False, and nothing done, if it is
    /// another operation, or a dtype whose sums are computed one by one.
    pub fn add_onto<P: Position>(self, target: &mut Buffer, positions: &[P], updates: &Buffer) -> bool {
        self.combine == Combine::With(BinaryOp::Add) && counted::add(target, positions, self.wraps, updates)
    }
}

/// See [`Scatter`]; negative positions are outside.
///
/// # Errors
/// As [`Scatter::run`].
pub fn scatter_flat<P: Position>(
    array: Array,
    positions: &[P],
    updates: &Array,
    combine: Combine,
) -> Result<Array, OpError> {
    Scatter { combine, wraps: false }.run(array, positions, updates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    #[test]
    fn negative_positions_count_from_the_end_where_they_are_to() {
        let positions = [-1_i32, -4, -5, 0, 4, i32::MIN];
        let array = Array::from_i32s([4], &[10, 20, 30, 40]).expect("as many");
        let update = Array::from_i32s([1], &[7]).expect("as many");
        let scattered = |combine, wraps| {
            let scattered = Scatter { combine, wraps }.run(array.clone(), &positions, &update).expect("it takes them");
            scattered.elements::<i32>().expect("integers").to_vec()
        };
        assert_eq!(scattered(Combine::With(BinaryOp::Add), true), [24, 20, 30, 47]);
        assert_eq!(scattered(Combine::With(BinaryOp::Add), false), [17, 20, 30, 40]);
        assert_eq!(scattered(Combine::With(BinaryOp::Mul), true), [490, 20, 30, 280]);
        assert_eq!(scattered(Combine::Replace, true), [7, 20, 30, 7]);
    }

    #[test]
    fn updates_go_to_their_positions_and_one_to_all_of_them() {
        let positions = [3_i64, 1, -1, 3, 4];
        let array = Array::from_i32s([4], &[10, 20, 30, 40]).expect("as many");
        for combine in [Combine::Replace, Combine::With(BinaryOp::Add), Combine::With(BinaryOp::Mul)] {
            let scattered = |updates: &[i32]| {
                let updates = Array::from_i32s([updates.len()], updates).expect("as many");
                scatter_flat(array.clone(), &positions, &updates, combine).expect("it takes them")
            };
            assert!(scattered(&[2]).same_bits(&scattered(&[2; 5])), "{combine:?}");
        }
        for dtype in [DType::I16, DType::I64, DType::U32, DType::F32, DType::F64] {
            let cast = |array: &Array| crate::ops::convert(array, dtype).expect("numbers");
            for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Max, BinaryOp::Min] {
                let updates = cast(&Array::from_i32s([5], &[3, 25, 7, 2, 9]).expect("as many"));
                let mut expected = cast(&array);
                for (&position, update) in positions.iter().zip(updates.iter_scalars()) {
                    if let Some(old) = usize::try_from(position).ok().and_then(|position| expected.get(position)) {
                        let [old, update] = [old, update].map(|scalar| Array::scalar(dtype, scalar));
                        let sum = binary(op, old, update).expect("numbers").item().expect("one");
                        expected.set(position as usize, sum);
                    }
                }
                let found = scatter_flat(cast(&array), &positions, &updates, Combine::With(op)).expect("it takes them");
                assert!(found.same_bits(&expected), "{op:?} of {dtype}: {found:?}, not {expected:?}");
            }
        }
        let none: [i64; 0] = [];
        let update = Array::from_i32s([1], &[7]).expect("as many");
        let left = scatter_flat(array.clone(), &none, &update, Combine::Replace).expect("there is nothing to do");
        assert!(left.same_bits(&array));
    }
}
