//! What lowering knows on its way through a kernel.

use super::anchors::{Anchors, Deal, anchors};
use super::fresh::Garbage;
use super::moves::Map;
use super::number::Number;
use super::refs::RefView;
use super::rows::WholeRows;
use super::stage::Swizzle;
use crate::ir::{Builder, MemoryId, Space, Value, WARP};
use crate::layout::{Layout, log2};
use crate::{Options, Refusal, Watched};
use pallas_ir::{Function, Launch, OpData, RegionId, Role, Type, ValueId};
use pallas_syntax::Span;
use pallas_tensor::DType;
use std::collections::HashMap;

/// A tile in registers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tile {
    pub(crate) value: Value,
    pub(crate) shape: Vec<usize>,
    /// How it is dealt.
    pub(crate) layout: Layout,
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
    /// How tiles are dealt by their shape.
    pub(crate) deal: Deal,
    /// Values that are dealt otherwise.
    pub(crate) anchors: Anchors,
    pub(crate) values: HashMap<ValueId, Bound>,
    /// The ids of the program, and the extents of the grid, for questions to it.
    pub(crate) ids: Vec<Number>,
    pub(crate) grid: Vec<usize>,
    /// Where tiles lie while they change hands, by dtype and number: those that are there at the same time have numbers of their
    /// own.
    pub(crate) stages: HashMap<(DType, usize), MemoryId>,
    /// Values that lie in shared memory for good, and how many bytes all of them have.
    pub(crate) staged: HashMap<(Value, Swizzle), MemoryId>,
    pub(crate) own_bytes: usize,
    /// Whether programs are teams of threads that run apart.
    pub(crate) has_teams: bool,
    pub(crate) teams: super::teams::Teams,
    /// Whether positions outside of Refs are told of, and those of the access at hand.
    pub(crate) checked: bool,
    pub(crate) outside: Vec<Value>,
    /// Which piece of an element the access at hand wants.
    pub(crate) piece: Option<Value>,
    /// Whether NaN on its way to an output is told of.
    pub(crate) traps_nan: bool,
    /// What memory holds that nobody has written.
    pub(crate) garbage: Garbage,
    /// Whether memory of teams holds that too when a block begins.
    pub(crate) begins: bool,
    /// The element whose stores are noted.
    pub(crate) watched: Option<Watched>,
    /// Whether the kernel notes its times.
    pub(crate) timed: bool,
}

/// Elements of the largest tile that each thread has, before there are more threads.
const ELEMENTS: usize = 8;
/// Elements of a tile that a thread has room for.
const HELD: usize = 64;
/// The most threads, as a power of two.
const MOST: usize = 8;

impl<'a> Lower<'a> {
    pub(crate) fn new(launch: &'a Launch, plan: &super::grid::Plan, options: Options, warpgroups: bool) -> Lower<'a> {
        let has_teams = launch.has_agents();
        let whole = WholeRows::of(&launch.kernel);
        let log_threads = match options.tuning.warps {
            _ if has_teams => super::teams::LOG_THREADS,
            Some(warps) => log2((WARP * warps) as usize),
            None => log_threads(&launch.kernel, whole),
        };
        let capability = options.architecture.capability;
        let deal = Deal { threads: log_threads, vector: vector(launch), capability, whole, warpgroups };
        let name: String =
            launch.kernel.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let mut b = Builder::new(format!("pallas_{}", name.trim_matches('_')), 1 << log_threads);
        b.set_blocks(plan.blocks(&launch.grid));
        if has_teams {
            b.set_teams(plan.teams.map_or(1, |axis| launch.grid[axis] as u32));
            b.set_cluster(super::grid::cluster(launch) as u32);
        }
        b.span = launch.spans.call;
        Lower {
            launch,
            function: &launch.kernel,
            b,
            log_threads,
            deal,
            anchors: anchors(&launch.kernel, deal),
            values: HashMap::new(),
            ids: Vec::new(),
            grid: launch.grid.clone(),
            stages: HashMap::new(),
            staged: HashMap::new(),
            own_bytes: 0,
            has_teams,
            teams: super::teams::Teams::default(),
            checked: options.checked,
            outside: Vec::new(),
            piece: None,
            traps_nan: options.traps_nan,
            garbage: options.garbage.unwrap_or_default(),
            begins: options.garbage.is_some(),
            watched: options.watched,
            // Times of several teams would stand in one list.
            timed: options.timed && !has_teams,
        }
    }

    /// How tiles of a shape are dealt, as long as nothing else is said of a value.
    pub(crate) fn layout(&self, shape: &[usize]) -> Layout {
        self.deal.layout(shape)
    }

    /// How a value is dealt.
    pub(crate) fn dealt(&self, value: ValueId) -> Layout {
        self.anchors.get(&value).cloned().unwrap_or_else(|| self.layout(self.function.ty(value).shape()))
    }

    /// A tile's value dealt in another way.
    pub(crate) fn relaid(&mut self, tile: &Tile, layout: &Layout) -> Value {
        if tile.layout == *layout {
            return tile.value;
        }
        let map = Map::row_major(&tile.shape);
        self.redeal(&[(tile.value, tile.layout.clone(), map.clone())], layout, &map)
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

    /// A tile, dealt as its shape is.
    pub(crate) fn tile(&mut self, value: ValueId) -> Result<Tile, Refusal> {
        let tile = self.held(value)?;
        let layout = self.layout(&tile.shape);
        Ok(Tile { value: self.relaid(&tile, &layout), layout, ..tile })
    }

    /// A tile, however it is dealt.
    pub(crate) fn held(&self, value: ValueId) -> Result<Tile, Refusal> {
        match self.values.get(&value) {
            Some(Bound::Tile(tile)) => Ok(tile.clone()),
            _ => Err(Refusal::new("a tile is used before it is computed", self.b.span)),
        }
    }

    /// A Ref whose elements lie in rows.
    pub(crate) fn reference(&self, value: ValueId) -> Result<RefView, Refusal> {
        let view = self.reference_or_selection(value)?;
        match view.selected {
            None => Ok(view),
            Some(_) => {
                let message = "a Ref to what integer arrays select is only copied from or to on a device";
                Err(Refusal::new(message, self.b.span).with_help("load with the arrays as the subscript: `ref[rows]`"))
            }
        }
    }

    /// Any Ref.
    pub(crate) fn reference_or_selection(&self, value: ValueId) -> Result<RefView, Refusal> {
        match self.values.get(&value) {
            Some(Bound::Ref(view)) => Ok(view.clone()),
            _ => Err(Refusal::new("a Ref is used outside of its scope", self.b.span)),
        }
    }

    /// A scalar as a number.
    pub(crate) fn number(&mut self, value: ValueId) -> Result<Number, Refusal> {
        let tile = self.held(value)?;
        Ok(Number::of(&mut self.b, tile.value))
    }

    /// Says what the first result of an op is, dealt as its shape is.
    pub(crate) fn set(&mut self, op: &OpData, value: Value) {
        if let Some(&result) = op.results.first() {
            self.set_value(result, value);
        }
    }

    pub(crate) fn set_value(&mut self, result: ValueId, value: Value) {
        let layout = self.layout(self.function.ty(result).shape());
        self.set_dealt(result, value, layout);
    }

    /// Says what a value is, dealt in some way.
    pub(crate) fn set_dealt(&mut self, result: ValueId, value: Value, layout: Layout) {
        let shape = self.function.ty(result).shape().to_vec();
        let to = self.dealt(result);
        let tile = Tile { value, shape, layout };
        let value = self.relaid(&tile, &to);
        self.values.insert(result, Bound::Tile(Tile { value, layout: to, ..tile }));
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

    /// An array for one tile only.
    pub(crate) fn fresh_stage(&mut self, name: String, dtype: DType, len: usize) -> MemoryId {
        self.b.memory(name, dtype, len.max(1), self.stage_space())
    }

    /// Teams change hands among themselves.
    fn stage_space(&self) -> Space {
        if self.has_teams { Space::Team } else { Space::Shared }
    }

    /// One of several such arrays.
    pub(crate) fn numbered_stage(&mut self, dtype: DType, number: usize, len: usize) -> MemoryId {
        let id = match self.stages.get(&(dtype, number)) {
            Some(&id) => id,
            None => {
                let name = format!("stage_{}_{number}", dtype.short_name().replace(['<', '>'], "_"));
                let id = self.b.memory(name, dtype, 0, self.stage_space());
                self.stages.insert((dtype, number), id);
                id
            }
        };
        self.b.lengthen(id, len.max(1));
        id
    }

    /// Address `base + sum(coordinate * stride)` of every register of a tile.
    pub(crate) fn address(&mut self, layout: &Layout, strides: &[i64], base: Number) -> Value {
        let mut address = (base != Number::Known(0)).then(|| base.value(&mut self.b));
        for (dim, &stride) in strides.iter().enumerate() {
            if layout.shape[dim] <= 1 || stride == 0 {
                continue;
            }
            let coord = self.b.coord(layout, dim);
            let offset = self.scaled(coord, stride);
            address = Some(match address {
                Some(address) => self.b.binary(&pallas_ir::ops::ADD, address, offset),
                None => offset,
            });
        }
        let address = address.unwrap_or_else(|| self.b.int(0));
        self.b.splat(address, layout.registers())
    }

    /// A multiple.
    pub(crate) fn scaled(&mut self, value: Value, factor: i64) -> Value {
        if factor == 1 {
            return value;
        }
        let factor = self.b.int(factor);
        self.b.binary(&pallas_ir::ops::MUL, value, factor)
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

/// So many neighbours that those of the narrowest array are 16 bytes, but no more than eight.
fn vector(launch: &Launch) -> usize {
    let widths = launch.operands.iter().filter(|operand| operand.role != Role::Prefetch);
    let narrowest = widths.map(|operand| operand.array.dtype.size_bytes()).min().unwrap_or(4);
    log2(16 / narrowest.clamp(2, 16))
}

/// As many threads as the largest tile keeps busy; of products whose rows stay whole no more than there are rows for, unless a thread
/// had more of a tile than it has registers for.
fn log_threads(kernel: &Function, whole: WholeRows) -> usize {
    let bits = |ty: &Type| -> usize { ty.tensor().map_or(0, |ty| ty.shape.iter().map(|&extent| log2(extent)).sum()) };
    let largest = kernel.values.iter().map(|value| bits(&value.ty)).max().unwrap_or(0);
    let busy = largest.saturating_sub(ELEMENTS.trailing_zeros() as usize).clamp(5, MOST);
    let rows = whole.threads().map(|threads| threads.max(largest.saturating_sub(HELD.trailing_zeros() as usize)));
    rows.map_or(busy, |rows| rows.min(busy))
}
