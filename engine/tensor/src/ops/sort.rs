//! Stable sorting along an axis.

mod keys;

use std::cmp::Ordering;

use crate::array::Array;
use crate::buffer::{Buffer, Element, with_elements};
use crate::dtype::DType;
use crate::error::OpError;
use crate::lack::collected;
use crate::ops::convert::numbers;
use crate::ops::{convert, transpose};
use crate::shape::Shape;

const OP: &str = "sort";

/// Where the elements of each row come from once sorted.
struct Order {
    /// Per row, the old position of each new element.
    positions: Vec<usize>,
    length: usize,
}

/// Orders as `lax.sort` does: -0 equals 0, and NaN of either sign comes last.
fn compare_floats<T: PartialOrd>(left: &T, right: &T) -> Ordering {
    left.partial_cmp(right).unwrap_or_else(|| {
        let left_is_nan = left.partial_cmp(left).is_none();
        let right_is_nan = right.partial_cmp(right).is_none();
        left_is_nan.cmp(&right_is_nan)
    })
}

/// A comparison of the elements at two flat positions.
type Comparison<'a> = Box<dyn Fn(usize, usize) -> Ordering + 'a>;

fn comparison(array: &Array) -> Result<Comparison<'_>, OpError> {
    fn ordered<T: Ord>(x: &[T]) -> Comparison<'_> {
        Box::new(|left, right| x[left].cmp(&x[right]))
    }
    Ok(match array.buffer() {
        Buffer::Bool(x) => ordered(x),
        Buffer::I8(x) => ordered(x),
        Buffer::I16(x) => ordered(x),
        Buffer::I32(x) => ordered(x),
        Buffer::I64(x) => ordered(x),
        Buffer::U8(x) if !array.dtype().is_float() => ordered(x),
        Buffer::U16(x) => ordered(x),
        Buffer::U32(x) => ordered(x),
        Buffer::U64(x) => ordered(x),
        Buffer::F64(x) => Box::new(|left, right| compare_floats(&x[left], &x[right])),
        Buffer::F32(x) => Box::new(|left, right| compare_floats(&x[left], &x[right])),
        // Exact in `f32`; keys are an error.
        Buffer::BF16(_) | Buffer::F16(_) | Buffer::U8(_) | Buffer::Key(_) => {
            let x: Vec<f32> = numbers(array)?;
            Box::new(move |left, right| compare_floats(&x[left], &x[right]))
        }
    })
}

/// Sorts each row of arrays that have the sorted axis innermost.
fn order(keys: &[Array], length: usize) -> Result<Order, OpError> {
    if let [key] = keys {
        return Ok(Order { positions: keys::positions(key, (length, length), false)?, length });
    }
    let comparisons: Vec<Comparison<'_>> = keys.iter().map(comparison).collect::<Result<_, _>>()?;
    let size = keys.first().map_or(0, Array::size);
    let mut positions: Vec<usize> = collected(0..size);
    if length > 0 {
        for row in positions.chunks_exact_mut(length) {
            // A stable sort of the standard library's has memory of its own, and ends the process where there is none. No two
            // positions are equal, so that there is one order only.
            row.sort_unstable_by(|&left, &right| {
                let each = comparisons.iter().map(|compare| compare(left, right));
                let ordering = each.fold(Ordering::Equal, Ordering::then);
                ordering.then(left.cmp(&right))
            });
        }
    }
    Ok(Order { positions, length })
}

impl Order {
    /// The elements in the new order, under a shape with as many.
    fn apply(&self, array: &Array, shape: &Shape) -> Array {
        let buffer = with_elements!(array.buffer(), elements => {
            Element::wrap(collected(self.positions.iter().map(|&position| elements[position])))
        });
        Array::from_parts(array.dtype(), shape.clone(), buffer)
    }

    /// The old positions within each row.
    fn indices(&self, shape: &Shape, dtype: DType) -> Result<Array, OpError> {
        let length = self.length.max(1);
        let indices = self.positions.iter().map(|&position| (position % length) as i64);
        let indices = i64::wrap(collected(indices));
        let indices = Array::from_parts(DType::I64, shape.clone(), indices);
        convert(&indices, dtype)
    }
}

/// The permutation that exchanges `axis` with the innermost; it is its own inverse.
fn innermost(array: &Array, axis: usize) -> Result<Vec<usize>, OpError> {
    let rank = array.rank();
    if axis >= rank {
        return Err(OpError::argument(OP, format!("axis {axis} is out of bounds for shape {}", array.shape())));
    }
    let mut permutation: Vec<usize> = (0..rank).collect();
    permutation.swap(axis, rank - 1);
    Ok(permutation)
}

/// Sorts along `axis` by the first `key_count` operands in turn, moving all operands alike.
///
/// Stable, NaN last, as `lax.sort`.
///
/// # Errors
/// For no keys, shapes that differ, an axis out of bounds, and random keys to sort by.
pub fn sort(operands: &[Array], axis: usize, key_count: usize) -> Result<Vec<Array>, OpError> {
    let Some((first, others)) = operands.split_first() else {
        return Err(OpError::argument(OP, "needs at least one operand"));
    };
    if key_count == 0 || key_count > operands.len() {
        return Err(OpError::argument(OP, format!("num_keys {key_count} for {} operands", operands.len())));
    }
    for other in others {
        if other.shape() != first.shape() {
            return Err(OpError::shapes(OP, first.shape(), other.shape()));
        }
    }
    let permutation = innermost(first, axis)?;
    let moved: Vec<Array> =
        operands.iter().map(|operand| transpose(operand, &permutation)).collect::<Result<_, _>>()?;
    let order = order(&moved[..key_count], first.shape()[axis])?;
    let sorted = moved.iter();
    sorted.map(|operand| transpose(&order.apply(operand, operand.shape()), &permutation)).collect()
}

/// The indices that sort along `axis`, as `jnp.argsort` (stable; descending keeps the order of
/// equals too).
///
/// # Errors
/// For an axis out of bounds, keys, and an index dtype that is not an integer.
pub fn argsort(array: &Array, axis: usize, descending: bool, index_dtype: DType) -> Result<Array, OpError> {
    let permutation = innermost(array, axis)?;
    let moved = transpose(array, &permutation)?;
    let length = array.shape()[axis];
    let order = Order { positions: keys::positions(&moved, (length, length), descending)?, length };
    transpose(&order.indices(moved.shape(), index_dtype)?, &permutation)
}

/// The `count` largest elements along the innermost axis, largest first, and their indices, as
/// `lax.top_k`: of equals the first comes first, and NaN is largest.
///
/// # Errors
/// For scalars and a count beyond the axis.
pub fn top_k(array: &Array, count: usize, index_dtype: DType) -> Result<(Array, Array), OpError> {
    let Some(&length) = array.shape().last() else {
        return Err(OpError::argument("top_k", "needs at least one dimension"));
    };
    if count > length {
        return Err(OpError::argument("top_k", format!("k = {count} is larger than the last dimension, {length}")));
    }
    let order = Order { positions: keys::positions(array, (length, count), true)?, length };
    let mut shape = array.shape().clone();
    shape[array.rank() - 1] = count;
    let (values, indices) = (order.apply(array, &shape), order.indices(&shape, index_dtype)?);
    Ok((values, indices))
}
