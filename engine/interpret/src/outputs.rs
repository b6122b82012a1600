//! Outputs in the making: arrays whose blocks nobody has written yet need not hold anything, so nothing is filled or read
//! before the first program comes to a block; and they can be cut into boxes that threads fill apart from each other.

use crate::block_plan::BlockPlan;
use crate::error::RunError;
use pallas_tensor::ops::fused::Target;
use pallas_tensor::{Array, Part, Pieces, Shape};
use smallvec::SmallVec;

/// One output.
#[derive(Debug)]
pub(crate) struct Output {
    /// With its padding, unless no block comes back: what is written there is nobody's then.
    array: Array,
    /// Whether nobody has used its memory before.
    is_new: bool,
    /// Which blocks hold something, in row-major order; none where all do.
    written: Vec<bool>,
}

impl Output {
    /// Starts with an array; `None` is uninitialised. Blocks come once, or may come back.
    pub(crate) fn new(plan: &BlockPlan, start: Option<Array>, goes_once: bool) -> Result<Output, RunError> {
        if let Some(start) = start {
            let array = if goes_once { start } else { plan.pad(start)? };
            return Ok(Output { array, is_new: false, written: Vec::new() });
        }
        let shape = if goes_once { plan.array() } else { plan.padded() };
        match plan.counts() {
            Some(counts) => {
                let blocks = counts.iter().product();
                let (array, is_used) = Array::room(plan.dtype(), shape.clone())?;
                Ok(Output { array, is_new: !is_used, written: vec![false; blocks] })
            }
            None => Ok(Output { array: plan.fresh(plan.padded())?, is_new: false, written: Vec::new() }),
        }
    }

    /// All of it, to be written.
    pub(crate) fn part(&mut self) -> OutputPart<'_> {
        let part = self.array.part();
        let part = if self.is_new { part.in_new_memory() } else { part };
        let before = SmallVec::from_elem(0, part.shape().rank());
        OutputPart { part, written: Pieces::whole(&mut self.written), before, fresh: None, strides: None }
    }

    /// The array without its padding; blocks that nobody has written are what fresh memory is.
    pub(crate) fn finish(mut self, plan: &BlockPlan) -> Result<Array, RunError> {
        if let Some(counts) = plan.counts()
            && self.written.contains(&false)
        {
            let fresh = plan.fresh(plan.block())?;
            let mut part = self.array.part();
            for number in (0..self.written.len()).filter(|&number| !self.written[number]) {
                let mut rest = number;
                let mut starts: SmallVec<[usize; 4]> = SmallVec::from_elem(0, counts.len());
                for axis in (0..counts.len()).rev() {
                    starts[axis] = rest % counts[axis] * plan.block()[axis];
                    rest /= counts[axis];
                }
                write_inside(&mut part, plan, &starts, &fresh)?;
            }
        }
        if self.array.shape() == plan.array() { Ok(self.array) } else { plan.unpad(self.array) }
    }
}

/// Where what programs write to an output goes.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one for each output of a run of programs")]
pub(crate) enum Filled<'a> {
    /// To the output, or to as much of it as this thread fills.
    Part(OutputPart<'a>),
    /// To the one block that is all of it.
    Whole,
    /// To a list of tiles: other threads copy to other places.
    Apart,
}

/// An output, or a box of its blocks.
#[derive(Debug)]
pub(crate) struct OutputPart<'a> {
    part: Part<'a>,
    /// Which blocks hold something, if that is known.
    written: Pieces<&'a mut [bool]>,
    /// How many rows are missing before this part, along each dimension.
    before: SmallVec<[usize; 4]>,
    /// A block that nobody has written.
    fresh: Option<Array>,
    /// Strides of the array along the dimensions that the Ref has, once they are needed.
    strides: Option<Vec<isize>>,
}

impl<'a> OutputPart<'a> {
    /// The first `count` blocks along a dimension, and the rest. It was not cut along a later dimension before.
    pub(crate) fn split(
        self,
        plan: &BlockPlan,
        axis: usize,
        count: usize,
    ) -> Result<(OutputPart<'a>, OutputPart<'a>), RunError> {
        let OutputPart { part, written, before, .. } = self;
        let (all, size) = (part.shape()[axis], plan.block()[axis]);
        let rows = count.saturating_mul(size).min(all);
        let (first_written, rest_written) = match written.is_empty() {
            true => (Pieces::whole(&mut [][..]), Pieces::whole(&mut [][..])),
            false => {
                let sizes = part.shape().iter().zip(plan.block());
                let blocks: Shape = sizes.map(|(all, size)| all.div_ceil(*size)).collect();
                written.split(&blocks, axis, rows.div_ceil(size))?
            }
        };
        let (first, rest) = part.split(axis, rows)?;
        let mut behind = before.clone();
        behind[axis] += rows;
        let part = |part, written, before| OutputPart { part, written, before, fresh: None, strides: None };
        Ok((part(first, first_written, before), part(rest, rest_written, behind)))
    }

    /// Where a block begins in this part.
    fn inside(&self, starts: &[i64]) -> SmallVec<[usize; 4]> {
        // One that begins before is found to lie outside by whoever reads or writes.
        starts.iter().zip(&self.before).map(|(&start, &before)| (start as usize).wrapping_sub(before)).collect()
    }

    /// The number of a block among those of this part.
    fn number(&self, plan: &BlockPlan, inside: &[usize]) -> usize {
        let sizes = self.part.shape().iter().zip(plan.block());
        inside
            .iter()
            .zip(sizes)
            .fold(0, |number, (&start, (&size, &block))| number * size.div_ceil(block) + start / block)
    }

    /// Whether nobody has written the block that begins there.
    pub(crate) fn is_unwritten(&self, plan: &BlockPlan, starts: &[i64]) -> bool {
        let place = self.written.place(self.number(plan, &self.inside(starts)));
        place.is_some_and(|(written, place)| !written[place])
    }

    /// The block that begins there.
    pub(crate) fn read(&mut self, plan: &BlockPlan, starts: &[i64]) -> Result<Array, RunError> {
        let inside = self.inside(starts);
        if !self.is_unwritten(plan, starts) {
            let (sizes, overhangs) = inside_of(&self.part, &inside, plan.block());
            let there = self.part.read(&inside, &sizes)?;
            return if overhangs { plan.extended(&there) } else { Ok(there) };
        }
        if self.fresh.is_none() {
            self.fresh = Some(plan.fresh(plan.block())?);
        }
        self.fresh.clone().ok_or_else(|| RunError::malformed("a fresh block is missing"))
    }

    /// Has a block computed where it belongs.
    pub(crate) fn compute(
        &mut self,
        plan: &BlockPlan,
        starts: &[i64],
        compute: impl FnOnce(&mut Target<'_>) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let inside = self.inside(starts);
        let (_, overhangs) = inside_of(&self.part, &inside, plan.block());
        if overhangs || !self.part.is_stretch() {
            let mut block = Array::unwritten(plan.dtype(), plan.reference().clone())?;
            compute(&mut Target::whole(&mut block))?;
            write_inside(&mut self.part, plan, &inside, &block)?;
            self.mark(plan, &inside);
            return Ok(());
        }
        if self.strides.is_none() {
            self.strides = Some(self.part.strides(|axis| plan.keeps(axis)));
        }
        let strides = self.strides.as_deref().unwrap_or_default();
        compute(&mut self.part.target(&inside, plan.block(), strides)?)?;
        self.mark(plan, &inside);
        Ok(())
    }

    /// Remembers that a block was written.
    fn mark(&mut self, plan: &BlockPlan, inside: &[usize]) {
        if let Some((written, place)) = self.written.place_mut(self.number(plan, inside)) {
            written[place] = true;
        }
    }

    /// Puts a block back.
    pub(crate) fn write(&mut self, plan: &BlockPlan, starts: &[i64], block: &Array) -> Result<(), RunError> {
        let inside = self.inside(starts);
        write_inside(&mut self.part, plan, &inside, block)?;
        self.mark(plan, &inside);
        Ok(())
    }
}

/// How much of a block that begins there is inside, and whether some of it is not.
fn inside_of(part: &Part<'_>, inside: &[usize], block: &Shape) -> (Shape, bool) {
    let sizes = part.shape().iter().zip(inside.iter().zip(block));
    // A block that begins outside is found to by whoever reads or writes.
    let sizes = sizes.map(|(&all, (&start, &size))| if start < all { size.min(all - start) } else { size });
    let sizes: Shape = sizes.collect();
    let overhangs = sizes != *block;
    (sizes, overhangs)
}

/// Puts a block where it begins, without what lies past the end.
fn write_inside(part: &mut Part<'_>, plan: &BlockPlan, inside: &[usize], block: &Array) -> Result<(), RunError> {
    let (sizes, overhangs) = inside_of(part, inside, plan.block());
    match overhangs {
        true => part.write(inside, &sizes, &plan.shortened(block, &sizes)?)?,
        false => part.write(inside, plan.block(), block)?,
    }
    Ok(())
}
