//! Loads, stores and views that leave their Ref, for the rules on static and on dynamic positions. An access is taken
//! for wrong only if a program is known to reach it: under guards that are known to hold, in loops that are known to
//! run. Masked accesses are left alone: the mask may be what keeps them inside.

use crate::evaluate::{Slice, Slot};
use crate::known::Known;
use crate::refs;
use crate::search::{Bounds, Outcome, Verdict, search};
use crate::walk::{Enclosing, Sources, walk};
use crate::words;
use pallas_ir::op::{ControlOp, MemoryOp};
use pallas_ir::{Certainty, DimIndex, Function, Interval, Launch, OpData, OpId, OpKind, Position, RegionId, ValueId};
use pallas_syntax::Span;
use std::collections::HashSet;

/// Which positions a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Known when the kernel is written.
    Static,
    /// Computed by the program.
    Dynamic,
}

/// An access that leaves its Ref.
pub(crate) struct Outside {
    /// Where it is in the source.
    pub(crate) span: Span,
    /// The calls that led there.
    pub(crate) calls: Vec<Span>,
    /// Whether every program leaves it.
    pub(crate) certainty: Certainty,
    /// `read`, `write`, `view`
    pub(crate) what: &'static str,
    /// The Ref, by name.
    pub(crate) name: String,
    /// The dimension that it leaves.
    pub(crate) axis: usize,
    /// Extent of that dimension.
    pub(crate) extent: usize,
    /// A program and what it asks for.
    pub(crate) evidence: String,
    /// Whether it begins before the first element.
    pub(crate) is_before: bool,
    /// Distance from the first to one past the last.
    pub(crate) span_length: i64,
}

/// Boxes that are looked at per access.
const BUDGET: usize = 4096;
/// Boxes that are looked at per launch.
const TOTAL: usize = 1 << 16;

/// The accesses of one kind that leave their Ref, in order, one per place in the source.
pub(crate) fn outside(launch: &Launch, kind: Kind) -> Vec<Outside> {
    let kernel = &launch.kernel;
    if launch.programs() == 0 {
        return Vec::new();
    }
    let sources = Sources::new(kernel);
    let mut found = Vec::new();
    let mut seen: HashSet<Span> = HashSet::new();
    let mut left = TOTAL;
    walk(kernel, |id, path| {
        let op = kernel.op(id);
        let OpKind::Memory(memory) = op.op.kind else {
            return;
        };
        if op.attributes.flag("masked") {
            return;
        }
        let place = kernel.location(id);
        // Unrolled loops repeat a place; text without a source has none.
        if place.span != Span::default() && seen.contains(&place.span) {
            return;
        }
        let Some(site) = Site::new(launch, &sources, op, path, kind) else {
            return;
        };
        if let Some((dimension, certainty, point, start)) = site.search(&mut left) {
            let origin = op.operands.first().and_then(|&reference| refs::origin(kernel, &sources, reference));
            let name = origin.map_or("this Ref".to_string(), |origin| origin.name(launch));
            seen.insert(place.span);
            found.push(Outside {
                span: place.span,
                calls: place.calls.clone(),
                certainty,
                what: match memory {
                    MemoryOp::Load => "read",
                    MemoryOp::Store | MemoryOp::Swap | MemoryOp::Atomic => "write",
                    MemoryOp::View | MemoryOp::Reinterpret => "view",
                },
                evidence: evidence(launch, &site, &dimension, &point, start, &name),
                is_before: matches!(start, Start::At(..0) | Start::Before),
                name,
                axis: dimension.axis,
                extent: dimension.extent,
                span_length: dimension.length,
            });
        }
    });
    found
}

/// `program (3, 0), loop counter 2: rows 96..128 of x, which has 64`
fn evidence(
    launch: &Launch,
    site: &Site<'_>,
    dimension: &Dimension,
    point: &[i64],
    start: Start,
    name: &str,
) -> String {
    let (ids, counters) = point.split_at(launch.grid.len().min(point.len()));
    let mut places = Vec::new();
    if !ids.is_empty() {
        let ids: Vec<usize> = ids.iter().map(|&id| usize::try_from(id).unwrap_or(0)).collect();
        places.push(words::program(&ids));
    }
    places.extend(counters.iter().map(|counter| format!("loop counter {counter}")));
    let (axis, extent) = (dimension.axis, dimension.extent);
    let part = match start {
        Start::At(start) => {
            let end = start.saturating_add(dimension.length);
            words::part_of(axis, site.rank, (start, end), name, extent)
        }
        Start::From(least) => {
            format!("position {least} or later along dimension {axis} of {name}, which has {extent}")
        }
        Start::Before => format!("a position before 0 along dimension {axis} of {name}"),
    };
    match places.is_empty() {
        true => part,
        false => format!("{}: {part}", places.join(", ")),
    }
}

/// A dimension of a subscript.
#[derive(Clone, Copy)]
struct Dimension {
    axis: usize,
    extent: usize,
    /// Distance from the first element to one past the last; of parts whose length is computed the least that it can be.
    length: i64,
    /// That length, if it is computed.
    computed: Option<Slot>,
    position: Where,
}

#[derive(Clone, Copy)]
enum Where {
    At(i64),
    Scalar(Slot),
    Array(Slot),
}

/// Where an access begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// Exactly here.
    At(i64),
    /// Here or later, which is too late anyway.
    From(i64),
    /// Somewhere before the first element.
    Before,
}

/// A region that has to be entered on the way to an access.
enum Guard {
    /// Region number `.1` of `.2` of a `cond`, chosen by `.0`.
    Chosen(Slot, usize, usize),
    /// The body of a `for`: variable number, and its bounds.
    Counted(usize, Slot, Slot),
    /// Entered or not depends on data.
    Unknown,
}

/// An access with all that decides where it points and whether it is reached.
struct Site<'a> {
    launch: &'a Launch,
    slice: Slice<'a>,
    dimensions: Vec<Dimension>,
    guards: Vec<Guard>,
    rank: usize,
}

impl<'a> Site<'a> {
    /// `None` where there is nothing of this kind to look at.
    fn new(launch: &'a Launch, sources: &'a Sources, op: &OpData, path: &[Enclosing], kind: Kind) -> Option<Self> {
        let kernel = &launch.kernel;
        let pattern = op.attributes.index()?;
        let reference = kernel.ty(*op.operands.first()?).as_ref_type()?;
        let writes = !matches!(op.op.kind, OpKind::Memory(MemoryOp::Load | MemoryOp::View));
        let mut operands = op.operands.iter().skip(1 + usize::from(writes));
        let mut slice = Slice::of_kernel(kernel, sources, launch);
        for enclosing in path {
            if is_for(kernel, enclosing.op) {
                slice.add_counter(enclosing.op);
            }
        }
        let mut dimensions = Vec::new();
        for (axis, (dim, &extent)) in pattern.0.iter().zip(reference.shape.iter()).enumerate() {
            let of_dim: Vec<ValueId> = operands.by_ref().take(dim.operands().len()).copied().collect();
            let wanted = match of_dim.is_empty() {
                true => Kind::Static,
                false => Kind::Dynamic,
            };
            if wanted != kind {
                continue;
            }
            if let DimIndex::Part { start, .. } = dim {
                let (&computed, start_operand) = of_dim.split_last()?;
                let position = match start {
                    Position::Static(start) => Where::At(*start),
                    Position::Dynamic => Where::Scalar(slice.add(*start_operand.first()?)),
                };
                let computed = Some(slice.add(computed));
                dimensions.push(Dimension { axis, extent, length: 0, computed, position });
                continue;
            }
            let (length, position) = place(dim, of_dim.first().copied(), &mut slice)?;
            if length == 0 {
                continue;
            }
            let inside = |start: i64| start >= 0 && start.saturating_add(length) <= extent as i64;
            if matches!(position, Where::At(start) if inside(start)) {
                continue;
            }
            dimensions.push(Dimension { axis, extent, length, computed: None, position });
        }
        if dimensions.is_empty() {
            return None;
        }
        let guards = guards(kernel, path, &mut slice)?;
        Some(Site { launch, slice, dimensions, guards, rank: reference.shape.len() })
    }

    /// The first program that leaves the Ref: the dimension, how it is known, the point, and the start there.
    fn search(&self, left: &mut usize) -> Option<(Dimension, Certainty, Vec<i64>, Start)> {
        let bounds = self.bounds()?;
        // Where data decides, halving boxes decides nothing more.
        let budget = match self.slice.depends_on_data() {
            true => 1,
            false => BUDGET,
        };
        let budget = budget.min(*left);
        let mut used = 0;
        let outcome = search(bounds, budget, |bounds| {
            used += 1;
            self.judge(bounds)
        });
        *left -= used.min(*left);
        let Outcome::Found { point, everywhere } = outcome else {
            return None;
        };
        let exactly: Bounds = point.iter().map(|&value| (value, value)).collect();
        let known = self.slice.evaluate(&exactly);
        let (dimension, start) = self.dimensions.iter().find_map(|dimension| {
            let start = dimension.leaves_at(&known)?;
            Some((dimension.with_length(&known), start))
        })?;
        let certainty = match everywhere {
            true => Certainty::Proved,
            false => Certainty::Found,
        };
        Some((dimension, certainty, point, start))
    }

    /// The box of all executions: unmentioned variables stand still, counters run over all that their bounds allow.
    fn bounds(&self) -> Option<Bounds> {
        let mentioned = self.slice.mentions();
        let mut bounds: Bounds = self
            .launch
            .grid
            .iter()
            .zip(&mentioned)
            .map(|(&extent, &mentioned)| (0, if mentioned { extent as i64 - 1 } else { 0 }))
            .collect();
        // Counters are evaluated with whatever outer counters can be; inner bounds may depend on outer counters.
        for guard in &self.guards {
            if let Guard::Counted(_, lower, upper) = guard {
                let known = self.slice.evaluate(&bounds);
                let (lower, upper) = (lower.of(&known).interval(), upper.of(&known).interval());
                let range = (lower.lower, upper.upper.saturating_sub(1));
                bounds.push((range.0, range.1.max(range.0)));
            }
        }
        Some(bounds)
    }

    /// Whether the executions of a box reach the access and leave the Ref.
    fn judge(&self, bounds: &[(i64, i64)]) -> Verdict {
        let known = self.slice.evaluate(bounds);
        let mut reached = Verdict::Yes;
        for guard in &self.guards {
            match guard.judge(bounds, &known) {
                Verdict::No => return Verdict::No,
                Verdict::Maybe => reached = Verdict::Maybe,
                Verdict::Yes => {}
            }
        }
        let mut leaves = Verdict::No;
        for dimension in &self.dimensions {
            match dimension.judge(&known) {
                Verdict::Yes => {
                    leaves = Verdict::Yes;
                    break;
                }
                Verdict::Maybe => leaves = Verdict::Maybe,
                Verdict::No => {}
            }
        }
        match (leaves, reached) {
            (Verdict::No, _) => Verdict::No,
            (Verdict::Yes, Verdict::Yes) => Verdict::Yes,
            _ => Verdict::Maybe,
        }
    }
}

fn is_for(kernel: &Function, op: OpId) -> bool {
    matches!(kernel.op(op).op.kind, OpKind::Control(ControlOp::For))
}

/// How far a subscript reaches along a dimension, and from where.
fn place(dim: &DimIndex, operand: Option<ValueId>, slice: &mut Slice<'_>) -> Option<(i64, Where)> {
    let (length, start) = match dim {
        DimIndex::At(position) => (1, *position),
        DimIndex::Slice { size: 0, .. } => return Some((0, Where::At(0))),
        DimIndex::Slice { start, size, stride } => {
            let steps = (size - 1).checked_mul(*stride)?;
            (i64::try_from(steps).ok()?.checked_add(1)?, *start)
        }
        DimIndex::Array => return Some((1, Where::Array(slice.add(operand?)))),
        // Its length is looked at with its start.
        DimIndex::Part { .. } => return None,
    };
    Some((
        length,
        match start {
            Position::Static(start) => Where::At(start),
            Position::Dynamic => Where::Scalar(slice.add(operand?)),
        },
    ))
}

/// What has to hold for the regions of a path to be entered; `None` where they never are.
fn guards(kernel: &Function, path: &[Enclosing], slice: &mut Slice<'_>) -> Option<Vec<Guard>> {
    let mut guards = Vec::new();
    let mut counters = 0;
    for enclosing in path {
        let op = kernel.op(enclosing.op);
        let operand = |number: usize| op.operands.get(number).copied();
        guards.push(match op.op.kind {
            OpKind::Control(ControlOp::Scoped) => continue,
            OpKind::Control(ControlOp::For) => {
                let variable = slice.variables_before_counters() + counters;
                counters += 1;
                let (lower, upper) = (slice.add(operand(0)?), slice.add(operand(1)?));
                Guard::Counted(variable, lower, upper)
            }
            OpKind::Control(ControlOp::Cond) => {
                let regions: &[RegionId] = &op.regions;
                Guard::Chosen(slice.add(operand(0)?), enclosing.region, regions.len())
            }
            _ => Guard::Unknown,
        });
    }
    Some(guards)
}

impl Guard {
    /// Whether the executions of a box enter the region.
    fn judge(&self, bounds: &[(i64, i64)], known: &[Known]) -> Verdict {
        match self {
            Guard::Unknown => Verdict::Maybe,
            Guard::Chosen(which, region, regions) => {
                let which = which.of(known).interval();
                let last = (*regions as i64 - 1).max(0);
                let (low, high) = (which.lower.clamp(0, last), which.upper.clamp(0, last));
                let region = *region as i64;
                match (low..=high).contains(&region) {
                    false => Verdict::No,
                    true if low == high => Verdict::Yes,
                    true => Verdict::Maybe,
                }
            }
            Guard::Counted(variable, lower, upper) => {
                let Some(&(low, high)) = bounds.get(*variable) else {
                    return Verdict::Maybe;
                };
                let (lower, upper) = (lower.of(known).interval(), upper.of(known).interval());
                if high < lower.lower || low >= upper.upper {
                    return Verdict::No;
                }
                match low >= lower.upper && high < upper.lower {
                    true => Verdict::Yes,
                    false => Verdict::Maybe,
                }
            }
        }
    }
}

impl Dimension {
    /// With the least that its length can be in a box.
    fn with_length(&self, known: &[Known]) -> Dimension {
        match self.computed {
            Some(slot) => Dimension { length: slot.of(known).interval().lower.max(0), ..*self },
            None => *self,
        }
    }

    /// The most that its length can be in a box.
    fn longest(&self, known: &[Known]) -> i64 {
        self.computed.map_or(self.length, |slot| slot.of(known).interval().upper.max(0))
    }

    /// Whether the executions of a box leave the Ref along it.
    fn judge(&self, known: &[Known]) -> Verdict {
        if self.computed.is_some() {
            return self.judge_part(known);
        }
        let extent = self.extent as i64;
        let last = extent.saturating_sub(self.length);
        match self.position {
            Where::At(start) if start < 0 || start > last => Verdict::Yes,
            Where::At(_) => Verdict::No,
            Where::Scalar(slot) => {
                let start = slot.of(known).interval();
                if start.lower >= 0 && start.upper <= last {
                    Verdict::No
                } else if start.upper < 0 || start.lower > last {
                    Verdict::Yes
                } else {
                    Verdict::Maybe
                }
            }
            Where::Array(slot) => {
                let known = slot.of(known);
                let positions = known.interval();
                let is_empty = matches!(known, Known::Exact(array) if array.size() == 0);
                let are_ends_elements = matches!(known, Known::Exact(_)) && positions.is_bounded();
                if is_empty || (positions.lower >= 0 && positions.upper <= last) {
                    Verdict::No
                } else if positions.upper < 0 || positions.lower > last || are_ends_elements {
                    Verdict::Yes
                } else {
                    Verdict::Maybe
                }
            }
        }
    }

    /// As `judge`, of a part whose length is computed: where there is nothing of it, it leaves nothing.
    fn judge_part(&self, known: &[Known]) -> Verdict {
        let (least, most) = (self.with_length(known).length, self.longest(known));
        let start = match self.position {
            Where::At(start) => Interval::exactly(start),
            Where::Scalar(slot) | Where::Array(slot) => slot.of(known).interval(),
        };
        let extent = self.extent as i64;
        if most == 0 || (start.lower >= 0 && start.upper.saturating_add(most) <= extent) {
            Verdict::No
        } else if least > 0 && (start.upper < 0 || start.lower.saturating_add(least) > extent) {
            Verdict::Yes
        } else {
            Verdict::Maybe
        }
    }

    /// The position outside at a single point; `None` if it stays inside there.
    fn leaves_at(&self, known: &[Known]) -> Option<Start> {
        if self.judge(known) != Verdict::Yes {
            return None;
        }
        let last = (self.extent as i64).saturating_sub(self.with_length(known).length);
        let slot = match self.position {
            Where::At(start) => return Some(Start::At(start)),
            Where::Scalar(slot) | Where::Array(slot) => slot,
        };
        let known = slot.of(known);
        let positions = known.interval();
        Some(match (positions.value(), known) {
            (Some(start), _) => Start::At(start),
            // The ends are elements of the index array.
            (None, Known::Exact(_)) if positions.upper > last => Start::At(positions.upper),
            (None, Known::Exact(_)) => Start::At(positions.lower),
            (None, Known::Bounds(_)) if positions.upper < 0 => Start::Before,
            (None, Known::Bounds(_)) => Start::From(positions.lower),
        })
    }
}
