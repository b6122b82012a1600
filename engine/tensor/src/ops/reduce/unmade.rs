//! Rows of an array whose elements have not been computed, and cost little: they are computed some at a time and reduced while they
//! are in the caches, so that nobody writes the array down and reads it back.

use crate::array::{Array, filled};
use crate::dtype::DType;
use crate::error::OpError;
use crate::ops::fused::Lanes;
use crate::ops::reduce_lanes::{Combine, middle};
use crate::shape::Shape;
use crate::threads::spread;
use std::sync::{Mutex, PoisonError};

/// Elements that are computed at a time: half of what the second cache of a core holds.
const ROOM: usize = 1 << 16;
/// Parts of the result for each thread's turn.
const TURN: usize = 16;

/// What rows of `length` elements come to, one for each element of `shape`; `None` where the array is there, is asked for again, or
/// costs more.
pub(super) fn rows(combine: Combine, array: &Array, length: usize, shape: &Shape) -> Result<Option<Array>, OpError> {
    let Some(last) = shape.rank().checked_sub(1).filter(|_| array.dtype() == DType::F32) else { return Ok(None) };
    // As many rows as fit, and no fewer in the end.
    let Some(some) = (1..=shape[last].min(ROOM / length.max(1))).rev().find(|&some| shape[last].is_multiple_of(some))
    else {
        return Ok(None);
    };
    let mut block = array.shape().to_vec();
    block[..last].fill(1);
    block[last] = some;
    if !array.may_stay_unmade(&block) {
        return Ok(None);
    }
    let mut result = filled(shape, 0.0f32)?;
    let failed: Mutex<Option<OpError>> = Mutex::new(None);
    let reduce = |number: usize, part: &mut [f32]| -> Result<(), OpError> {
        let missing = || OpError::argument("reduce", "the elements of an array can no longer be computed apart");
        let mut unmade = array.unmade(&block).ok_or_else(missing)?;
        let (mut tile, mut lanes) = (Array::zeros(DType::F32, [some * length])?, Lanes::default());
        for (place, part) in part.chunks_exact_mut(some).enumerate() {
            unmade.block((number * TURN + place) * some * length, &mut tile, &mut lanes)?;
            middle(combine, tile.elements().unwrap_or_default(), [some, length, 1], part);
        }
        Ok(())
    };
    spread(result.chunks_mut(some * TURN).enumerate().collect(), |(number, part)| {
        if let Err(error) = reduce(number, part) {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        // Whoever computes all of it says what is wrong.
        Some(_) => Ok(None),
        None => Ok(Some(Array::from_parts(DType::F32, shape.clone(), crate::Buffer::F32(result)))),
    }
}

#[cfg(test)]
mod tests {
    use crate::deferred::deferring;
    use crate::ops::{BinaryOp, ReduceOp, binary, convert, reduce};
    use crate::{Array, DType, Scalar};

    #[test]
    fn rows_that_are_not_there_give_what_those_that_are_give() {
        for shape in [[600, 700], [3, 100_000], [1024, 256]] {
            let value = |i: usize| Scalar::Float(((i * 37 % 1001) as f64 - 500.0) * 0.37);
            let values: Vec<Scalar> = (0..shape[0] * shape[1]).map(value).collect();
            let array = Array::from_scalars(DType::BF16, shape, &values).expect("as many");
            for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min] {
                let product = || {
                    let wide = convert(&array, DType::F32)?;
                    binary(BinaryOp::Mul, wide.clone(), wide)
                };
                let expected = reduce(op, &product().expect("floats"), &[1]).expect("floats");
                let found = deferring(|| reduce(op, &product()?, &[1])).expect("floats");
                let bits = |array: &Array| -> Vec<u32> {
                    array.elements::<f32>().unwrap_or_default().iter().map(|x| x.to_bits()).collect()
                };
                assert_eq!(bits(&found), bits(&expected), "{op:?} of {shape:?}");
            }
        }
    }
}
