//! One operand of a launch as it runs: the whole array, and the block that is in the kernel's Ref. A block is written back
//! when it moves away, not after every program: nobody else reads the array in between.
//!
//! JAX pads arrays to whole blocks. Here a block that reaches past the end of its array is put together when it is brought, and
//! the array stays what it is; only where a program can come back to padding that was written is there a padded copy of it all.

use crate::error::RunError;
use crate::fill;
use crate::journal::Journal;
use crate::later::{Later, Layout, Window, Workshop, block_layout};
use crate::memory::{Memory, View, ViewDim};
use crate::outputs::OutputPart;
use pallas_ir::{BlockDim, Interpretation, Operand};
use pallas_tensor::ops::{self, PadDimension};
use pallas_tensor::{Array, DType, Scalar, Shape, Unmade};
use smallvec::SmallVec;
use std::rc::Rc;

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
        Ok(Array::full(self.dtype, shape.clone(), fill::output(self.dtype, self.interpretation))?)
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
        self.inside(&self.asked(indices))
    }

    /// The same of first elements.
    pub(crate) fn inside(&self, asked: &Starts) -> Starts {
        let inside = |((&start, dim), &padded): ((&i64, &BlockDim), &usize)| {
            let padded = padded as i64;
            let start = if start < 0 { start + padded } else { start };
            start.clamp(0, (padded - dim.size() as i64).max(0))
        };
        asked.iter().zip(&self.dims).zip(&self.padded).map(inside).collect()
    }

    /// First elements of the block with these indices, wherever they lie.
    pub(crate) fn asked(&self, indices: &[i64]) -> Starts {
        let start = |(axis, dim): (usize, &BlockDim)| {
            let index = indices.get(axis).copied().unwrap_or(0);
            // JAX computes starts as i32.
            i64::from(match dim {
                BlockDim::Blocked(size) => (index as i32).wrapping_mul(*size as i32),
                BlockDim::Squeezed | BlockDim::Element { .. } => index as i32,
            })
        };
        self.dims.iter().enumerate().map(start).collect()
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

/// Where blocks come from and go to.
#[derive(Debug)]
pub(crate) enum Carry<'a> {
    /// The array, padded or as it is; a scalar placeholder while the block is the whole of it.
    Array(Array),
    /// An output, or as much of it as this thread fills.
    Part(OutputPart<'a>),
}

/// An operand in motion.
#[derive(Debug)]
pub(crate) struct BlockState<'a> {
    carry: Carry<'a>,
    /// The kernel's Ref.
    pub(crate) buffer: usize,
    /// Where the block in the Ref begins.
    starts: Option<Starts>,
    /// For windows on blocks.
    shown: Option<Shown>,
    /// Computes blocks of an array that is not there.
    unmade: Option<Unmade>,
    /// Whether it is an output that is kept as a list of tiles.
    apart: bool,
}

/// An array whose blocks are looked at where they lie.
#[derive(Debug)]
struct Shown {
    array: Rc<Array>,
    strides: SmallVec<[usize; 6]>,
    /// Of a block.
    layout: Rc<Layout>,
}

impl Shown {
    /// How many elements one block lies behind another.
    fn distance(&self, from: &[i64], to: &[i64]) -> isize {
        let steps = to.iter().zip(from).zip(&self.strides);
        steps.map(|((to, from), &stride)| (to - from) as isize * stride as isize).sum()
    }
}

impl<'a> BlockState<'a> {
    /// Starts with what blocks come from.
    pub(crate) fn new(plan: &BlockPlan, carry: Carry<'a>, memory: &mut Memory) -> BlockState<'a> {
        let buffer = memory.add(Array::scalar(plan.dtype, Scalar::zero(plan.dtype)));
        let unmade = match &carry {
            Carry::Array(array) if !plan.is_one() => array.unmade(&plan.block),
            _ => None,
        };
        BlockState { carry, buffer, starts: None, shown: None, unmade, apart: false }
    }

    /// The state of an output in main memory that is only copied to, which keeps what comes as a list of tiles.
    pub(crate) fn apart(plan: &BlockPlan, memory: &mut Memory) -> BlockState<'a> {
        let nothing = Carry::Array(Array::scalar(plan.dtype, Scalar::zero(plan.dtype)));
        let state = BlockState::new(plan, nothing, memory);
        memory.buffers[state.buffer].journal = Some(Journal::new(plan.array.size()));
        // It is there from the beginning: nothing is brought.
        BlockState { starts: Some(Starts::from_elem(0, plan.block.rank())), apart: true, ..state }
    }

    /// Has an array of its own hold zeros before the first block is brought.
    pub(crate) fn start_from_zero(&mut self, plan: &BlockPlan) -> Result<(), RunError> {
        if let (Carry::Array(carry), false) = (&mut self.carry, self.apart) {
            *carry = Array::zeros(plan.dtype, plan.padded.clone())?;
        }
        Ok(())
    }

    /// Whether the block in the Ref is the one with these indices.
    pub(crate) fn is_at(&self, plan: &BlockPlan, indices: &[i64]) -> bool {
        self.starts.as_ref().is_some_and(|starts| *starts == plan.starts(indices))
    }

    /// Whether what is written here is kept as a list of tiles.
    pub(crate) fn is_apart(&self) -> bool {
        self.apart
    }

    /// Whether there is a block in the Ref.
    pub(crate) fn has_block(&self) -> bool {
        self.starts.is_some()
    }

    /// Whether the block in the Ref is to go back.
    pub(crate) fn is_written(&self, memory: &Memory) -> bool {
        self.starts.is_some() && memory.buffers[self.buffer].written
    }

    /// Whether blocks may be looked at where they lie.
    pub(crate) fn shows(&self) -> bool {
        matches!(self.carry, Carry::Array(_)) && self.unmade.is_none()
    }

    /// A window on the block that begins there; the next program's is said to begin at `next`.
    fn window(&mut self, plan: &BlockPlan, starts: &[i64], next: Option<&Starts>) -> Option<Window> {
        let Carry::Array(carry) = &self.carry else { return None };
        let inside = plan.is_bare(carry.shape()).then(|| plan.overlap(starts));
        if inside.as_ref().is_some_and(|overlap| !overlap.is_whole) {
            return None;
        }
        if self.shown.is_none() {
            let shape = carry.shape();
            let mut sizes = shape.iter().zip(&plan.block);
            if shape.rank() != plan.block.rank() || !sizes.all(|(all, size)| size <= all) {
                return None;
            }
            let layout = block_layout(shape, &plan.reference, |axis| plan.keeps(axis));
            self.shown = Some(Shown { array: Rc::new(carry.clone()), strides: shape.strides(), layout });
        }
        let shown = self.shown.as_ref()?;
        let Shown { array, strides, layout } = shown;
        let base = match inside {
            Some(overlap) => overlap.from.iter().zip(strides).map(|(&start, &stride)| start * stride).sum(),
            None => starts.iter().zip(strides).map(|(&start, &stride)| start as usize * stride).sum(),
        };
        let next = next.map(|next| shown.distance(starts, next));
        Some(Window { array: array.clone(), base, layout: layout.clone(), next })
    }

    /// Brings the block with these indices into the Ref: `lazily` as a window where that is possible. The next program's block
    /// is the one with the indices `next`, where they are known.
    pub(crate) fn bring(
        &mut self,
        plan: &BlockPlan,
        (indices, next): (&[i64], Option<&[i64]>),
        memory: &mut Memory,
        lazily: bool,
    ) -> Result<(), RunError> {
        let starts = plan.starts(indices);
        let next = next.map(|next| plan.starts(next));
        if self.starts.as_ref() == Some(&starts) {
            if let (Some(Later::Block(window)), Some(shown)) = (&mut memory.buffers[self.buffer].later, &self.shown) {
                window.next = next.map(|next| shown.distance(&starts, &next));
            }
            return Ok(());
        }
        self.write_back(plan, memory)?;
        if let (true, Some(unmade), Carry::Array(carry)) = (lazily, &mut self.unmade, &self.carry) {
            let first =
                starts.iter().zip(carry.shape().strides()).map(|(&start, stride)| start as usize * stride).sum();
            // The tile before is done with, and is the next one.
            drop(memory.take(self.buffer));
            let Workshop { lanes, tiles, .. } = &mut memory.workshop;
            let mut tile = tiles.take(plan.dtype, &plan.reference)?;
            unmade.block(first, &mut tile, lanes)?;
            tiles.keep(&tile);
            let slot = &mut memory.buffers[self.buffer];
            (slot.array, slot.later, slot.written) = (tile, None, false);
            self.starts = Some(starts);
            return Ok(());
        }
        if lazily
            && !plan.is_one()
            && let Some(window) = self.window(plan, &starts, next.as_ref())
        {
            let slot = &mut memory.buffers[self.buffer];
            slot.later = Some(Later::Block(window));
            slot.written = false;
            self.starts = Some(starts);
            return Ok(());
        }
        let block = match &mut self.carry {
            // The block is all there is: it moves in.
            Carry::Array(carry) if plan.is_one() => {
                let nothing = Array::scalar(plan.dtype, Scalar::zero(plan.dtype));
                plan.pad(std::mem::replace(carry, nothing))?
            }
            Carry::Array(carry) if plan.is_bare(carry.shape()) => plan.cut(carry, &starts)?,
            Carry::Array(carry) => ops::dynamic_slice(carry, &starts, &plan.block)?,
            Carry::Part(part) => part.read(plan, &starts)?,
        };
        // Without this the reshaped block would share its elements with the one in hand.
        let block = {
            let reshaped = ops::reshape(&block, plan.reference.clone())?;
            drop(block);
            reshaped
        };
        let slot = &mut memory.buffers[self.buffer];
        slot.array = block;
        slot.later = None;
        slot.written = false;
        self.starts = Some(starts);
        Ok(())
    }

    /// Puts the block in the Ref back into the array, if there is one and it was written.
    pub(crate) fn write_back(&mut self, plan: &BlockPlan, memory: &mut Memory) -> Result<(), RunError> {
        let Some(starts) = self.starts.take() else {
            return Ok(());
        };
        let whole = matches!(self.carry, Carry::Array(_)) && plan.is_one();
        if !memory.buffers[self.buffer].written && !whole {
            return Ok(());
        }
        if let (Carry::Part(part), Some(Later::Chain(pending))) = (&mut self.carry, &memory.buffers[self.buffer].later)
        {
            let Workshop { chains, lanes, .. } = &mut memory.workshop;
            part.compute(plan, &starts, |target| pending.compute(chains, target, lanes))?;
            memory.buffers[self.buffer].later = None;
            return Ok(());
        }
        memory.settle(self.buffer)?;
        // Windows on the array would have it copied.
        self.shown = None;
        let block = memory.take(self.buffer);
        match &mut self.carry {
            Carry::Part(part) => part.write(plan, &starts, &block)?,
            Carry::Array(carry) => {
                let reshaped = ops::reshape(&block, plan.block.clone())?;
                drop(block);
                if whole {
                    *carry = reshaped;
                    return Ok(());
                }
                let nothing = Array::scalar(plan.dtype, Scalar::zero(plan.dtype));
                // What was written to padding is there when the block comes back.
                let taken = plan.pad(std::mem::replace(carry, nothing))?;
                *carry = ops::dynamic_update_slice(taken, &reshaped, &starts)?;
            }
        }
        Ok(())
    }

    /// The array at the end, without its padding; nothing of a part.
    pub(crate) fn finish(mut self, plan: &BlockPlan, memory: &mut Memory) -> Result<Option<Array>, RunError> {
        self.write_back(plan, memory)?;
        match self.carry {
            Carry::Array(carry) => plan.unpad(carry).map(Some),
            Carry::Part(_) => Ok(None),
        }
    }
}
