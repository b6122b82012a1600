//! Contraction of two arrays, `lax.dot_general`.

mod lanes;
mod rows;

use crate::array::{Array, filled};
use crate::buffer::{Buffer, Element};
use crate::dtype::DType;
use crate::error::OpError;
use crate::isa::for_each_isa;
use crate::ops::number::Integer;
use crate::ops::product::{Onto, Product, Short, Strided, grouped_product, is_grouped, matrix_product, short_product};
use crate::ops::{convert, transpose};
use crate::shape::Shape;
use half::bf16;
use lanes::{in_lanes, lane_count};

/// Which dimensions [`dot_general`] contracts and which it runs over in step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DotDimensions {
    /// Summed over, on the left; paired in order with the right's.
    pub left_contracting: Vec<usize>,
    /// Summed over, on the right.
    pub right_contracting: Vec<usize>,
    /// Kept and shared, on the left.
    pub left_batch: Vec<usize>,
    /// Kept and shared, on the right.
    pub right_batch: Vec<usize>,
    /// Whether products of `bfloat16` are added one after the other whatever their sizes: where a factor was transposed in the
    /// same compiled computation, XLA does not take the matrix unit.
    pub in_order: bool,
}

impl DotDimensions {
    /// `left @ right` for two matrices.
    pub fn matrix_product() -> DotDimensions {
        DotDimensions { left_contracting: vec![1], right_contracting: vec![0], ..DotDimensions::default() }
    }
}

const OP: &str = "dot_general";

/// The shape of [`dot_general`]'s result: batch, then the left's free, then the right's free
/// dimensions.
///
/// # Errors
/// For dimensions out of bounds or repeated, and sizes that differ.
pub fn dot_general_shape(left: &Shape, right: &Shape, dimensions: &DotDimensions) -> Result<Shape, OpError> {
    let check = |shape: &Shape, batch: &[usize], contracting: &[usize]| {
        let mut used = vec![false; shape.rank()];
        for &axis in batch.iter().chain(contracting) {
            match used.get_mut(axis) {
                Some(used) if !*used => *used = true,
                _ => {
                    return Err(OpError::argument(
                        OP,
                        format!("dimension {axis} is repeated or out of bounds for shape {shape}"),
                    ));
                }
            }
        }
        Ok(())
    };
    check(left, &dimensions.left_batch, &dimensions.left_contracting)?;
    check(right, &dimensions.right_batch, &dimensions.right_contracting)?;
    let pairs = [
        (&dimensions.left_batch, &dimensions.right_batch),
        (&dimensions.left_contracting, &dimensions.right_contracting),
    ];
    for (left_axes, right_axes) in pairs {
        let sizes = |shape: &Shape, axes: &[usize]| -> Shape { axes.iter().map(|&axis| shape[axis]).collect() };
        if sizes(left, left_axes) != sizes(right, right_axes) {
            return Err(OpError::shapes(OP, left, right));
        }
    }
    let batch = dimensions.left_batch.iter().map(|&axis| left[axis]);
    let free =
        |shape: &Shape, batch: &[usize], contracting: &[usize]| shape.without_axes(&[batch, contracting].concat());
    let left_free = free(left, &dimensions.left_batch, &dimensions.left_contracting);
    let right_free = free(right, &dimensions.right_batch, &dimensions.right_contracting);
    let shape = batch.chain(left_free.iter().copied());
    Ok(shape.chain(right_free.iter().copied()).collect())
}

/// Sizes of the equivalent batched matrix product.
#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    rows: usize,
    inner: usize,
    columns: usize,
}

/// Sums products of elements over the contracting dimensions.
///
/// Operands are computed in the wider of their dtypes and `output`: 16- and 8-bit floats multiply
/// and add in `f32` (in `f64` if that is the output), integers in `output`, wrapping. The sum is
/// rounded to `output` once. Sums of `bfloat16` products have the order of matrix units where XLA
/// takes those: not for a left factor that is summed over its first dimension.
///
/// # Errors
/// As [`dot_general_shape`], and for keys.
pub fn dot_general(left: &Array, right: &Array, dimensions: &DotDimensions, output: DType) -> Result<Array, OpError> {
    for dtype in [left.dtype(), right.dtype(), output] {
        if dtype == DType::Key {
            return Err(OpError::DType { op: OP, dtype });
        }
    }
    let shape = dot_general_shape(left.shape(), right.shape(), dimensions)?;
    if shape.checked_size().is_none() {
        return Err(OpError::too_large(&shape));
    }
    let product = |shape: &Shape, axes: &[usize]| -> usize { axes.iter().map(|&axis| shape[axis]).product() };
    let batch = product(left.shape(), &dimensions.left_batch);
    let inner = product(left.shape(), &dimensions.left_contracting);
    let free = |shape: &Shape, batch: &[usize], contracting: &[usize]| {
        shape.without_axes(&[batch, contracting].concat()).size()
    };
    let sizes = Sizes {
        batch,
        inner,
        rows: free(left.shape(), &dimensions.left_batch, &dimensions.left_contracting),
        columns: free(right.shape(), &dimensions.right_batch, &dimensions.right_contracting),
    };
    // Left as batch x rows x inner, right as batch x inner x columns.
    let arrange = |array: &Array, batch: &[usize], contracting: &[usize], inner_last: bool| {
        let free: Vec<usize> =
            (0..array.rank()).filter(|axis| !batch.contains(axis) && !contracting.contains(axis)).collect();
        let order =
            if inner_last { [batch, &free, contracting].concat() } else { [batch, contracting, &free].concat() };
        transpose(array, &order)
    };
    let computed = computing_dtype(left.dtype(), right.dtype(), output);
    // Float factors that lie the other way around are taken as they lie: left as batch x inner x rows, right as batch x
    // columns x inner.
    let is_float = matches!(computed, DType::F32 | DType::F64);
    let turned_left = is_float && lies_turned(left, &dimensions.left_batch, &dimensions.left_contracting, true);
    let turned_right = is_float && lies_turned(right, &dimensions.right_batch, &dimensions.right_contracting, false);
    let left = arrange(left, &dimensions.left_batch, &dimensions.left_contracting, !turned_left)?;
    let right = arrange(right, &dimensions.right_batch, &dimensions.right_contracting, turned_right)?;
    let turned = (turned_left, turned_right);
    if let (Buffer::BF16(left), Buffer::BF16(right), DType::F32) = (left.buffer(), right.buffer(), computed)
        && !turned_left
        && !dimensions.in_order
        && is_grouped((sizes.rows, sizes.inner, sizes.columns))
    {
        let sums = batches(left, right, turned, sizes, &shape, |result, left, right, sizes| {
            grouped_product(result, left, right, sizes, Onto::Nothing);
        })?;
        return convert(&Array::from_parts(DType::F32, shape, Buffer::F32(sums)), output);
    }
    if computed == DType::I32
        && let Some(sums) = shorts(left.buffer(), right.buffer(), sizes, &shape)?
    {
        return convert(&Array::from_parts(DType::I32, shape, Buffer::I32(sums)), output);
    }
    let left = convert(&left, computed)?;
    let right = convert(&right, computed)?;
    let buffer = match (left.buffer(), right.buffer()) {
        (Buffer::F32(left), Buffer::F32(right)) => Buffer::F32(floats(left, right, turned, sizes, &shape)?),
        (Buffer::F64(left), Buffer::F64(right)) => Buffer::F64(floats(left, right, turned, sizes, &shape)?),
        (Buffer::I8(left), Buffer::I8(right)) => integers(left, right, sizes, &shape)?,
        (Buffer::I16(left), Buffer::I16(right)) => integers(left, right, sizes, &shape)?,
        (Buffer::I32(left), Buffer::I32(right)) => words(left, right, sizes, &shape)?,
        (Buffer::I64(left), Buffer::I64(right)) => integers(left, right, sizes, &shape)?,
        (Buffer::U8(left), Buffer::U8(right)) => integers(left, right, sizes, &shape)?,
        (Buffer::U16(left), Buffer::U16(right)) => integers(left, right, sizes, &shape)?,
        (Buffer::U32(left), Buffer::U32(right)) => integers(left, right, sizes, &shape)?,
        (Buffer::U64(left), Buffer::U64(right)) => integers(left, right, sizes, &shape)?,
        _ => {
            return Err(OpError::DType { op: OP, dtype: computed });
        }
    };
    let dtype = buffer.natural_dtype();
    convert(&Array::from_parts(dtype, shape, buffer), output)
}

/// `f64` if any is, else `f32` if any is a float; integers in the output's storage, `bool` in `u8`.
fn computing_dtype(left: DType, right: DType, output: DType) -> DType {
    let dtypes = [left, right, output];
    if dtypes.contains(&DType::F64) {
        DType::F64
    } else if dtypes.iter().any(|dtype| dtype.is_float()) {
        DType::F32
    } else if output == DType::Bool {
        DType::U8
    } else {
        crate::buffer::storage_of(output)
    }
}

/// Whether a factor lies in memory with its contracted dimensions first (on the left) or last (on the right), each kind in
/// order, so that it can be multiplied without being transposed before.
fn lies_turned(array: &Array, batch: &[usize], contracting: &[usize], is_left: bool) -> bool {
    let free: Vec<usize> = (0..array.rank()).filter(|a| !batch.contains(a) && !contracting.contains(a)).collect();
    let order = if is_left { [batch, contracting, &free].concat() } else { [batch, &free, contracting].concat() };
    order.is_sorted() && !contracting.is_empty() && !free.is_empty()
}

/// Multiplications below which setting up the tuned product costs more than it saves.
const SMALL: usize = 4096;

fn floats<T: Product + Element>(
    left: &[T],
    right: &[T],
    turned: (bool, bool),
    sizes: Sizes,
    shape: &Shape,
) -> Result<Vec<T>, OpError> {
    if (sizes.rows, sizes.columns) == (1, 1) && sizes.batch > 1 && sizes.inner > 0 {
        let mut result = filled(shape, T::default())?;
        rows::rows(&mut result, left, right, sizes.inner);
        return Ok(result);
    }
    batches(left, right, turned, sizes, shape, product)
}

/// A result of zeros, in which every batch has its product computed.
fn batches<T: Copy, R: Element + Default>(
    left: &[T],
    right: &[T],
    (turned_left, turned_right): (bool, bool),
    sizes: Sizes,
    shape: &Shape,
    product: impl Fn(&mut [R], Strided<'_, T>, Strided<'_, T>, (usize, usize, usize)),
) -> Result<Vec<R>, OpError> {
    let Sizes { batch, rows, inner, columns } = sizes;
    let mut result = filled(shape, R::default())?;
    if result.is_empty() || inner == 0 {
        return Ok(result);
    }
    let batches = result
        .chunks_exact_mut(rows * columns)
        .zip(left.chunks_exact(rows * inner))
        .zip(right.chunks_exact(inner * columns));
    debug_assert_eq!(batches.len(), batch);
    for ((result, left), right) in batches {
        let (row, column) = if turned_left { (1, rows) } else { (inner, 1) };
        let left = Strided { elements: left, row, column };
        let (row, column) = if turned_right { (1, inner) } else { (columns, 1) };
        let right = Strided { elements: right, row, column };
        product(result, left, right, (rows, inner, columns));
    }
    Ok(result)
}

/// One product of matrices to a result of zeros, in the way that its sizes ask for.
fn product<T: Product>(
    result: &mut [T],
    left: Strided<'_, T>,
    right: Strided<'_, T>,
    (rows, inner, columns): (usize, usize, usize),
) {
    let lanes = lane_count(rows, inner, columns);
    if lanes > 1 {
        in_lanes(result, left, right, (inner, columns), lanes);
    } else if is_large((rows, inner, columns)) {
        matrix_product(result, left, right, (rows, inner, columns), Onto::Nothing);
    } else {
        plain(result, left, right, inner, columns);
    }
}

/// Whether the tuned product pays, among those that are added in order.
fn is_large((rows, inner, columns): (usize, usize, usize)) -> bool {
    rows * inner * columns >= SMALL && rows > 1
}

/// A factor of a product of matrices where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    /// The elements of the array that it is part of.
    pub buffer: &'a Buffer,
    /// The position of its first element.
    pub base: usize,
    /// Distances of neighbours, down a column and along a row.
    pub strides: [isize; 2],
}

impl<'a> Matrix<'a> {
    /// As the product takes it, if it has the elements of `rows` rows of `columns` numbers of this type.
    fn strided<T: Element>(&self, rows: usize, columns: usize) -> Option<Strided<'a, T>> {
        let elements = T::slice(self.buffer)?.get(self.base..)?;
        let [row, column] = [usize::try_from(self.strides[0]).ok()?, usize::try_from(self.strides[1]).ok()?];
        let last = rows.checked_sub(1)?.checked_mul(row)?.checked_add(columns.checked_sub(1)?.checked_mul(column)?)?;
        (last < elements.len()).then_some(Strided { elements, row, column })
    }
}

/// `target = left @ right` for matrices of `float32` or of `bfloat16`, sizes (rows, inner, columns), or `target + left @ right`,
/// with the digits of [`dot_general`] to `float32` and of an addition after it. `bfloat16` factors are not summed over the
/// first dimension of the left one.
///
/// # Errors
/// If the target has not so many elements, or a factor does not have them.
pub fn matrix_product_onto(
    target: &mut Array,
    left: Matrix<'_>,
    right: Matrix<'_>,
    sizes: (usize, usize, usize),
    adds: bool,
) -> Result<(), OpError> {
    let (rows, inner, columns) = sizes;
    let malformed =
        || OpError::argument(OP, format!("{rows} x {inner} x {columns}: a factor or the result is another"));
    let target = target.elements_mut::<f32>().filter(|target| target.len() == rows * columns).ok_or_else(malformed)?;
    let onto = if adds { Onto::Addend } else { Onto::Nothing };
    let (wide_left, wide_right): (Vec<f32>, Vec<f32>);
    let (left, right) = match (left.strided::<bf16>(rows, inner), right.strided::<bf16>(inner, columns)) {
        (Some(left), Some(right)) if is_grouped(sizes) => {
            grouped_product(target, left, right, sizes, onto);
            return Ok(());
        }
        (Some(left), Some(right)) => {
            wide_left = left.widened(rows, inner);
            wide_right = right.widened(inner, columns);
            let left = Strided { elements: &wide_left[..], row: inner, column: 1 };
            (left, Strided { elements: &wide_right[..], row: columns, column: 1 })
        }
        _ => left.strided(rows, inner).zip(right.strided(inner, columns)).ok_or_else(malformed)?,
    };
    if lane_count(rows, inner, columns) == 1 && is_large(sizes) {
        matrix_product(target, left, right, sizes, onto);
    } else if adds {
        let mut sums = vec![0.0; target.len()];
        product(&mut sums, left, right, sizes);
        target.iter_mut().zip(sums).for_each(|(target, sum)| *target = target.added(sum));
    } else {
        target.fill(0.0);
        product(target, left, right, sizes);
    }
    Ok(())
}

impl Strided<'_, bf16> {
    /// As `float32`, row by row.
    fn widened(self, rows: usize, columns: usize) -> Vec<f32> {
        (0..rows * columns).map(|place| self.at(place / columns, place % columns).to_f32()).collect()
    }
}

for_each_isa! {
/// One multiplication after the other, for small products and single rows.
fn plain<F, T: Product>(
    result: &mut [T],
    left: Strided<'_, T>,
    right: Strided<'_, T>,
    inner: usize,
    columns: usize,
) {
    if let ([sum], 1, 1) = (&mut *result, left.column, right.row) {
        for (&x, &y) in left.elements[..inner].iter().zip(&right.elements[..inner]) {
            *sum = T::multiply_add::<F>(x, y, *sum);
        }
        return;
    }
    for (row, result) in result.chunks_exact_mut(columns).enumerate() {
        for k in 0..inner {
            let x = left.at(row, k);
            if right.column == 1 {
                let right = &right.elements[k * right.row..k * right.row + columns];
                result.iter_mut().zip(right).for_each(|(sum, &y)| *sum = T::multiply_add::<F>(x, y, *sum));
            } else {
                let terms = result.iter_mut().enumerate();
                terms.for_each(|(column, sum)| *sum = T::multiply_add::<F>(x, right.at(k, column), *sum));
            }
        }
    }
}
}

/// Sums of 32 bits of products of integers of 8 and 16 bits, where the tuned product pays; none for others.
fn shorts(left: &Buffer, right: &Buffer, sizes: Sizes, shape: &Shape) -> Result<Option<Vec<i32>>, OpError> {
    macro_rules! each {
        ($(($left:ident, $right:ident))*) => {
            match (left, right) {
                $((Buffer::$left(left), Buffer::$right(right)) => short(left, right, sizes, shape),)*
                _ => Ok(None),
            }
        };
    }
    each! { (I8, I8) (I8, U8) (I8, I16) (U8, I8) (U8, U8) (U8, I16) (I16, I8) (I16, U8) (I16, I16) }
}

fn short<L: Short, R: Short>(
    left: &[L],
    right: &[R],
    sizes: Sizes,
    shape: &Shape,
) -> Result<Option<Vec<i32>>, OpError> {
    let Sizes { batch, rows, inner, columns } = sizes;
    // One after the other, batches would have to be put together.
    if batch != 1 || !is_large((rows, inner, columns)) {
        return Ok(None);
    }
    Ok(Some(short_product(filled(shape, 0)?, left, right, (rows, inner, columns))))
}

/// 32-bit integers, which small ones are multiplied as where they come in batches: through the tuned product where that pays.
fn words(left: &[i32], right: &[i32], sizes: Sizes, shape: &Shape) -> Result<Buffer, OpError> {
    let Sizes { rows, inner, columns, .. } = sizes;
    if rows < 2 || rows.saturating_mul(inner).saturating_mul(columns) < SMALL {
        return integers(left, right, sizes, shape);
    }
    let mut result = filled(shape, 0i32)?;
    let batches = result
        .chunks_exact_mut(rows * columns)
        .zip(left.chunks_exact(rows * inner))
        .zip(right.chunks_exact(inner * columns));
    for ((result, left), right) in batches {
        let left = Strided { elements: left, row: inner, column: 1 };
        let right = Strided { elements: right, row: columns, column: 1 };
        matrix_product(result, left, right, (rows, inner, columns), Onto::Nothing);
    }
    Ok(Buffer::I32(result))
}

fn integers<T: Integer>(left: &[T], right: &[T], sizes: Sizes, shape: &Shape) -> Result<Buffer, OpError> {
    let mut result = filled(shape, T::ZERO)?;
    if result.is_empty() || sizes.inner == 0 {
        return Ok(T::wrap(result));
    }
    let batches = result
        .chunks_exact_mut(sizes.rows * sizes.columns)
        .zip(left.chunks_exact(sizes.rows * sizes.inner))
        .zip(right.chunks_exact(sizes.inner * sizes.columns));
    for ((result, left), right) in batches {
        let rows = result.chunks_exact_mut(sizes.columns).zip(left.chunks_exact(sizes.inner));
        for (result, left) in rows {
            for (&x, right) in left.iter().zip(right.chunks_exact(sizes.columns)) {
                let terms = result.iter_mut().zip(right);
                terms.for_each(|(sum, &y)| *sum = sum.add(x.mul(y)));
            }
        }
    }
    Ok(T::wrap(result))
}
