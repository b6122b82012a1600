//! Reductions of arrays whose elements have not been computed, and cost little: they are computed some at a time and reduced while
//! they are in the caches, so that nobody writes the array down and reads it back.

use crate::array::{Array, filled};
use crate::dtype::DType;
use crate::error::OpError;
use crate::ops::fused::Lanes;
use crate::ops::number::Float;
use crate::ops::reduce_lanes::{Combine, WINDOW, middle};
use crate::ops::tree::{Reduction, add_windows, tree_of_windows};
use crate::shape::Shape;
use crate::threads::spread;
use std::sync::atomic::{AtomicBool, Ordering};

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
    let blocks = Blocks::of(array, &block);
    spread(result.chunks_mut(some * TURN).enumerate().collect(), |(number, part): (usize, &mut [f32])| {
        let mut parts = part.chunks_exact_mut(some);
        let firsts = (0..parts.len()).map(|place| (number * TURN + place) * some * length);
        blocks.each(firsts, |elements| {
            if let Some(part) = parts.next() {
                middle(combine, elements, [some, length, 1], part);
            }
        });
    });
    let result = || Array::from_parts(DType::F32, shape.clone(), crate::Buffer::F32(result));
    Ok(blocks.are_done().then(result))
}

/// The sum of all elements, in XLA's order; `None` where the array is there, is asked for again, costs more, or has other dimensions than
/// some whole windows with others in them.
pub(super) fn sum(array: &Array) -> Result<Option<Array>, OpError> {
    let dims = array.shape();
    let Some(long) = dims.iter().position(|&size| size != 1).filter(|_| array.dtype() == DType::F32) else {
        return Ok(None);
    };
    let stride: usize = dims[long + 1..].iter().product();
    if !dims[long].is_multiple_of(WINDOW) || dims[long] == WINDOW || !(2..=ROOM).contains(&stride) {
        return Ok(None);
    }
    let Some(some) = (1..=ROOM / stride).rev().find(|some| WINDOW.is_multiple_of(*some)) else { return Ok(None) };
    let mut block = dims.to_vec();
    block[long] = some;
    if !array.may_stay_unmade(&block) {
        return Ok(None);
    }
    let blocks = Blocks::of(array, &block);
    let reduction = Reduction { combine: Float::plus, windows: add_windows };
    let sum = tree_of_windows(&dims[long..], 0.0, &reduction, |window, add| {
        let rows = (window * WINDOW..(window + 1) * WINDOW).step_by(some);
        blocks.each(rows.map(|row| row * stride), add);
    });
    blocks.are_done().then(|| Array::from_f32s(Shape::scalar(), &[sum])).transpose()
}

/// The blocks of an array that is not there, for several threads.
struct Blocks<'a> {
    array: &'a Array,
    block: &'a [usize],
    failed: AtomicBool,
}

impl<'a> Blocks<'a> {
    fn of(array: &'a Array, block: &'a [usize]) -> Blocks<'a> {
        Blocks { array, block, failed: AtomicBool::new(false) }
    }

    /// Has somebody take the elements of those that begin with certain elements of the array.
    fn each(&self, firsts: impl Iterator<Item = usize>, take: impl FnMut(&[f32])) {
        if self.computed(firsts, take).is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    fn computed(&self, firsts: impl Iterator<Item = usize>, mut take: impl FnMut(&[f32])) -> Result<(), OpError> {
        let missing = || OpError::argument("reduce", "the elements of an array can no longer be computed apart");
        let mut unmade = self.array.unmade(self.block).ok_or_else(missing)?;
        let (mut tile, mut lanes) = (Array::zeros(DType::F32, [self.block.iter().product()])?, Lanes::default());
        for first in firsts {
            unmade.block(first, &mut tile, &mut lanes)?;
            take(tile.elements().unwrap_or_default());
        }
        Ok(())
    }

    /// Whether all that somebody asked for was there. If not, whoever computes all of the array says what is wrong.
    fn are_done(self) -> bool {
        !self.failed.into_inner()
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

    /// Dimensions in front, several behind, a last window that is not full, and what is left to others.
    #[test]
    fn sums_of_all_that_is_not_there_are_those_of_what_is() {
        for shape in [&[1024, 700][..], &[1, 64, 40, 130], &[96, 3000], &[600, 700], &[2, 512, 512], &[32, 16384]] {
            let size = shape.iter().product::<usize>();
            let values: Vec<f32> = (0..size).map(|i| ((i * 37 % 1001) as f32 - 500.0) * 0.37).collect();
            let array = Array::from_f32s(shape, &values).expect("as many");
            let axes: Vec<usize> = (0..shape.len()).collect();
            let square = || binary(BinaryOp::Mul, array.clone(), array.clone());
            let expected = reduce(ReduceOp::Sum, &square().expect("floats"), &axes).expect("floats");
            let found = deferring(|| reduce(ReduceOp::Sum, &square()?, &axes)).expect("floats");
            assert!(found.same_bits(&expected), "{shape:?}");
        }
    }
}
