//! Scales of the factors of a product into tensor memory: how they lie in shared memory, and what they do to a factor.

use crate::error::RunError;
use pallas_tensor::ops::{self, BinaryOp};
use pallas_tensor::{Array, DType, Shape};

/// Rows that a block of the right factor's scales has where each of two blocks multiplies 64 rows.
const HALF: usize = 128;

/// Scales as shared memory has them, as the rows and columns that tensor memory shows: `(rows / 128, columns / 4, 32, 16)`, or
/// two halves of 128 rows each, `(1, columns / 4, 64, 16)`.
pub(super) fn laid_out(scales: &Array, shape: &Shape) -> Result<Array, RunError> {
    let (&[rows, columns, lanes, 16], &[wanted_rows, wanted_columns]) =
        (&scales.shape().to_vec()[..], &shape.to_vec()[..])
    else {
        return Err(refused(scales, shape));
    };
    if lanes != 32 && (lanes != 64 || rows != 1) {
        return Err(refused(scales, shape));
    }
    let halves = lanes / 32;
    let apart = ops::reshape(scales, [rows, columns, halves, 32, 4, 4])?;
    let turned = ops::transpose(&apart, &[0, 2, 4, 3, 1, 5])?;
    let together = ops::reshape(&turned, [rows * halves * 128, columns * 4])?;
    if wanted_rows > rows * halves * 128 || wanted_columns > columns * 4 {
        return Err(RunError::eval(format!("there are {rows} x 128 rows of scales, and {wanted_rows} are copied")));
    }
    Ok(ops::slice(&together, &[0, 0], &[wanted_rows, wanted_columns], None)?)
}

fn refused(scales: &Array, shape: &Shape) -> RunError {
    RunError::eval(format!(
        "scales of shape {} are copied to tensor memory of shape {shape}: they lie in shared memory as (rows / 128, columns / \
         4, 32, 16)",
        scales.shape()
    ))
}

/// A left factor, each of whose rows has a scale for every few columns.
pub(super) fn scaled_rows(factor: &Array, scales: &Array) -> Result<Array, RunError> {
    let (factor, scales) = (ops::convert(factor, DType::F32)?, ops::convert(scales, DType::F32)?);
    let (&[rows, depth], &[scale_rows, parts]) = (&factor.shape().to_vec()[..], &scales.shape().to_vec()[..]) else {
        return Err(RunError::malformed("a scaled factor is no matrix"));
    };
    if scale_rows < rows || parts == 0 || depth % parts != 0 {
        return Err(RunError::eval(format!("a factor of shape {rows} x {depth} has {scale_rows} x {parts} scales")));
    }
    let scales = ops::slice(&scales, &[0, 0], &[rows, parts], None)?;
    let spread = ops::broadcast_in_dim(&scales, [rows, parts, depth / parts], &[0, 1])?;
    let spread = ops::reshape(&spread, [rows, depth])?;
    Ok(ops::binary(BinaryOp::Mul, factor, spread)?)
}

/// A right factor, each of whose columns has a scale for every few rows.
pub(super) fn scaled_columns(factor: &Array, scales: &Array) -> Result<Array, RunError> {
    let turned = scaled_rows(&ops::transpose(factor, &[1, 0])?, scales)?;
    Ok(ops::transpose(&turned, &[1, 0])?)
}

/// The scales of the right factor of two blocks that multiply 64 rows each: those of either half of its columns have rows of
/// their own in tensor memory.
pub(super) fn of_halves(scales: &Array, columns: usize) -> Result<Array, RunError> {
    let &[rows, parts] = &scales.shape().to_vec()[..] else {
        return Err(RunError::malformed("scales are no matrix"));
    };
    if rows < 2 * HALF || columns > 2 * HALF {
        return Ok(scales.clone());
    }
    let half = |first: usize| ops::slice(scales, &[first, 0], &[first + columns / 2, parts], None);
    Ok(ops::concatenate(&[&half(0)?, &half(HALF)?], 0)?)
}
