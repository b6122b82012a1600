//! Scales of the factors of a product into tensor memory: how they lie in shared memory, and what they do to a factor.

use crate::error::RunError;
use pallas_tensor::ops::{self, BinaryOp};
use pallas_tensor::{Array, DType, Shape};

/// Scales as shared memory has them, `(rows / 128, columns / 4, 32, 16)`, as the rows and columns that tensor memory shows.
pub(super) fn laid_out(scales: &Array, shape: &Shape) -> Result<Array, RunError> {
    let (&[rows, columns, 32, 16], &[wanted_rows, wanted_columns]) =
        (&scales.shape().to_vec()[..], &shape.to_vec()[..])
    else {
        return Err(RunError::eval(format!(
            "scales of shape {} are copied to tensor memory of shape {shape}: they lie in shared memory as (rows / 128, \
             columns / 4, 32, 16)",
            scales.shape()
        )));
    };
    let apart = ops::reshape(scales, [rows, columns, 32, 4, 4])?;
    let together = ops::reshape(&ops::transpose(&apart, &[0, 3, 2, 1, 4])?, [rows * 128, columns * 4])?;
    if wanted_rows > rows * 128 || wanted_columns > columns * 4 {
        return Err(RunError::eval(format!("there are {rows} x 128 rows of scales, and {wanted_rows} are copied")));
    }
    Ok(ops::slice(&together, &[0, 0], &[wanted_rows, wanted_columns], None)?)
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
