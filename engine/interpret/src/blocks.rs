//! One operand of a launch as it runs: the whole array, and the block that is in the kernel's Ref. A block is written back
//! when it moves away, not after every program: nobody else reads the array in between.
//!
//! JAX pads arrays to whole blocks. Here a block that reaches past the end of its array is put together when it is brought, and
//! the array stays what it is; only where a program can come back to padding that was written is there a padded copy of it all.

use crate::block_plan::{BlockPlan, Starts};
use crate::error::RunError;
use crate::journal::Journal;
use crate::later::{Later, Layout, Window, Workshop, block_layout};
use crate::memory::Memory;
use crate::outputs::OutputPart;
use pallas_tensor::ops;
use pallas_tensor::ops::fused::Target;
use pallas_tensor::{Array, Scalar, Unmade};
use smallvec::SmallVec;
use std::rc::Rc;

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
        let buffer = memory.add(Array::scalar(plan.dtype(), Scalar::zero(plan.dtype())));
        let unmade = match &carry {
            Carry::Array(array) if !plan.is_one() => array.unmade(plan.block()),
            _ => None,
        };
        BlockState { carry, buffer, starts: None, shown: None, unmade, apart: false }
    }

    /// The state of an output in main memory that is only copied to, which keeps what comes as a list of tiles.
    pub(crate) fn apart(plan: &BlockPlan, memory: &mut Memory) -> BlockState<'a> {
        let nothing = Carry::Array(Array::scalar(plan.dtype(), Scalar::zero(plan.dtype())));
        let state = BlockState::new(plan, nothing, memory);
        memory.buffers[state.buffer].journal = Some(Journal::new(plan.array().size()));
        // It is there from the beginning: nothing is brought.
        BlockState { starts: Some(Starts::from_elem(0, plan.block().rank())), apart: true, ..state }
    }

    /// Has an array of its own hold zeros before the first block is brought.
    pub(crate) fn start_from_zero(&mut self, plan: &BlockPlan) -> Result<(), RunError> {
        if let (Carry::Array(carry), false) = (&mut self.carry, self.apart) {
            *carry = Array::zeros(plan.dtype(), plan.padded().clone())?;
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
            let mut sizes = shape.iter().zip(plan.block());
            if shape.rank() != plan.block().rank() || !sizes.all(|(all, size)| size <= all) {
                return None;
            }
            let layout = block_layout(shape, plan.reference(), |axis| plan.keeps(axis));
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
            let mut tile = tiles.take(plan.dtype(), plan.reference())?;
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
            memory.defer(self.buffer, Later::Block(window), false);
            self.starts = Some(starts);
            return Ok(());
        }
        if let (true, Carry::Part(part)) = (lazily, &self.carry)
            && part.is_unwritten(plan, &starts)
        {
            memory.defer(self.buffer, Later::Unwritten(plan.reference().clone(), plan.unwritten()), false);
            self.starts = Some(starts);
            return Ok(());
        }
        let block = match &mut self.carry {
            // The block is all there is: it moves in.
            Carry::Array(carry) if plan.is_one() => {
                let nothing = Array::scalar(plan.dtype(), Scalar::zero(plan.dtype()));
                plan.pad(std::mem::replace(carry, nothing))?
            }
            Carry::Array(carry) if plan.is_bare(carry.shape()) => plan.cut(carry, &starts)?,
            Carry::Array(carry) => ops::dynamic_slice(carry, &starts, plan.block())?,
            Carry::Part(part) => part.read(plan, &starts)?,
        };
        // Without this the reshaped block would share its elements with the one in hand.
        let block = {
            let reshaped = ops::reshape(&block, plan.reference().clone())?;
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

    /// Has the block computed where it belongs, in the place of what the Ref holds; false where it has no such place.
    pub(crate) fn compute(
        &mut self,
        plan: &BlockPlan,
        compute: &mut dyn FnMut(&mut Target<'_>),
    ) -> Result<bool, RunError> {
        let (Carry::Part(part), Some(starts)) = (&mut self.carry, &self.starts) else { return Ok(false) };
        part.compute(plan, starts, |target| {
            compute(target);
            Ok(())
        })?;
        Ok(true)
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
                let reshaped = ops::reshape(&block, plan.block().clone())?;
                drop(block);
                if whole {
                    *carry = reshaped;
                    return Ok(());
                }
                let nothing = Array::scalar(plan.dtype(), Scalar::zero(plan.dtype()));
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
