//! Parts of Refs that lie outside of them, in JAX's simulator of devices: reading there is an error, or gives fresh memory
//! (`out_of_bounds_reads="uninitialized"`); writing there is an error. With `buffer_bounds="padded"` memory reaches to the end
//! of its last tile: what is read behind the Ref is fresh, what is written there is lost.

use crate::access::{Access, Index, range};
use crate::error::RunError;
use crate::fresh_element;
use crate::machine::Machine;
use crate::memory::{Memory, Shown, Through, View, ViewDim};
use crate::tape::Step;
use pallas_ir::DimIndex;
use pallas_tensor::ops;
use pallas_tensor::{Array, Scalar, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

/// A part of a Ref that may lie outside of it.
#[derive(Clone, Debug)]
pub(crate) struct Beyond {
    /// The Ref, for messages.
    name: Arc<str>,
    parts: SmallVec<[Part; 4]>,
    /// How far memory reaches along each dimension.
    reach: SmallVec<[usize; 4]>,
    /// Whether what lies farther outside may be read.
    lenient: bool,
    fresh: Scalar,
}

/// What is asked of one dimension.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: i64,
    size: usize,
    stride: usize,
    /// Whether the result has the dimension.
    keeps: bool,
}

impl Part {
    /// The positions, by number, that lie below a bound: the first and how many.
    fn inside(self, bound: usize) -> (usize, usize) {
        let at = |number: usize| self.start.saturating_add((number * self.stride) as i64);
        let is_inside = |number: &usize| at(*number) >= 0 && at(*number) < bound as i64;
        let first = (0..self.size).find(is_inside).unwrap_or(self.size);
        (first, (first..self.size).take_while(is_inside).count())
    }
}

impl Beyond {
    /// The extents that reads give.
    pub(crate) fn shape(&self) -> Shape {
        self.parts.iter().filter(|part| part.keeps).map(|part| part.size).collect()
    }

    /// The part that exists, with one dimension for each of the Ref, and where in the result it begins.
    fn existing(&self, bounds: &Shape) -> (SmallVec<[ViewDim; 4]>, SmallVec<[i64; 6]>) {
        let mut dims = SmallVec::new();
        let mut first = SmallVec::new();
        for (part, &bound) in self.parts.iter().zip(bounds) {
            let (from, size) = part.inside(bound);
            let start = part.start.saturating_add((from * part.stride) as i64);
            dims.push(ViewDim::Range { start: usize::try_from(start).unwrap_or(0), size, stride: part.stride });
            first.push(from as i64);
        }
        (dims, first)
    }

    fn refused(&self, bounds: &Shape, what: &str) -> Option<RunError> {
        let leaves = self.parts.iter().zip(&self.reach).any(|(part, &reach)| part.inside(reach).1 < part.size);
        if !leaves {
            return None;
        }
        let asked: Vec<String> = self
            .parts
            .iter()
            .map(|part| match (part.keeps, part.stride) {
                (false, _) => part.start.to_string(),
                (true, 1) => format!("{}:{}", part.start, part.start.saturating_add(part.size as i64)),
                (true, stride) => {
                    format!("{}:{}:{stride}", part.start, part.start.saturating_add((part.size * stride) as i64))
                }
            })
            .collect();
        Some(RunError::eval(format!(
            "Out-of-bounds {what} of {}: [{}] is accessed, but it has shape {bounds}",
            self.name,
            asked.join(", "),
        )))
    }

    /// Extents with 1 for dimensions that the result does not have.
    fn sizes(&self) -> Shape {
        self.parts.iter().map(|part| part.size).collect()
    }

    /// Reads.
    pub(crate) fn read(&self, memory: &mut Memory, base: &View) -> Result<Array, RunError> {
        match self.refused(&base.shape(), "read").filter(|_| !self.lenient) {
            Some(error) => Err(error),
            None => self.read_any(memory, base),
        }
    }

    /// Reads, wherever it lies.
    pub(crate) fn read_any(&self, memory: &mut Memory, base: &View) -> Result<Array, RunError> {
        let bounds = base.shape();
        let mut all = Array::full(memory.dtype(base)?, self.sizes(), self.fresh)?;
        let (dims, first) = self.existing(&bounds);
        let existing = base.select(&dims);
        if existing.shape().size() > 0 {
            let existing = memory.show(&existing)?;
            all = ops::dynamic_update_slice(all, &existing, &first)?;
        }
        Ok(ops::reshape(&all, self.shape())?)
    }

    /// Writes.
    pub(crate) fn write(&self, memory: &mut Memory, base: &View, value: &Array, what: &str) -> Result<(), RunError> {
        let bounds = base.shape();
        if let Some(error) = self.refused(&bounds, what) {
            return Err(error);
        }
        let (dims, first) = self.existing(&bounds);
        let existing = base.select(&dims);
        let shape = existing.shape();
        if shape.size() == 0 {
            return Ok(());
        }
        let start: Vec<usize> = first.iter().map(|&first| first as usize).collect();
        let limit: Vec<usize> = start.iter().zip(&shape).map(|(start, size)| start + size).collect();
        let value = ops::slice(&ops::reshape(value, self.sizes())?, &start, &limit, None)?;
        memory.replace(&existing, value)
    }
}

impl Machine<'_> {
    /// What a step accesses, if the launch is simulated and that lies outside of its Ref.
    pub(crate) fn beyond(
        &self,
        step: &Step,
        access: &Access,
        view: &View,
        indices: &[Index],
        mask: Option<&Array>,
    ) -> Result<Option<Beyond>, RunError> {
        let Some(options) = self.interpretation.device() else { return Ok(None) };
        let Some(outside) = access.outside(view, indices, mask)? else { return Ok(None) };
        let name = step.operands.first().and_then(|source| self.tape.name(source.register)).cloned();
        let name = name.unwrap_or_else(|| "a Ref".into());
        let bounds = view.shape();
        let mut parts = SmallVec::new();
        let mut indices = indices.iter();
        for dim in access.dims() {
            if *dim == DimIndex::Array {
                return Err(RunError::eval(format!(
                    "Out-of-bounds access of {name}: position {} of dimension {}, which has {}",
                    outside.start, outside.axis, outside.bound
                )));
            }
            let (start, size, stride) = range(dim, &mut indices)?;
            parts.push(Part { start, size, stride, keeps: !matches!(dim, DimIndex::At(_)) });
        }
        let dtype = self.memory.dtype(view)?;
        let reach = match options.padded {
            true => self.memory.reach(view, dtype.size_bytes()),
            false => bounds.iter().copied().collect(),
        };
        let fresh = fresh_element(dtype, self.interpretation);
        Ok(Some(Beyond { name, parts, reach, lenient: options.lenient, fresh }))
    }
}

impl Memory {
    /// How far memory reaches along each dimension of a Ref: to the end of its last tile, if it is all of a buffer that has
    /// tiles.
    fn reach(&self, view: &View, bytes: usize) -> SmallVec<[usize; 4]> {
        let bounds = view.shape();
        let mut reach: SmallVec<[usize; 4]> = bounds.iter().copied().collect();
        let is_whole = view.through.is_none()
            && self.buffers.get(view.buffer).is_some_and(|buffer| view.is_whole(buffer.array.shape()));
        if !is_whole || self.scalars.contains(&view.buffer) {
            return reach;
        }
        let tile = tile(&bounds, bytes.max(1));
        for (extent, tile) in reach.iter_mut().zip(tile) {
            *extent = extent.div_ceil(tile) * tile;
        }
        reach
    }
}

/// The extents of a tile (`infer_tiling` of jax/_src/pallas/mosaic/tpu_info.py).
fn tile(shape: &Shape, bytes: usize) -> SmallVec<[usize; 4]> {
    let packing = (4 / bytes).max(1);
    let mut tile: SmallVec<[usize; 4]> = SmallVec::from_elem(1, shape.rank());
    match shape.rank() {
        0 => {}
        1 => tile[0] = 128 * packing,
        rank => {
            let mut rows = packing;
            // A short array has short tiles.
            while rows < shape[rank - 2].min(8) {
                rows *= 2;
            }
            tile[rank - 2] = rows;
            tile[rank - 1] = 128;
        }
    }
    tile
}

impl View {
    /// A part of a Ref that lies outside of it, at least in part.
    pub(crate) fn beyond(self, beyond: Beyond) -> View {
        let mut view = View::whole(self.buffer, &beyond.shape());
        view.through = Some(Arc::new(Through { base: self, shown: Shown::Beyond(Box::new(beyond)) }));
        view
    }
}
