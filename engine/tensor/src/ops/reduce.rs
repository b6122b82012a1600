//! Reductions over axes, and the positions of extremes.

mod integers;
mod slabs;
mod unmade;

pub(in crate::ops) use slabs::by_slabs;

use crate::array::{Array, filled, reserve};
use crate::buffer::{Buffer, Element};
use crate::dtype::{DType, Kind};
use crate::error::OpError;
use crate::lack::collected;
use crate::ops::convert;
use crate::ops::convert::numbers;
use crate::ops::elementwise::round_narrow;
use crate::ops::number::Float;
use crate::ops::reduce_lanes::{Combine, middle};
use crate::ops::structural::transpose;
use crate::ops::tree::{Reduction, add_windows, one_by_one, tree};
use crate::shape::Shape;
use crate::threads::spread;
use std::cmp::Ordering;

/// What a reduction combines elements with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// Sum; 0 for nothing.
    Sum,
    /// Product; 1 for nothing.
    Prod,
    /// Largest; the lowest value (-inf) for nothing; NaN if any is.
    Max,
    /// Smallest; the highest value (inf) for nothing; NaN if any is.
    Min,
    /// Bitwise or logical and; all ones for nothing.
    And,
    /// Bitwise or logical or; 0 for nothing.
    Or,
    /// Bitwise or logical exclusive or; 0 for nothing.
    Xor,
}

impl ReduceOp {
    /// The name in jaxprs: `reduce_sum`.
    pub fn name(self) -> &'static str {
        match self {
            ReduceOp::Sum => "reduce_sum",
            ReduceOp::Prod => "reduce_prod",
            ReduceOp::Max => "reduce_max",
            ReduceOp::Min => "reduce_min",
            ReduceOp::And => "reduce_and",
            ReduceOp::Or => "reduce_or",
            ReduceOp::Xor => "reduce_xor",
        }
    }

    /// Whether the reduction exists for the dtype.
    pub fn accepts(self, dtype: DType) -> bool {
        !matches!(
            (dtype.kind(), self),
            (Kind::Key, _)
                | (Kind::Bool, ReduceOp::Sum | ReduceOp::Prod)
                | (Kind::Float, ReduceOp::And | ReduceOp::Or | ReduceOp::Xor)
        )
    }
}

/// The array as `kept` rows of `length` elements each: the reduced axes moved innermost.
///
/// Returns the moved array, the shape of the kept axes, and the length of a row.
pub(crate) fn reduced_innermost(
    op: &'static str,
    array: &Array,
    axes: &[usize],
) -> Result<(Array, Shape, usize), OpError> {
    let rank = array.rank();
    for (position, axis) in axes.iter().enumerate() {
        if *axis >= rank || axes[..position].contains(axis) {
            return Err(OpError::argument(op, format!("axes {axes:?} do not fit shape {}", array.shape())));
        }
    }
    let kept = (0..rank).filter(|axis| !axes.contains(axis));
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    let permutation: Vec<usize> = kept.chain(sorted).collect();
    let reduced: Shape = axes.iter().map(|&axis| array.shape()[axis]).collect();
    // Saturated only where another dimension is 0, so that there is no row to be that long.
    let length = reduced.size();
    let shape = array.shape().without_axes(axes);
    Ok((transpose(array, &permutation)?, shape, length))
}

/// Combines the elements along `axes`, which disappear.
///
/// Floats are combined in XLA's order (see `tree`). 16- and 8-bit floats are rounded at every
/// step, as XLA does on the CPU; `jnp.sum` converts to `float32` before, and back.
///
/// # Errors
/// For dtypes that are not accepted and axes out of bounds or repeated.
pub fn reduce(op: ReduceOp, array: &Array, axes: &[usize]) -> Result<Array, OpError> {
    let dtype = array.dtype();
    if !op.accepts(dtype) {
        return Err(OpError::DType { op: op.name(), dtype });
    }
    if axes.is_empty() {
        return Ok(array.clone());
    }
    if let Some(result) = in_lanes(op, array, axes)? {
        return Ok(result);
    }
    let is_narrow = dtype.is_float() && dtype.bits() <= 16;
    if is_narrow && matches!(op, ReduceOp::Max | ReduceOp::Min) && array.size() > 0 {
        // Nothing is rounded.
        return convert(&reduce(op, &convert(array, DType::F32)?, axes)?, dtype);
    }
    if op == ReduceOp::Sum
        && axes.iter().copied().eq(0..array.rank())
        && let Some(sum) = unmade::sum(array)?
    {
        return Ok(sum);
    }
    let (moved, shape, length) = reduced_innermost(op.name(), array, axes)?;
    // The sizes of the reduced axes, which are innermost now.
    let reduced: Shape = moved.shape()[shape.rank()..].into();
    let buffer = match moved.buffer() {
        _ if is_narrow => {
            let values: Vec<f32> = numbers(&moved)?;
            let buffer = Buffer::F32(each_row(&values, &shape, length, |row| narrow(op, row, &reduced, dtype))?);
            return convert(&Array::from_parts(DType::F32, shape, buffer), dtype);
        }
        Buffer::Bool(x) => Buffer::Bool(each_row(x, &shape, length, |row| truth(op, row))?),
        // 4-bit extremes of nothing are their own limits, not those of the storage.
        Buffer::I8(x) => Buffer::I8(each_row(x, &shape, length, |row| integers::row(op, row, dtype))?),
        Buffer::I16(x) => Buffer::I16(each_row(x, &shape, length, |row| integers::row(op, row, dtype))?),
        Buffer::I32(x) => Buffer::I32(each_row(x, &shape, length, |row| integers::row(op, row, dtype))?),
        Buffer::I64(x) => Buffer::I64(each_row(x, &shape, length, |row| integers::row(op, row, dtype))?),
        Buffer::U8(x) => Buffer::U8(each_row(x, &shape, length, |row| integers::row(op, row, dtype))?),
        Buffer::U16(x) => Buffer::U16(each_row(x, &shape, length, |row| integers::row(op, row, dtype))?),
        Buffer::U32(x) => Buffer::U32(each_row(x, &shape, length, |row| integers::row(op, row, dtype))?),
        Buffer::U64(x) => Buffer::U64(each_row(x, &shape, length, |row| integers::row(op, row, dtype))?),
        Buffer::F32(x) => Buffer::F32(each_row(x, &shape, length, |row| float(op, row, &reduced))?),
        Buffer::F64(x) => Buffer::F64(each_row(x, &shape, length, |row| float(op, row, &reduced))?),
        // Narrow floats are done, and keys accept nothing.
        Buffer::BF16(_) | Buffer::F16(_) | Buffer::Key(_) => {
            return Err(OpError::DType { op: op.name(), dtype });
        }
    };
    let mut result = Array::from_parts(dtype, shape, buffer);
    if dtype.is_small_integer() {
        crate::ops::elementwise::wrap_four_bits(dtype, result.make_mut());
    }
    Ok(result)
}

/// Sums, products and extremes of floats over axes that stand together, of which one at most is longer than one where the order
/// counts, and integers over axes that stand together; `None` for everything else.
fn in_lanes(op: ReduceOp, array: &Array, axes: &[usize]) -> Result<Option<Array>, OpError> {
    let (dtype, dims) = (array.dtype(), array.shape());
    let distinct = axes.iter().enumerate().all(|(place, axis)| *axis < dims.rank() && !axes[..place].contains(axis));
    let (Some(&first), Some(&last)) = (axes.iter().min(), axes.iter().max()) else { return Ok(None) };
    let together = last - first + 1 == axes.len();
    let long = axes.iter().filter(|&&axis| dims.get(axis).is_some_and(|&size| size != 1)).count();
    if !distinct || !together || array.size() == 0 {
        return Ok(None);
    }
    let product = |sizes: &[usize]| -> usize { sizes.iter().product() };
    let sizes = [product(&dims[..first]), product(&dims[first..=last]), product(&dims[last + 1..])];
    let shape = dims.without_axes(axes);
    if dtype.is_integer() {
        let Some(buffer) = integers::middle(op, array, sizes, &shape)? else { return Ok(None) };
        let mut result = Array::from_parts(dtype, shape, buffer);
        if dtype.is_small_integer() {
            crate::ops::elementwise::wrap_four_bits(dtype, result.make_mut());
        }
        return Ok(Some(result));
    }
    let combine = match op {
        ReduceOp::Sum => Combine::Sum,
        ReduceOp::Prod => Combine::Product,
        ReduceOp::Max => Combine::Max,
        ReduceOp::Min => Combine::Min,
        _ => return Ok(None),
    };
    if matches!(combine, Combine::Sum | Combine::Product) && long > 1 {
        return Ok(None);
    }
    if sizes[2] == 1
        && last + 1 == dims.rank()
        && let Some(result) = unmade::rows(combine, array, sizes[1], &shape)?
    {
        return Ok(Some(result));
    }
    let buffer = match array.buffer() {
        Buffer::F32(values) => {
            let mut result = filled(&shape, 0.0f32)?;
            middle(combine, values, sizes, &mut result);
            Buffer::F32(result)
        }
        Buffer::F64(values) => {
            let mut result = filled(&shape, 0.0f64)?;
            middle(combine, values, sizes, &mut result);
            Buffer::F64(result)
        }
        _ => return Ok(None),
    };
    Ok(Some(Array::from_parts(dtype, shape, buffer)))
}

fn each_row<T, R: Element>(
    elements: &[T],
    shape: &Shape,
    length: usize,
    combine: impl Fn(&[T]) -> R,
) -> Result<Vec<R>, OpError> {
    // Rows of no elements can be more than fit in memory.
    let mut result = reserve(shape)?;
    let row = |row: usize| combine(&elements[row * length..(row + 1) * length]);
    result.extend((0..shape.size()).map(row));
    Ok(result)
}

fn truth(op: ReduceOp, row: &[bool]) -> bool {
    match op {
        ReduceOp::And | ReduceOp::Min => row.iter().all(|&x| x),
        ReduceOp::Xor => row.iter().fold(false, |sum, &x| sum ^ x),
        _ => row.iter().any(|&x| x),
    }
}

fn float<T: Float>(op: ReduceOp, row: &[T], dimensions: &Shape) -> T {
    let fold = |start: T, f: fn(T, T) -> T| row.iter().fold(start, |sum, &x| f(sum, x));
    match op {
        ReduceOp::Prod => tree(row, dimensions, T::ONE, &Reduction { combine: T::mul, windows: one_by_one(T::mul) }),
        // Extremes are the same in any order.
        ReduceOp::Max => fold(T::INFINITY.negate(), T::maximum),
        ReduceOp::Min => fold(T::INFINITY, T::minimum),
        _ => tree(row, dimensions, T::ZERO, &Reduction { combine: T::plus, windows: add_windows }),
    }
}

/// Sums and products of numbers of a narrow dtype, and extremes of none.
fn narrow(op: ReduceOp, row: &[f32], dimensions: &Shape, dtype: DType) -> f32 {
    let round = |x| round_narrow(dtype, x);
    // Where there is no infinity, extremes of nothing are the finite limits.
    let greatest = match dtype.finfo() {
        Some(info) if !info.has_infinity => info.max as f32,
        _ => f32::INFINITY,
    };
    let product = |x, y| round(Float::mul(x, y));
    let sum = |x, y| round(Float::add(x, y));
    match op {
        ReduceOp::Prod => tree(row, dimensions, 1.0, &Reduction { combine: product, windows: one_by_one(product) }),
        ReduceOp::Max => -greatest,
        ReduceOp::Min => greatest,
        _ => tree(row, dimensions, 0.0, &Reduction { combine: sum, windows: one_by_one(sum) }),
    }
}

/// Elements that a thread takes at a time.
const PART: usize = 1 << 15;

/// The first of the largest or smallest elements, or the first NaN.
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "a NaN is neither below nor above, and has to be found")]
fn position_of_extreme<T: PartialOrd + Copy>(row: &[T], largest: bool) -> usize {
    let is_nan = |x: T| x.partial_cmp(&x).is_none();
    // True of a NaN as well.
    let is_beyond = |x: T, best: T| {
        if largest {
            x.partial_cmp(&best).is_none_or(Ordering::is_gt)
        } else {
            x.partial_cmp(&best).is_none_or(Ordering::is_lt)
        }
    };
    let mut best = 0;
    for (number, group) in row.chunks(64).enumerate() {
        let current = row[best];
        // Without an early end the test goes through several at once.
        let found = match largest {
            true => group.iter().fold(false, |any, &x| any | !(x <= current)),
            false => group.iter().fold(false, |any, &x| any | !(x >= current)),
        };
        if !found {
            continue;
        }
        for (place, &x) in group.iter().enumerate() {
            if is_nan(row[best]) {
                return best;
            }
            if is_beyond(x, row[best]) {
                best = number * 64 + place;
            }
        }
    }
    best
}

/// The index along `axis` of the largest (`largest`) or smallest element, as `lax.argmax`: the
/// first of equals, and the first NaN before everything else.
///
/// # Errors
/// For keys, an axis out of bounds or of size 0, and an index dtype that is not an integer.
pub fn arg_extreme(array: &Array, axis: usize, largest: bool, index_dtype: DType) -> Result<Array, OpError> {
    let op = if largest { "argmax" } else { "argmin" };
    if !index_dtype.is_integer() {
        return Err(OpError::DType { op, dtype: index_dtype });
    }
    let (moved, shape, length) = reduced_innermost(op, array, &[axis])?;
    if length == 0 {
        return Err(OpError::argument(op, "attempt to get the extreme of an empty axis"));
    }
    fn positions<T: PartialOrd + Copy + Sync>(elements: &[T], length: usize, largest: bool) -> Vec<i64> {
        let mut positions: Vec<i64> = collected(std::iter::repeat_n(0, elements.len() / length));
        let rows = (PART / length).max(1);
        let jobs = elements.chunks(rows * length).zip(positions.chunks_mut(rows)).collect();
        spread(jobs, |(elements, positions): (&[T], &mut [i64])| {
            for (row, position) in elements.chunks_exact(length).zip(positions) {
                *position = position_of_extreme(row, largest) as i64;
            }
        });
        positions
    }
    let positions = match moved.buffer() {
        Buffer::Bool(x) => positions(x, length, largest),
        Buffer::I8(x) => positions(x, length, largest),
        Buffer::I16(x) => positions(x, length, largest),
        Buffer::I32(x) => positions(x, length, largest),
        Buffer::I64(x) => positions(x, length, largest),
        Buffer::U16(x) => positions(x, length, largest),
        Buffer::U32(x) => positions(x, length, largest),
        Buffer::U64(x) => positions(x, length, largest),
        Buffer::F64(x) => positions(x, length, largest),
        // `f32` holds all of these exactly, 8-bit integers too; keys are an error.
        Buffer::U8(_) | Buffer::BF16(_) | Buffer::F16(_) | Buffer::F32(_) | Buffer::Key(_) => {
            positions(&numbers::<f32>(&moved)?, length, largest)
        }
    };
    let positions = Array::from_parts(DType::I64, shape, i64::wrap(positions));
    convert(&positions, index_dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_give_what_rows_give_one_by_one() {
        for shape in
            [[1, 5, 1], [3, 32, 1], [2, 33, 1], [2, 1000, 1], [1, 4096, 1], [2, 37, 5], [1, 1100, 3], [4, 8, 40]]
        {
            let size: usize = shape.iter().product();
            let values: Vec<f32> = (0..size).map(|i| (i as f32 * 0.37) % 5.0 - 2.4 + 1e-3 / (1 + i) as f32).collect();
            let array = Array::from_f32s(shape, &values).expect("as many");
            for op in [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min] {
                let found = reduce(op, &array, &[1]).expect("floats");
                let (moved, kept, length) = reduced_innermost("sum", &array, &[1]).expect("an axis");
                let moved: &[f32] = moved.elements().expect("floats");
                let one = |row: &[f32]| float(op, row, &Shape::from([length]));
                let expected: Vec<f32> = moved.chunks(length).map(one).collect();
                assert_eq!(found, Array::from_f32s(kept, &expected).expect("as many"), "{op:?} of {shape:?}");
            }
        }
    }
}
