//! Memory behind Refs: whole arrays, and views that select part of one.

use crate::access::{Access, Index, product};
use crate::beyond::Beyond;
use crate::copies::{Moves, Pending};
use crate::error::RunError;
use crate::journal::Journal;
use crate::later::{Later, Workshop};
use crate::races::Races;
use crate::semaphores::{ByPlace, LastSignal, Names};
use crate::tape::Tape;
use crate::times::Times;
use pallas_ir::RefType;
use pallas_tensor::ops::{self, Combine};
use pallas_tensor::{Array, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

/// The buffers of a run. A Ref names one by number.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) buffers: Vec<Buffer>,
    /// Copies that have been started and not been carried out, oldest first.
    pub(crate) pending: Vec<Pending>,
    /// When they are.
    pub(crate) moves: Moves,
    /// Who signalled which semaphore last.
    pub(crate) last_signals: ByPlace<LastSignal>,
    /// The names of semaphores.
    pub(crate) names: Names,
    /// The buffer of the barrier semaphore, in launches.
    pub(crate) barrier: Option<usize>,
    /// Buffers that hold what another program has left there, which is not known here: whoever reads them fails.
    pub(crate) unknown: Vec<usize>,
    /// Buffers in scalar memory, which has no tiles, where somebody asks.
    pub(crate) scalars: Vec<usize>,
    /// Who has done what, where races are looked for.
    pub(crate) races: Option<Box<Races>>,
    /// Clocks, where the launch is rehearsed.
    pub(crate) times: Option<Box<Times>>,
    /// What chains of operations are computed with.
    pub(crate) workshop: Workshop,
    /// Whether copies of inputs may show what they copy where it lies, as nobody looks at the copy itself.
    pub(crate) lends: bool,
}

/// One buffer.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// What it holds.
    pub(crate) array: Array,
    /// What it holds in the array's place, once somebody looks ([`Memory::settle`]).
    pub(crate) later: Option<Later>,
    /// Whether what is stored here as a whole may be computed when the block goes back.
    pub(crate) defers: bool,
    /// Whether it was written since whoever put the array there looked last.
    pub(crate) written: bool,
    /// Whether it is an input that the kernel has in main memory, and no output.
    pub(crate) is_input: bool,
    /// Of an output of which other threads fill other parts: what is copied there.
    pub(crate) journal: Option<Journal>,
}

impl Buffer {
    /// Holds an array that nobody has written to.
    pub(crate) fn new(array: Array) -> Buffer {
        Buffer { array, later: None, defers: false, written: false, is_input: false, journal: None }
    }
}

impl Memory {
    /// No buffers, and the chains of a tape.
    pub(crate) fn with_chains(tape: &Tape) -> Memory {
        let workshop = Workshop { chains: tape.chains.clone(), ..Workshop::default() };
        Memory { workshop, ..Memory::default() }
    }

    /// Adds a buffer and gives its number.
    pub(crate) fn add(&mut self, array: Array) -> usize {
        self.buffers.push(Buffer::new(array));
        self.buffers.len() - 1
    }

    /// The array that a view shows part of, to be read or written in part.
    pub(crate) fn array(&self, view: &View) -> Result<&Array, RunError> {
        if self.unknown.contains(&view.buffer) {
            return Err(RunError::eval("what another program has left in scratch memory is read"));
        }
        self.peek(view)
    }

    /// The same for its type only.
    pub(crate) fn peek(&self, view: &View) -> Result<&Array, RunError> {
        self.buffers
            .get(view.buffer)
            .map(|buffer| &buffer.array)
            .ok_or_else(|| RunError::malformed("a Ref outlived its scope"))
    }

    /// Takes the array out so that it can be written in place; the caller puts one back.
    pub(crate) fn take(&mut self, buffer: usize) -> Array {
        let slot = &mut self.buffers[buffer];
        slot.written = true;
        let nothing = Array::scalar(slot.array.dtype(), pallas_tensor::Scalar::Int(0));
        std::mem::replace(&mut slot.array, nothing)
    }

    /// Replaces the array.
    pub(crate) fn put(&mut self, buffer: usize, array: Array) {
        let slot = &mut self.buffers[buffer];
        slot.array = array;
        slot.later = None;
        slot.written = true;
        self.known(buffer);
    }

    /// Says that a buffer holds what this program has put there.
    pub(crate) fn known(&mut self, buffer: usize) {
        if !self.unknown.is_empty() {
            self.unknown.retain(|&other| other != buffer);
        }
    }
}

/// A Ref: a buffer, or part of one.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) buffer: usize,
    /// One entry per dimension of the buffer.
    pub(crate) dims: SmallVec<[ViewDim; 4]>,
    /// The Ref that this one shows in another way; the dimensions are then those of what is shown.
    pub(crate) through: Option<Arc<Through>>,
}

/// A Ref to memory that does not lie as the Ref shows it.
#[derive(Clone, Debug)]
pub(crate) struct Through {
    pub(crate) base: View,
    pub(crate) shown: Shown,
}

/// How a Ref shows the memory behind it.
#[derive(Clone, Debug)]
pub(crate) enum Shown {
    /// In another shape or dtype.
    As(RefType),
    /// With its dimensions in another order.
    Permuted(Arc<[usize]>),
    /// The elements that integer arrays select.
    Gathered(Access, Box<[Index]>),
    /// A part that lies outside of it, at least in part.
    Beyond(Box<Beyond>),
}

/// What a view selects of one dimension. Inside the buffer, but for main memory of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ViewDim {
    /// One position; the Ref does not have the dimension.
    At(usize),
    /// Positions `stride` apart.
    Range { start: usize, size: usize, stride: usize },
}

impl View {
    /// All of a buffer.
    pub(crate) fn whole(buffer: usize, shape: &Shape) -> View {
        View {
            buffer,
            through: None,
            dims: shape.iter().map(|&size| ViewDim::Range { start: 0, size, stride: 1 }).collect(),
        }
    }

    /// The Ref's extents.
    pub(crate) fn shape(&self) -> Shape {
        self.extents().collect()
    }

    /// The same one by one.
    pub(crate) fn extents(&self) -> impl Iterator<Item = usize> + '_ {
        self.dims.iter().filter_map(|dim| match dim {
            ViewDim::At(_) => None,
            ViewDim::Range { size, .. } => Some(*size),
        })
    }

    /// Whether it is all of a buffer of this shape.
    pub(crate) fn is_whole(&self, shape: &Shape) -> bool {
        self.dims.iter().zip(shape).all(|(dim, &whole)| *dim == ViewDim::Range { start: 0, size: whole, stride: 1 })
    }

    /// Whether it reaches past the end of a buffer of this shape.
    pub(crate) fn overhangs(&self, shape: &Shape) -> bool {
        self.dims.iter().zip(shape).any(|(dim, &extent)| match *dim {
            ViewDim::At(position) => position >= extent,
            ViewDim::Range { size: 0, .. } => false,
            ViewDim::Range { start, size, stride } => start + (size - 1) * stride >= extent,
        })
    }

    /// The view of part of this one: one selection per dimension that this one has.
    pub(crate) fn select(&self, parts: &[ViewDim]) -> View {
        let mut parts = parts.iter();
        let dims = self
            .dims
            .iter()
            .map(|&dim| match dim {
                ViewDim::At(_) => dim,
                ViewDim::Range { start, stride, .. } => match parts.next() {
                    None => dim,
                    Some(&ViewDim::At(position)) => ViewDim::At(start + position * stride),
                    Some(&ViewDim::Range { start: inner, size, stride: step }) => ViewDim::Range {
                        start: start + inner * stride,
                        size,
                        // A lone element may claim any distance.
                        stride: stride.saturating_mul(step),
                    },
                },
            })
            .collect();
        View { buffer: self.buffer, dims, through: self.through.clone() }
    }
}

/// First, one past the last, and stride along each dimension of the buffer.
type Ranges = (SmallVec<[usize; 6]>, SmallVec<[usize; 6]>, SmallVec<[usize; 6]>);

fn ranges(view: &View) -> Ranges {
    let mut ranges = Ranges::default();
    for dim in &view.dims {
        let (start, limit, stride) = match *dim {
            ViewDim::At(position) => (position, position + 1, 1),
            ViewDim::Range { start, size: 0, .. } => (start, start, 1),
            ViewDim::Range { start, size, stride } => (start, start + (size - 1) * stride + 1, stride),
        };
        ranges.0.push(start);
        ranges.1.push(limit);
        ranges.2.push(stride);
    }
    ranges
}

/// What a view shows, with dimensions of 1 where it has none.
pub(crate) fn read(base: &Array, view: &View) -> Result<Array, RunError> {
    if view.is_whole(base.shape()) {
        return Ok(base.clone());
    }
    let (start, limit, strides) = ranges(view);
    let strided = strides.iter().any(|&stride| stride != 1);
    if view.overhangs(base.shape()) {
        return beyond(base, (start, limit, strides));
    }
    Ok(ops::slice(base, &start, &limit, strided.then_some(strides.as_slice()))?)
}

/// What a view shows that reaches past the end of its buffer: zeros there, as copies of a GPU have it.
fn beyond(base: &Array, (start, limit, strides): Ranges) -> Result<Array, RunError> {
    let inside = |limits: &SmallVec<[usize; 6]>| -> SmallVec<[usize; 6]> {
        limits.iter().zip(base.shape()).map(|(&limit, &extent)| limit.min(extent)).collect()
    };
    let (from, to) = (inside(&start), inside(&limit));
    let there = ops::slice(base, &from, &to, Some(strides.as_slice()))?;
    let count = |axis: usize| (limit[axis] - start[axis]).div_ceil(strides[axis].max(1));
    let missing: Vec<ops::PadDimension> = (0..limit.len())
        .map(|axis| ops::PadDimension { low: 0, high: (count(axis) - there.shape()[axis]) as i64, interior: 0 })
        .collect();
    Ok(ops::pad(&there, &Array::zeros(base.dtype(), Shape::scalar())?, &missing)?)
}

/// Replaces what a view shows. `value` has as many elements, in row-major order.
pub(crate) fn write(memory: &mut Memory, view: &View, value: Array) -> Result<(), RunError> {
    let (start, _, strides) = ranges(view);
    let sizes: Shape = view
        .dims
        .iter()
        .map(|dim| match dim {
            ViewDim::At(_) => 1,
            ViewDim::Range { size, .. } => *size,
        })
        .collect();
    if sizes.size() == 0 {
        return Ok(());
    }
    let mut value = ops::reshape(&value, sizes.clone())?;
    let mut sizes = sizes;
    if view.overhangs(memory.peek(view)?.shape()) {
        // Copies of a GPU leave out what would land behind the end.
        let extents = memory.peek(view)?.shape().clone();
        let there: Shape = (0..sizes.rank())
            .map(|axis| extents[axis].saturating_sub(start[axis]).div_ceil(strides[axis].max(1)).min(sizes[axis]))
            .collect();
        if there.size() == 0 {
            return Ok(());
        }
        let zeros: SmallVec<[usize; 6]> = SmallVec::from_elem(0, there.rank());
        value = ops::slice(&value, &zeros, &there, None)?;
        sizes = there;
    }
    let base = memory.take(view.buffer);
    let written = if strides.iter().all(|&stride| stride == 1) {
        let start: SmallVec<[i64; 6]> = start.iter().map(|&start| start as i64).collect();
        ops::dynamic_update_slice(base, &value, &start)?
    } else {
        let buffer = base.shape().strides();
        let lines: Vec<Vec<i64>> = (0..sizes.rank())
            .map(|axis| (0..sizes[axis]).map(|k| ((start[axis] + k * strides[axis]) * buffer[axis]) as i64).collect())
            .collect();
        ops::scatter_flat(base, &product(&lines), &value, Combine::Replace)?
    };
    memory.put(view.buffer, written);
    Ok(())
}
