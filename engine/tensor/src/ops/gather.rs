//! Moving elements by computed positions: gather and scatter on flat indices. Sums that are scattered fast are in `counted`.
//!
//! `lax.gather`, `x[idx]`, Ref indexing and `scatter_add` all come down to these once their
//! positions are computed, which is the business of who knows the indexing rules.

mod counted;

use crate::array::{Array, reserve};
use crate::buffer::{Element, with_elements};
use crate::error::OpError;
use crate::ops::binary::{BinaryOp, binary};
use crate::shape::Shape;

/// The elements at flat row-major positions, in the given shape. A position outside (negative or
/// past the end) gives `fill`.
///
/// # Errors
/// If the number of positions is not the shape's size, or `fill` is not a scalar of the dtype.
pub fn take_flat(array: &Array, positions: &[i64], shape: impl Into<Shape>, fill: &Array) -> Result<Array, OpError> {
    const OP: &str = "gather";
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

/// How [`scatter_flat`] combines an update with what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// The update replaces; of several to one position the last wins.
    Replace,
    /// The operation's result with the element on the left.
    With(BinaryOp),
}

/// Combines `updates` into the elements at flat positions, in order; positions outside are
/// skipped. A single update goes to all positions. In place if nobody else holds the buffer.
///
/// # Errors
/// If there are not as many positions as updates, dtypes differ, or the operation does not accept
/// the dtype.
pub fn scatter_flat<P: Copy + Into<i64>>(
    mut array: Array,
    positions: &[P],
    updates: &Array,
    combine: Combine,
) -> Result<Array, OpError> {
    const OP: &str = "scatter";
    let dtype = array.dtype();
    if dtype != updates.dtype() {
        return Err(OpError::DTypeMismatch { op: OP, left: dtype, right: updates.dtype() });
    }
    // From the update of one position to that of the next.
    let step = usize::from(updates.size() != 1);
    if positions.len() != updates.size() && step != 0 {
        return Err(OpError::argument(OP, format!("{} positions for {} updates", positions.len(), updates.size())));
    }
    let in_range = |position: P, length: usize| usize::try_from(position.into()).ok().filter(|&index| index < length);
    match combine {
        Combine::Replace => with_elements!(array.make_mut(), elements => {
            let updates = Element::slice(updates.buffer()).unwrap_or_default();
            for (number, &position) in positions.iter().enumerate() {
                if let Some(index) = in_range(position, elements.len()) {
                    elements[index] = updates[number * step];
                }
            }
        }),
        Combine::With(op) => {
            if !op.accepts(dtype) {
                return Err(OpError::DType { op: op.name(), dtype });
            }
            if op == BinaryOp::Add && counted::add(&mut array, positions, updates) {
                return Ok(array);
            }
            let length = array.size();
            for (number, &position) in positions.iter().enumerate() {
                let Some(index) = in_range(position, length) else {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_update_goes_to_every_position() {
        let positions = [3_i64, 1, -1, 3, 4];
        let array = Array::from_i32s([4], &[10, 20, 30, 40]).expect("as many");
        for combine in [Combine::Replace, Combine::With(BinaryOp::Add), Combine::With(BinaryOp::Mul)] {
            let scattered = |updates: &[i32]| {
                let updates = Array::from_i32s([updates.len()], updates).expect("as many");
                scatter_flat(array.clone(), &positions, &updates, combine).expect("it takes them")
            };
            assert!(scattered(&[2]).same_bits(&scattered(&[2; 5])), "{combine:?}");
        }
        let none: [i64; 0] = [];
        let update = Array::from_i32s([1], &[7]).expect("as many");
        let left = scatter_flat(array.clone(), &none, &update, Combine::Replace).expect("there is nothing to do");
        assert!(left.same_bits(&array));
    }
}
