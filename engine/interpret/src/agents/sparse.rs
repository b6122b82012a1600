//! Left factors of products into tensor memory that have two elements of every four: where these stand (the metadata), how
//! that lies in shared memory, and the factor with its zeros. What is described is what `plgpu.format_tcgen05_sparse_metadata`
//! makes.

use crate::error::RunError;
use pallas_tensor::ops::{self, CompareOp};
use pallas_tensor::{Array, DType, Shape};

/// Metadata as shared memory has it, `(rows / 128, columns / 64, 128, 64)`, as the rows and columns that tensor memory shows.
/// Within a tile of 128 x 64 nothing moves: how it stands there depends on the factor.
pub(super) fn laid_out(metadata: &Array, shape: &Shape) -> Result<Array, RunError> {
    let (&[rows, columns, 128, 64], &[wanted_rows, wanted_columns]) =
        (&metadata.shape().to_vec()[..], &shape.to_vec()[..])
    else {
        return Err(refused(metadata, shape));
    };
    if (wanted_rows, wanted_columns) != (rows * 128, columns * 64) {
        return Err(refused(metadata, shape));
    }
    Ok(ops::reshape(&ops::transpose(metadata, &[0, 2, 1, 3])?, [wanted_rows, wanted_columns])?)
}

fn refused(metadata: &Array, shape: &Shape) -> RunError {
    RunError::eval(format!(
        "metadata of shape {} is copied to tensor memory of shape {shape}: it lies in shared memory as (rows / 128, columns / \
         64, 128, 64), which `plgpu.format_tcgen05_sparse_metadata` makes",
        metadata.shape()
    ))
}

/// A factor with its zeros: each pair of elements stands where its metadata says, among four.
pub(super) fn dense(factor: &Array, metadata: &Array) -> Result<Array, RunError> {
    let &[rows, kept] = &factor.shape().to_vec()[..] else {
        return Err(RunError::malformed("a sparse factor is no matrix"));
    };
    let has_places =
        matches!(&metadata.shape().to_vec()[..], &[r, k] if r >= rows && r % 128 == 0 && k == kept && k % 64 == 0);
    if !has_places {
        return Err(RunError::eval(format!(
            "a sparse factor of shape {rows} x {kept} has metadata of shape {}",
            metadata.shape()
        )));
    }
    let places = match factor.dtype().bits() {
        16 => in_order(metadata)?,
        _ => metadata.clone(),
    };
    let places = ops::convert(&ops::slice(&places, &[0, 0], &[rows, kept], None)?, DType::I32)?;
    let groups: [usize; 4] = [rows, kept / 2, 2, 4];
    let spread = |array: &Array| -> Result<Array, RunError> {
        Ok(ops::broadcast_in_dim(&ops::reshape(array, [rows, kept / 2, 2])?, groups, &[0, 1, 2])?)
    };
    let numbers = Array::iota(DType::I32, groups, 3)?;
    let stands = ops::compare(CompareOp::Eq, &spread(&places)?, &numbers)?;
    let zeros = Array::zeros(factor.dtype(), groups)?;
    let placed = ops::select(&stands, &spread(factor)?, &zeros)?;
    // The places of a pair differ: one of the two is zero, and which does not matter.
    let pick = |index: usize| ops::slice(&placed, &[0, 0, index, 0], &[rows, kept / 2, index + 1, 4], None);
    let taken = ops::slice(&stands, &[0, 0, 1, 0], &[rows, kept / 2, 2, 4], None)?;
    Ok(ops::reshape(&ops::select(&taken, &pick(1)?, &pick(0)?)?, [rows, kept * 2])?)
}

/// The metadata of a factor of 16 bits, whose rows and columns are interleaved within tiles of 128 x 64.
fn in_order(metadata: &Array) -> Result<Array, RunError> {
    let &[rows, columns] = &metadata.shape().to_vec()[..] else {
        return Err(RunError::malformed("metadata is no matrix"));
    };
    let (down, along) = (rows / 128, columns / 64);
    let apart = ops::reshape(metadata, [down, 8, 2, 8, along, 4, 2, 8])?;
    Ok(ops::reshape(&ops::transpose(&apart, &[0, 1, 6, 3, 4, 5, 2, 7])?, [rows, columns])?)
}
