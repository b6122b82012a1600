//! How an operand of a launch is cut into blocks: sizes, padding, and where the block with some indices lies. What a program has of
//! it is in [`crate::blocks`].

use crate::error::RunError;
use crate::fill;
use crate::memory::{View, ViewDim};
use pallas_ir::{BlockDim, Interpretation, Operand};
use pallas_tensor::ops::{self, PadDimension};
use pallas_tensor::{Array, DType, Scalar, Shape};
use smallvec::SmallVec;

/// Where a block begins, along each dimension of the padded array.
pub(crate) type Starts = SmallVec<[i64; 4]>;

/// What does not change from run to run.
#[derive(Clone, Debug)]
pub(crate) struct BlockPlan {
    dtype: DType,
    interpretation: Interpretation,
    /// The array's extents.
    array: Shape,
    /// Virtual elements before and after the array (`Element` blocks).
    virtual_padding: Vec<(usize, usize)>,
    /// The array's extents with virtual padding, made a multiple of the block's.
    padded: Shape,
    dims: Vec<BlockDim>,
    /// The block's extents, 1 where squeezed.
    block: Shape,
    /// The Ref's extents.
    reference: Shape,
}

impl BlockPlan {
    pub(crate) fn new(operand: &Operand, interpretation: Interpretation) -> Result<BlockPlan, RunError> {
        let array = operand.array.shape.clone();
        let malformed = |message: &str| RunError::malformed(format!("operand {} {message}", operand.name));
        if operand.block.len() != array.rank() {
            return Err(malformed("has not one block size per dimension"));
        }
        if operand.block.iter().any(|dim| dim.size() == 0) && array.size() > 0 {
            return Err(malformed("has a block size of 0"));
        }
        let virtual_padding: Vec<(usize, usize)> = operand
            .block
            .iter()
            .map(|dim| match dim {
                BlockDim::Element { low, high, .. } => (*low, *high),
                _ => (0, 0),
            })
            .collect();
        let padded = array
            .iter()
            .zip(&virtual_padding)
            .zip(&operand.block)
            .map(|((&size, &(low, high)), dim)| {
                let size = size.saturating_add(low).saturating_add(high);
                // As `_pad_to_block_dimension`: an empty dimension stays empty.
                size.div_ceil(dim.size().max(1)).saturating_mul(dim.size())
            })
            .collect();
        Ok(BlockPlan {
            dtype: operand.array.dtype,
            interpretation,
            array,
            virtual_padding,
            padded,
            dims: operand.block.clone(),
            block: operand.block.iter().map(|dim| dim.size()).collect(),
            reference: operand.block_shape().into(),
        })
    }

    /// How many blocks there are along each dimension, if every block is one of them, so that two either are the same or
    /// have nothing in common.
    pub(crate) fn counts(&self) -> Option<SmallVec<[usize; 4]>> {
        let count = |(dim, &size): (&BlockDim, &usize)| match dim {
            BlockDim::Element { .. } => None,
            _ => size.checked_div(dim.size()),
        };
        self.dims.iter().zip(&self.padded).map(count).collect()
    }

    /// Whether the Ref has a dimension of the array.
    pub(crate) fn keeps(&self, axis: usize) -> bool {
        !matches!(self.dims.get(axis), Some(BlockDim::Squeezed))
    }

    /// Whether there is one block, the whole array.
    pub(crate) fn is_one(&self) -> bool {
        self.block == self.padded
    }

    /// The array's extents with its padding.
    pub(crate) fn padded(&self) -> &Shape {
        &self.padded
    }

    /// The block's extents, 1 where squeezed.
    pub(crate) fn block(&self) -> &Shape {
        &self.block
    }

    /// Elements that nobody has written.
    pub(crate) fn fresh(&self, shape: &Shape) -> Result<Array, RunError> {
        Ok(Array::full(self.dtype, shape.clone(), self.unwritten())?)
    }

    /// One of them.
    pub(crate) fn unwritten(&self) -> Scalar {
        fill::output(self.dtype, self.interpretation)
    }

    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    pub(crate) fn array(&self) -> &Shape {
        &self.array
    }

    /// The shape of the kernel's Ref.
    pub(crate) fn reference(&self) -> &Shape {
        &self.reference
    }

    /// Whether the array is longer than whole blocks say, on either side.
    pub(crate) fn is_padded(&self) -> bool {
        self.padded != self.array || self.virtual_padding.iter().any(|&(low, _)| low > 0)
    }

    /// Whether an array is longer than whole blocks say and has not been padded.
    pub(crate) fn is_bare(&self, shape: &Shape) -> bool {
        self.is_padded() && *shape == self.array && *shape != self.padded
    }

    /// Surrounds an array with uninitialised values, unless it has them.
    pub(crate) fn pad(&self, array: Array) -> Result<Array, RunError> {
        if !self.is_bare(array.shape()) {
            return Ok(array);
        }
        let padding: Vec<PadDimension> = self
            .virtual_padding
            .iter()
            .zip(self.array.iter().zip(&self.padded))
            .map(|(&(low, _), (&size, &padded))| PadDimension {
                low: low as i64,
                high: (padded - size - low) as i64,
                interior: 0,
            })
            .collect();
        let value = Array::scalar(self.dtype, fill::padding(self.dtype, self.interpretation));
        Ok(ops::pad(&array, &value, &padding)?)
    }

    /// Cuts the padding off.
    pub(crate) fn unpad(&self, array: Array) -> Result<Array, RunError> {
        if !self.is_padded() {
            return Ok(array);
        }
        let start: Vec<usize> = self.virtual_padding.iter().map(|&(low, _)| low).collect();
        let limit: Vec<usize> = start.iter().zip(&self.array).map(|(&low, &size)| low + size).collect();
        Ok(ops::crop(array, &start, &limit)?)
    }

    /// The part of an array without padding that the block which begins there has.
    pub(crate) fn overlap(&self, starts: &[i64]) -> Overlap {
        let mut overlap = Overlap { is_whole: true, ..Overlap::default() };
        for (axis, &start) in starts.iter().enumerate() {
            let low = self.virtual_padding.get(axis).map_or(0, |&(low, _)| low);
            let first = start - low as i64;
            let size = self.block[axis] as i64;
            let from = first.clamp(0, self.array[axis] as i64);
            let to = (first + size).clamp(from, self.array[axis] as i64);
            overlap.is_whole &= to - from == size;
            overlap.from.push(from as usize);
            overlap.to.push(to as usize);
            overlap.before.push((from - first).min(size) as usize);
        }
        overlap
    }

    /// The block of an array without padding that begins there.
    pub(crate) fn cut(&self, array: &Array, starts: &[i64]) -> Result<Array, RunError> {
        let overlap = self.overlap(starts);
        let there = ops::slice(array, &overlap.from, &overlap.to, None)?;
        if overlap.is_whole {
            return Ok(there);
        }
        self.surrounded(&there, &overlap.before)
    }

    /// What there is of a block at its beginning, with uninitialised values behind it.
    pub(crate) fn extended(&self, there: &Array) -> Result<Array, RunError> {
        let before: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.block.rank());
        self.surrounded(there, &before)
    }

    /// The beginning of a block, as much as `sizes` says.
    pub(crate) fn shortened(&self, block: &Array, sizes: &Shape) -> Result<Array, RunError> {
        let block = ops::reshape(block, self.block.clone())?;
        let zeros: SmallVec<[usize; 4]> = SmallVec::from_elem(0, sizes.rank());
        Ok(ops::slice(&block, &zeros, sizes, None)?)
    }

    /// What there is of a block that has so much before it, with uninitialised values around it.
    fn surrounded(&self, there: &Array, before: &[usize]) -> Result<Array, RunError> {
        let sizes = there.shape().iter().zip(&self.block);
        let padding: SmallVec<[PadDimension; 4]> = sizes
            .zip(before)
            .map(|((&there, &block), &before)| PadDimension {
                low: before as i64,
                high: (block - there - before) as i64,
                interior: 0,
            })
            .collect();
        let value = Array::scalar(self.dtype, fill::padding(self.dtype, self.interpretation));
        Ok(ops::pad(there, &value, &padding)?)
    }

    /// First elements of the block with these indices in the padded array, as `dynamic_slice` moves them inside:
    /// negative ones count from the end once.
    pub(crate) fn starts(&self, indices: &[i64]) -> Starts {
        // (Every program asks for this, for each operand and the next program's: it is one loop.)
        let mut starts = Starts::new();
        for (axis, (dim, &padded)) in self.dims.iter().zip(&self.padded).enumerate() {
            starts.push(inside(asked(dim, indices.get(axis)), dim, padded));
        }
        starts
    }

    /// The same of first elements.
    pub(crate) fn inside(&self, asked: &Starts) -> Starts {
        let dims = asked.iter().zip(&self.dims).zip(&self.padded);
        dims.map(|((&start, dim), &padded)| inside(start, dim, padded)).collect()
    }

    /// First elements of the block with these indices, wherever they lie.
    pub(crate) fn asked(&self, indices: &[i64]) -> Starts {
        self.dims.iter().enumerate().map(|(axis, dim)| asked(dim, indices.get(axis))).collect()
    }

    /// Where an element of the array is in the Ref of the block with these indices; none where the block does not have it.
    pub(crate) fn place(&self, element: &[usize], indices: &[i64]) -> Option<Vec<usize>> {
        let starts = self.starts(indices);
        let mut place = Vec::with_capacity(element.len());
        for (axis, (&at, &start)) in element.iter().zip(&starts).enumerate() {
            let low = self.virtual_padding.get(axis).map_or(0, |&(low, _)| low);
            let inside = (at + low).checked_sub(usize::try_from(start).ok()?)?;
            if inside >= self.block[axis] {
                return None;
            }
            if self.keeps(axis) {
                place.push(inside);
            }
        }
        Some(place)
    }

    /// Whether a block that begins there leaves the padded array.
    pub(crate) fn leaves(&self, asked: &Starts) -> bool {
        let mut dims = asked.iter().zip(&self.block).zip(&self.padded);
        dims.any(|((&start, &size), &padded)| start < 0 || start + size as i64 > padded as i64)
    }

    /// The part of an array in a buffer that is the block that begins there.
    pub(crate) fn view(&self, buffer: usize, starts: &Starts) -> View {
        let dims = self.dims.iter().zip(starts).map(|(dim, &start)| match dim {
            BlockDim::Squeezed => ViewDim::At(start as usize),
            _ => ViewDim::Range { start: start as usize, size: dim.size(), stride: 1 },
        });
        View { buffer, dims: dims.collect(), through: None }
    }
}

/// The first element along a dimension.
#[inline]
fn asked(dim: &BlockDim, index: Option<&i64>) -> i64 {
    // JAX computes starts as i32.
    let index = index.copied().unwrap_or(0) as i32;
    i64::from(match dim {
        BlockDim::Blocked(size) => index.wrapping_mul(*size as i32),
        BlockDim::Squeezed | BlockDim::Element { .. } => index,
    })
}

/// The same as it is moved inside.
#[inline]
fn inside(start: i64, dim: &BlockDim, padded: usize) -> i64 {
    let padded = padded as i64;
    let start = if start < 0 { start + padded } else { start };
    start.clamp(0, (padded - dim.size() as i64).max(0))
}

/// What a block has of its array.
#[derive(Debug, Default)]
pub(crate) struct Overlap {
    /// First, and one past the last, along each dimension of the array.
    pub(crate) from: SmallVec<[usize; 4]>,
    pub(crate) to: SmallVec<[usize; 4]>,
    /// How much of the block lies before the array.
    pub(crate) before: SmallVec<[usize; 4]>,
    /// Whether the block lies in the array.
    pub(crate) is_whole: bool,
}
