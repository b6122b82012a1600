//! Pipelines inside a kernel (`pltpu.emit_pipeline`): a grid of their own, and Refs that are cut into blocks as the
//! operands of a launch are. What stands here is what the op carries; its index maps and its body are regions.
//!
//! Pipelines of Mosaic GPU are no ops: a kernel has their loops, copies and waits. What is left of them is which blocks they ask for.

use crate::function::{RegionId, ValueId};
use crate::launch::{BlockDim, OperandSpans, Role};
use std::sync::Arc;

/// What a pipeline op carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Extent along each axis; `None` where an operand of the op gives it.
    pub grid: Vec<Option<usize>>,
    /// Whether operands say where the grid begins along each axis: the part of one core.
    pub offsets: bool,
    /// `no_pipelining`: every block is copied when it is needed and waited for.
    pub synchronous: bool,
    /// The Refs that blocks are taken from, inputs first.
    pub operands: Vec<PipelineOperand>,
}

/// One Ref of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineOperand {
    /// The name of the body's parameter.
    pub name: Arc<str>,
    /// Input or output.
    pub role: Role,
    /// One entry per dimension of the Ref.
    pub block: Vec<BlockDim>,
    /// Where the body finds the block.
    pub window: Window,
    /// Places in the source.
    pub spans: OperandSpans,
}

/// Where the body of a pipeline finds a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// In the next of so many buffer slots.
    Slots {
        /// How many.
        count: usize,
        /// Whether blocks are fetched as far ahead as there are slots.
        lookahead: bool,
    },
    /// The block is all of the Ref: it is copied once, before or after everything.
    Whole,
    /// In the Ref itself, which is near enough.
    InPlace,
}

impl Pipeline {
    /// How many operands of the op are extents of the grid.
    pub fn dynamic(&self) -> usize {
        self.grid.iter().filter(|extent| extent.is_none()).count()
    }

    /// How many operands of the op stand before the Refs.
    pub fn scalars(&self) -> usize {
        self.dynamic() + if self.offsets { self.grid.len() } else { 0 }
    }
}

impl PipelineOperand {
    /// The shape of the body's Ref: block sizes without squeezed dimensions.
    pub fn block_shape(&self) -> Vec<usize> {
        self.block.iter().filter(|dim| !matches!(dim, BlockDim::Squeezed)).map(|dim| dim.size()).collect()
    }
}

/// A pipeline whose steps a kernel makes itself. Only said where a program is analysed, and no part of the text form.
#[derive(Clone, Debug, PartialEq)]
pub struct Staged {
    /// Extent along each axis.
    pub grid: Vec<usize>,
    /// The region of the kernel in which it stands.
    pub within: RegionId,
    /// The Refs that blocks are taken from.
    pub operands: Vec<StagedOperand>,
}

/// One Ref of such a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct StagedOperand {
    /// The Ref.
    pub source: ValueId,
    /// One entry per dimension of the Ref.
    pub block: Vec<BlockDim>,
    /// Stand for the ids of a step: parameters of a region that nothing runs.
    pub step: Vec<ValueId>,
    /// What the index map makes of them, in that region.
    pub indices: Vec<ValueId>,
    /// Places in the source.
    pub spans: OperandSpans,
}
