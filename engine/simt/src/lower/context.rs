//! What lowering knows on its way through a kernel.

use super::number::Number;
use super::refs::RefView;
use crate::Refusal;
use crate::ir::{Builder, MemoryId, Space, Value};
use crate::layout::{Layout, log2};
use pallas_ir::{Function, Launch, OpData, RegionId, Type, ValueId};
use pallas_syntax::Span;
use pallas_tensor::DType;
use std::collections::HashMap;

/// A tile in registers, dealt as [`Lower::layout`] says for its shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tile {
    pub(crate) value: Value,
    pub(crate) shape: Vec<usize>,
}

/// What a value of the kernel is now.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Tile(Tile),
    Ref(RefView),
}

/// A launch on its way.
pub(crate) struct Lower<'a> {
    pub(crate) launch: &'a Launch,
    /// The function that is being lowered: the kernel, or an index map.
    pub(crate) function: &'a Function,
    pub(crate) b: Builder,
    /// Logarithm of the number of threads.
    pub(crate) log_threads: usize,
    pub(crate) values: HashMap<ValueId, Bound>,
    /// The ids of the program, and the extents of the grid, for questions to it.
    pub(crate) ids: Vec<Number>,
    pub(crate) grid: Vec<usize>,
    /// Where tiles lie while they change hands, by dtype and number: those that are there at the same time have numbers of their
    /// own.
    pub(crate) stages: HashMap<(DType, usize), MemoryId>,
}

/// Elements of the largest tile that each thread has, before there are more threads.
const ELEMENTS: usize = 8;
/// The most threads, as a power of two.
const MOST: usize = 8;

impl<'a> Lower<'a> {
    pub(crate) fn new(launch: &'a Launch, plan: &super::grid::Plan) -> Lower<'a> {
        let log_threads = log_threads(&launch.kernel);
        let name: String =
            launch.kernel.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let mut b = Builder::new(format!("pallas_{}", name.trim_matches('_')), 1 << log_threads);
        b.set_blocks(plan.blocks(&launch.grid));
        b.span = launch.spans.call;
        Lower {
            launch,
            function: &launch.kernel,
            b,
            log_threads,
            values: HashMap::new(),
            ids: Vec::new(),
            grid: launch.grid.clone(),
            stages: HashMap::new(),
        }
    }

    /// How tiles of a shape are dealt.
    pub(crate) fn layout(&self, shape: &[usize]) -> Layout {
        Layout::blocked(shape, self.log_threads)
    }

    /// Where an op stands in the source.
    pub(crate) fn span(&self, op: &OpData) -> Span {
        self.function.locations.get(op.location.0 as usize).map_or(self.launch.spans.call, |location| location.span)
    }

    /// That an op is not lowered yet.
    pub(crate) fn refuse(&self, op: &OpData) -> Refusal {
        self.refuse_because(op, "is not lowered yet")
    }

    /// That an op is not lowered, and why.
    pub(crate) fn refuse_because(&self, op: &OpData, why: &str) -> Refusal {
        Refusal::new(format!("`{}` {why}", op.op.name), self.span(op))
            .with_help("run the kernel with `--device interpret`")
    }

    pub(crate) fn tile(&self, value: ValueId) -> Result<Tile, Refusal> {
        match self.values.get(&value) {
            Some(Bound::Tile(tile)) => Ok(tile.clone()),
            _ => Err(Refusal::new("a tile is used before it is computed", self.b.span)),
        }
    }

    pub(crate) fn reference(&self, value: ValueId) -> Result<RefView, Refusal> {
        match self.values.get(&value) {
            Some(Bound::Ref(view)) => Ok(view.clone()),
            _ => Err(Refusal::new("a Ref is used outside of its scope", self.b.span)),
        }
    }

    /// A scalar as a number.
    pub(crate) fn number(&mut self, value: ValueId) -> Result<Number, Refusal> {
        let tile = self.tile(value)?;
        Ok(Number::of(&mut self.b, tile.value))
    }

    /// Says what the first result of an op is.
    pub(crate) fn set(&mut self, op: &OpData, value: Value) {
        if let Some(&result) = op.results.first() {
            self.set_value(result, value);
        }
    }

    pub(crate) fn set_value(&mut self, result: ValueId, value: Value) {
        let shape = self.function.ty(result).shape().to_vec();
        self.values.insert(result, Bound::Tile(Tile { value, shape }));
    }

    /// The ops of a region; what it yields.
    pub(crate) fn region(&mut self, id: RegionId) -> Result<Vec<ValueId>, Refusal> {
        let function = self.function;
        let region = function.region(id);
        for &id in &region.ops {
            let op = function.op(id);
            let span = self.span(op);
            let outer = std::mem::replace(&mut self.b.span, span);
            self.op(op)?;
            self.b.span = outer;
        }
        Ok(region.yields.clone())
    }

    /// Whether registers of a tile of this shape hold elements; `None` if all do.
    pub(crate) fn elements(&mut self, layout: &Layout) -> Option<Value> {
        let dims: Vec<usize> = layout.ragged().collect();
        dims.into_iter().fold(None, |mask, dim| {
            let coord = self.b.coord(layout, dim);
            let extent = self.b.int(layout.shape[dim] as i64);
            let inside = self.b.binary(&pallas_ir::ops::LT, coord, extent);
            Some(self.both(mask, inside))
        })
    }

    /// Both masks.
    pub(crate) fn both(&mut self, mask: Option<Value>, other: Value) -> Value {
        match mask {
            Some(mask) => self.b.binary(&pallas_ir::ops::AND, mask, other),
            None => other,
        }
    }

    /// The mask of a store: the elements, once each.
    pub(crate) fn once(&mut self, layout: &Layout, mask: Option<Value>) -> Option<Value> {
        if layout.is_private() {
            return mask;
        }
        let owner = self.b.owner(layout);
        Some(self.both(mask, owner))
    }

    /// An array of at least so many elements for tiles that change hands.
    pub(crate) fn stage(&mut self, dtype: DType, len: usize) -> MemoryId {
        self.numbered_stage(dtype, 0, len)
    }

    /// One of several such arrays.
    pub(crate) fn numbered_stage(&mut self, dtype: DType, number: usize, len: usize) -> MemoryId {
        let id = match self.stages.get(&(dtype, number)) {
            Some(&id) => id,
            None => {
                let name = format!("stage_{}_{number}", dtype.short_name().replace(['<', '>'], "_"));
                let id = self.b.memory(name, dtype, 0, Space::Shared);
                self.stages.insert((dtype, number), id);
                id
            }
        };
        self.b.lengthen(id, len.max(1));
        id
    }

    /// Address `base + sum(coordinate * stride)` of every register of a tile.
    pub(crate) fn address(&mut self, layout: &Layout, strides: &[i64], base: Number) -> Value {
        let mut address = base.value(&mut self.b);
        for (dim, &stride) in strides.iter().enumerate() {
            if layout.shape[dim] <= 1 || stride == 0 {
                continue;
            }
            let coord = self.b.coord(layout, dim);
            let stride = self.b.int(stride);
            let offset = self.b.binary(&pallas_ir::ops::MUL, coord, stride);
            address = self.b.binary(&pallas_ir::ops::ADD, address, offset);
        }
        self.b.splat(address, layout.registers())
    }
}

/// Strides of a tile in row-major order.
pub(crate) fn row_major(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * shape[dim].max(1) as i64;
    }
    strides
}

/// As many threads as the largest tile keeps busy.
fn log_threads(kernel: &Function) -> usize {
    let bits = |ty: &Type| -> usize { ty.tensor().map_or(0, |ty| ty.shape.iter().map(|&extent| log2(extent)).sum()) };
    let largest = kernel.values.iter().map(|value| bits(&value.ty)).max().unwrap_or(0);
    largest.saturating_sub(ELEMENTS.trailing_zeros() as usize).clamp(5, MOST)
}
