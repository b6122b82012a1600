//! Operations that move elements without computing: reshape, transpose, broadcast, slices,
//! concatenation, reversal. Parameters are those of the `jax.lax` functions.

use smallvec::SmallVec;

use crate::array::{Array, elements_like, reserve};
use crate::buffer::{Element, with_elements};
use crate::deferred::{Price, made, repeated};
use crate::error::OpError;
use crate::ops::strided::{Pattern, signed_strides};
use crate::shape::Shape;
use crate::threads::LARGE;

fn read(array: &Array, pattern: Pattern, shape: Shape) -> Result<Array, OpError> {
    // (Stretches of rows that were columns would read lines of the caches in part, again and again.)
    if shape.size() >= LARGE && array.size() > 0 && !pattern.is_turned(shape.size()) {
        // Now, while all cores are free for it.
        array.buffer();
        let source = array.clone();
        return made(shape, Price::Moves, move |range| {
            let part = Shape::from([range.len()]);
            let buffer = with_elements!(source.buffer(), elements => {
                Element::wrap(pattern.stretch(elements, &part, range)?)
            });
            Ok(Array::from_parts(source.dtype(), part, buffer))
        });
    }
    let buffer = with_elements!(array.buffer(), elements => Element::wrap(pattern.read(elements, &shape)?));
    Ok(Array::from_parts(array.dtype(), shape, buffer))
}

pub(super) fn check_same_dtype(op: &'static str, left: &Array, right: &Array) -> Result<(), OpError> {
    if left.dtype() == right.dtype() {
        return Ok(());
    }
    Err(OpError::DTypeMismatch { op, left: left.dtype(), right: right.dtype() })
}

pub(super) fn check_length(op: &'static str, what: &str, found: usize, rank: usize) -> Result<(), OpError> {
    if found == rank {
        return Ok(());
    }
    Err(OpError::argument(op, format!("{what} has {found} entries for an operand of rank {rank}")))
}

/// The same elements under another shape; the elements are shared.
///
/// # Errors
/// If the sizes differ.
pub fn reshape(array: &Array, shape: impl Into<Shape>) -> Result<Array, OpError> {
    let shape = shape.into();
    if shape.checked_size() != Some(array.size()) {
        return Err(OpError::shapes("reshape", array.shape(), &shape));
    }
    Ok(array.clone().relabel(shape))
}

/// Permutes dimensions: output dimension `i` is input dimension `permutation[i]`.
///
/// # Errors
/// If `permutation` is not one.
pub fn transpose(array: &Array, permutation: &[usize]) -> Result<Array, OpError> {
    let rank = array.rank();
    let mut seen: SmallVec<[bool; 6]> = SmallVec::from_elem(false, rank);
    for &axis in permutation {
        match seen.get_mut(axis) {
            Some(seen) if !*seen => *seen = true,
            _ => {
                return Err(OpError::argument(
                    "transpose",
                    format!("{permutation:?} is not a permutation of {rank} dimensions"),
                ));
            }
        }
    }
    check_length("transpose", "permutation", permutation.len(), rank)?;
    if permutation.is_sorted() {
        return Ok(array.clone());
    }
    let strides = signed_strides(array.shape());
    let shape: Shape = permutation.iter().map(|&axis| array.shape()[axis]).collect();
    let strides: SmallVec<[isize; 6]> = permutation.iter().map(|&axis| strides[axis]).collect();
    read(array, Pattern::new(0, &shape, &strides), shape)
}

/// Places input dimension `i` at output dimension `dimensions[i]` and repeats along the others.
///
/// # Errors
/// If `dimensions` does not increase or fit, or an input size is neither 1 nor the output's.
pub fn broadcast_in_dim(array: &Array, shape: impl Into<Shape>, dimensions: &[usize]) -> Result<Array, OpError> {
    const OP: &str = "broadcast_in_dim";
    let shape = shape.into();
    check_length(OP, "broadcast_dimensions", dimensions.len(), array.rank())?;
    let increasing = dimensions.windows(2).all(|pair| pair[0] < pair[1]);
    if !increasing || dimensions.iter().any(|&axis| axis >= shape.rank()) {
        return Err(OpError::argument(OP, format!("broadcast_dimensions {dimensions:?} do not fit shape {shape}")));
    }
    if *array.shape() == shape {
        return Ok(array.clone());
    }
    if let Some(result) = repeated(array, &shape) {
        return Ok(result);
    }
    let mut strides: SmallVec<[isize; 6]> = SmallVec::from_elem(0, shape.rank());
    let input_strides = signed_strides(array.shape());
    for (axis, &target) in dimensions.iter().enumerate() {
        let size = array.shape()[axis];
        if size != 1 && size != shape[target] {
            return Err(OpError::shapes(OP, array.shape(), &shape));
        }
        if size != 1 {
            strides[target] = input_strides[axis];
        }
    }
    if shape.checked_size().is_none() {
        return Err(OpError::too_large(&shape));
    }
    read(array, Pattern::new(0, &shape, &strides), shape)
}

/// `array[start[0]:limit[0]:strides[0], ...]`; no strides means all 1.
///
/// # Errors
/// Unless `0 <= start <= limit <= size` and strides are positive, in every dimension.
pub fn slice(array: &Array, start: &[usize], limit: &[usize], strides: Option<&[usize]>) -> Result<Array, OpError> {
    const OP: &str = "slice";
    let rank = array.rank();
    check_length(OP, "start_indices", start.len(), rank)?;
    check_length(OP, "limit_indices", limit.len(), rank)?;
    if let Some(strides) = strides {
        check_length(OP, "strides", strides.len(), rank)?;
    }
    let input_strides = signed_strides(array.shape());
    let mut shape = Shape::default();
    let mut base = 0;
    let mut pattern_strides: SmallVec<[isize; 6]> = SmallVec::new();
    for axis in 0..rank {
        let step = strides.map_or(1, |strides| strides[axis]);
        let (start, limit, size) = (start[axis], limit[axis], array.shape()[axis]);
        if start > limit || limit > size || step == 0 {
            return Err(OpError::argument(
                OP,
                format!("{start}:{limit}:{step} does not fit dimension {axis} of size {size}"),
            ));
        }
        shape.push((limit - start).div_ceil(step));
        base = (start as isize).wrapping_mul(input_strides[axis]).wrapping_add(base);
        // A step past the end is taken at most zero times; the bound keeps the product in range.
        let step = step.min(size.max(1)) as isize;
        pattern_strides.push(step.wrapping_mul(input_strides[axis]));
    }
    if shape == *array.shape() {
        return Ok(array.clone());
    }
    read(array, Pattern::new(base, &shape, &pattern_strides), shape)
}

/// Clamps each start so that the slice of the given size lies inside, as XLA does.
fn clamped_starts(shape: &Shape, sizes: &[usize], starts: &[i64]) -> SmallVec<[usize; 6]> {
    let dimensions = shape.iter().zip(sizes).zip(starts);
    dimensions
        .map(|((&size, &length), &start)| {
            let last = size - length;
            usize::try_from(start.max(0)).unwrap_or(usize::MAX).min(last)
        })
        .collect()
}

fn check_fits(op: &'static str, array: &Array, sizes: &Shape) -> Result<(), OpError> {
    let mut pairs = sizes.iter().zip(array.shape());
    if sizes.rank() == array.rank() && pairs.all(|(length, size)| length <= size) {
        return Ok(());
    }
    Err(OpError::shapes(op, array.shape(), sizes))
}

/// The block of the given sizes at `starts`, which are clamped so that it lies inside.
///
/// Negative starts count from 0, not from the end: `jax.lax.dynamic_slice` wraps them before.
///
/// # Errors
/// If ranks differ or a size exceeds the operand's.
pub fn dynamic_slice(array: &Array, starts: &[i64], sizes: &[usize]) -> Result<Array, OpError> {
    const OP: &str = "dynamic_slice";
    check_length(OP, "start_indices", starts.len(), array.rank())?;
    check_fits(OP, array, &Shape::from(sizes))?;
    let start = clamped_starts(array.shape(), sizes, starts);
    let limit: Shape = start.iter().zip(sizes).map(|(start, size)| start + size).collect();
    slice(array, &start, &limit, None)
}

/// The array with the block at `starts` (clamped) replaced; in place if nobody shares it.
///
/// # Errors
/// If dtypes or ranks differ, or a size of the update exceeds the operand's.
pub fn dynamic_update_slice(mut array: Array, update: &Array, starts: &[i64]) -> Result<Array, OpError> {
    const OP: &str = "dynamic_update_slice";
    check_same_dtype(OP, &array, update)?;
    check_length(OP, "start_indices", starts.len(), array.rank())?;
    check_fits(OP, &array, update.shape())?;
    if update.shape() == array.shape() {
        return Ok(update.clone());
    }
    let start = clamped_starts(array.shape(), update.shape(), starts);
    let strides = signed_strides(array.shape());
    let offsets = start.iter().zip(&strides);
    let base = offsets.map(|(&start, &stride)| (start as isize).wrapping_mul(stride)).fold(0, isize::wrapping_add);
    let pattern = Pattern::new(base, update.shape(), &strides);
    write(&mut array, &pattern, update);
    Ok(array)
}

/// Writes the elements of `update`, which has the same dtype, to the pattern's positions.
pub(super) fn write(array: &mut Array, pattern: &Pattern, update: &Array) {
    with_elements!(array.make_mut(), target => {
        if let Some(values) = Element::slice(update.buffer()) {
            pattern.write(target, values);
        }
    });
}

/// Joins arrays along an existing axis.
///
/// # Errors
/// For no arrays, a bad axis, and dtypes or other sizes that differ.
pub fn concatenate(arrays: &[&Array], axis: usize) -> Result<Array, OpError> {
    const OP: &str = "concatenate";
    let Some((&first, others)) = arrays.split_first() else {
        return Err(OpError::argument(OP, "needs at least one array"));
    };
    if axis >= first.rank() {
        return Err(OpError::argument(OP, format!("axis {axis} is out of bounds for shape {}", first.shape())));
    }
    let rest = first.shape().without_axes(&[axis]);
    for &other in others {
        check_same_dtype(OP, first, other)?;
        if other.rank() != first.rank() || other.shape().without_axes(&[axis]) != rest {
            return Err(OpError::shapes(OP, first.shape(), other.shape()));
        }
    }
    let mut shape = first.shape().clone();
    shape[axis] = arrays.iter().fold(0, |sum: usize, array| sum.saturating_add(array.shape()[axis]));
    // Sizes of an empty array can overflow, and nothing is copied.
    let outer = match shape.checked_size() {
        Some(0) => 0,
        _ => Shape::from(&shape[..axis]).size(),
    };
    let buffer = with_elements!(first.buffer(), elements => {
        let mut result = reserve(&shape)?;
        let parts = elements_like(elements, arrays);
        for row in 0..outer {
            for part in &parts {
                let length = part.len() / outer;
                result.extend_from_slice(&part[row * length..(row + 1) * length]);
            }
        }
        Element::wrap(result)
    });
    Ok(Array::from_parts(first.dtype(), shape, buffer))
}

/// Reverses the order of elements along the given axes.
///
/// # Errors
/// For an axis out of bounds.
pub fn reverse(array: &Array, axes: &[usize]) -> Result<Array, OpError> {
    if let Some(axis) = axes.iter().find(|&&axis| axis >= array.rank()) {
        return Err(OpError::argument("rev", format!("axis {axis} is out of bounds for shape {}", array.shape())));
    }
    let mut strides = signed_strides(array.shape());
    let mut base = 0;
    for (axis, &size) in array.shape().iter().enumerate() {
        if axes.contains(&axis) {
            let last = size.saturating_sub(1) as isize;
            base = strides[axis].wrapping_mul(last).wrapping_add(base);
            strides[axis] = strides[axis].wrapping_neg();
        }
    }
    let shape = array.shape().clone();
    read(array, Pattern::new(base, &shape, &strides), shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    fn counting(shape: impl Into<Shape>) -> Array {
        let shape = shape.into();
        let values: Vec<i32> = (0..shape.size() as i32).collect();
        Array::from_i32s(shape, &values).expect("as many as the shape says")
    }

    fn values(array: &Array) -> Vec<i32> {
        array.elements().expect("int32").to_vec()
    }

    #[test]
    fn transposes() {
        let result = transpose(&counting([2, 3]), &[1, 0]).expect("a permutation");
        assert_eq!(result, Array::from_i32s([3, 2], &[0, 3, 1, 4, 2, 5]).expect("six"));
        let result = transpose(&counting([2, 1, 3]), &[2, 1, 0]).expect("a permutation");
        assert_eq!(values(&result), [0, 3, 1, 4, 2, 5]);
        assert!(transpose(&counting([2, 3]), &[0, 0]).is_err());
        assert!(transpose(&counting([2, 3]), &[0]).is_err());
    }

    #[test]
    fn broadcasts() {
        let result = broadcast_in_dim(&counting([3]), [2, 3], &[1]).expect("fits");
        assert_eq!(values(&result), [0, 1, 2, 0, 1, 2]);
        let result = broadcast_in_dim(&counting([2, 1]), [2, 2], &[0, 1]).expect("fits");
        assert_eq!(values(&result), [0, 0, 1, 1]);
        assert!(broadcast_in_dim(&counting([3]), [2, 4], &[1]).is_err());
        assert!(broadcast_in_dim(&counting([3]), [usize::MAX, 3], &[1]).is_err());
    }

    #[test]
    fn slices() {
        let array = counting([3, 4]);
        let result = slice(&array, &[1, 0], &[3, 4], Some(&[1, 3])).expect("inside");
        assert_eq!(result, Array::from_i32s([2, 2], &[4, 7, 8, 11]).expect("four"));
        let result = slice(&array, &[0, 1], &[3, 2], Some(&[usize::MAX, 1])).expect("inside");
        assert_eq!(values(&result), [1]);
        assert!(slice(&array, &[0, 0], &[4, 4], None).is_err());
        let result = dynamic_slice(&array, &[5, -2], &[2, 2]).expect("clamped");
        assert_eq!(values(&result), [4, 5, 8, 9]);
    }

    #[test]
    fn updates_are_clamped_and_leave_clones_alone() {
        let array = counting([3, 3]);
        let update = Array::from_i32s([2, 1], &[-1, -2]).expect("two");
        let result = dynamic_update_slice(array.clone(), &update, &[9, 1]).expect("fits");
        assert_eq!(values(&result), [0, 1, 2, 3, -1, 5, 6, -2, 8]);
        assert_eq!(values(&array), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn concatenates() {
        let result = concatenate(&[&counting([2, 1]), &counting([2, 2])], 1).expect("fits");
        assert_eq!(values(&result), [0, 0, 1, 1, 2, 3]);
        let empty = concatenate(&[&counting([0, 2]), &counting([0, 1])], 1).expect("fits");
        assert_eq!(empty.shape(), &Shape::from([0, 3]));
        assert!(concatenate(&[&counting([2, 1]), &counting([3, 1])], 1).is_err());
    }

    #[test]
    fn empty_arrays_may_have_any_sizes() {
        let huge = 1usize << 40;
        let empty = Array::zeros(DType::F32, [huge, huge, 0]).expect("no elements");
        assert_eq!(transpose(&empty, &[2, 0, 1]).map(|array| array.size()), Ok(0));
        assert_eq!(reverse(&empty, &[0, 1]).map(|array| array.size()), Ok(0));
        let part = slice(&empty, &[huge / 2, 1, 0], &[huge, huge, 0], Some(&[2, 3, 1]));
        assert_eq!(part.map(|array| array.size()), Ok(0));
        assert_eq!(concatenate(&[&empty, &empty], 2).map(|array| array.size()), Ok(0));
        let sum = |axes: &[usize]| crate::ops::reduce(crate::ops::ReduceOp::Sum, &empty, axes);
        assert_eq!(sum(&[0, 1]).map(|array| array.size()), Ok(0));
        assert!(matches!(sum(&[2]), Err(OpError::TooLarge { .. })));
    }

    #[test]
    fn reverses() {
        let result = reverse(&counting([2, 3]), &[1]).expect("an axis");
        assert_eq!(values(&result), [2, 1, 0, 5, 4, 3]);
        let result = reverse(&counting([2, 3]), &[0, 1]).expect("axes");
        assert_eq!(values(&result), [5, 4, 3, 2, 1, 0]);
        let empty = reverse(&counting([0, 3]), &[0]).expect("an axis");
        assert_eq!(empty.size(), 0);
    }
}
