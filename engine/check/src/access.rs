//! Loads, stores and views that leave their Ref, for the rules on static and on dynamic positions. An access is taken
//! for wrong only if a program is known to reach it: under guards that are known to hold, in loops that are known to
//! run. Masked accesses are left alone: the mask may be what keeps them inside ([`crate::shadow`] looks at those whose mask is
//! known).

use crate::evaluate::{Slice, Slot};
use crate::guards::{self, Guards};
use crate::prefetched::LOOKUP;
use crate::refs;
use crate::search::{Bounds, Outcome, Verdict, search};
use crate::walk::{Enclosing, Sources, walk};
use crate::words;
use pallas_ir::op::MemoryOp;
use pallas_ir::{
    Certainty, DimIndex, Function, IndexPattern, Interval, Known, Launch, MemorySpace, Op, OpData, OpKind, Position,
    ValueId,
};
use pallas_syntax::Span;
use pallas_tensor::Shape;
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
    let mut found = Vec::new();
    if launch.programs() == 0 {
        return found;
    }
    let mut left = TOTAL;
    outside_of(launch, &launch.kernel, kind, &mut left, &mut found);
    for map in launch.operands.iter().filter_map(|operand| operand.index_map.as_ref()) {
        outside_of(launch, map, kind, &mut left, &mut found);
    }
    found
}

/// What it is that is accessed, and how.
struct Accessed<'a> {
    pattern: &'a IndexPattern,
    shape: Shape,
    /// The computed parts of the subscript.
    operands: &'a [ValueId],
    what: &'static str,
    /// The Ref, or what it is called.
    reference: Result<ValueId, &'a str>,
}

impl<'a> Accessed<'a> {
    fn of(function: &'a Function, op: &'a OpData) -> Option<Self> {
        let pattern = op.attributes.index()?;
        // A read of scalars that are known.
        if op.op == Op(&LOOKUP) {
            let (shape, name) = (op.attributes.ints("shape")?, op.attributes.str("name")?);
            return Some(Accessed {
                pattern,
                shape: shape.iter().map(|&extent| usize::try_from(extent).unwrap_or(0)).collect(),
                operands: &op.operands,
                what: "read",
                reference: Err(name),
            });
        }
        let OpKind::Memory(memory) = op.op.kind else { return None };
        if op.attributes.flag("masked") {
            return None;
        }
        let &reference = op.operands.first()?;
        let writes = !matches!(memory, MemoryOp::Load | MemoryOp::View);
        Some(Accessed {
            pattern,
            shape: function.ty(reference).as_ref_type()?.shape.clone(),
            operands: op.operands.get(1 + usize::from(writes)..)?,
            what: match memory {
                MemoryOp::Load => "read",
                MemoryOp::Store | MemoryOp::Swap | MemoryOp::Atomic => "write",
                MemoryOp::View | MemoryOp::Reinterpret => "view",
            },
            reference: Ok(reference),
        })
    }

    /// Whether it is a view of a GPU's main memory, at whose end copies stop: kernels for groups of rows take views that reach past it.
    fn is_cut(&self, function: &Function) -> bool {
        let space = self.reference.ok().and_then(|reference| function.ty(reference).as_ref_type()).map(|ty| ty.space);
        self.what == "view" && space == Some(MemorySpace::Gmem)
    }

    fn name(&self, launch: &Launch, function: &Function, sources: &Sources) -> String {
        let reference = match self.reference {
            Ok(reference) => reference,
            Err(name) => return name.to_string(),
        };
        let Some(origin) = refs::origin(function, sources, reference) else { return "this Ref".to_string() };
        if std::ptr::eq(function, &raw const launch.kernel) {
            return origin.name(launch);
        }
        // The scalars of an index map come after the program ids.
        let scalar = origin.parameter.and_then(|number| launch.operands.get(number.checked_sub(launch.grid.len())?));
        scalar.map_or("this Ref".to_string(), |scalar| scalar.name.to_string())
    }
}

/// The accesses of a kernel, or of an index map.
fn outside_of(launch: &Launch, function: &Function, kind: Kind, left: &mut usize, found: &mut Vec<Outside>) {
    let sources = Sources::new(function);
    let mut seen: HashSet<Span> = found.iter().map(|known| known.span).collect();
    walk(function, |id, path| {
        let op = function.op(id);
        let Some(accessed) = Accessed::of(function, op) else {
            return;
        };
        let place = function.location(id);
        // Unrolled loops repeat a place; text without a source has none.
        if place.span != Span::default() && seen.contains(&place.span) {
            return;
        }
        let Some(site) = Site::new(launch, function, &sources, &accessed, path, kind) else {
            return;
        };
        if let Some((dimension, certainty, point, start)) = site.search(left) {
            let is_before = matches!(start, Start::At(..0) | Start::Before);
            if accessed.is_cut(function) && kind == Kind::Dynamic && !is_before {
                return;
            }
            let name = accessed.name(launch, function, &sources);
            seen.insert(place.span);
            found.push(Outside {
                span: place.span,
                calls: place.calls.clone(),
                certainty,
                what: accessed.what,
                evidence: evidence(launch, &site, &dimension, &point, start, &name),
                is_before,
                name,
                axis: dimension.axis,
                extent: dimension.extent,
                span_length: dimension.length,
            });
        }
    });
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
    format!("{}{part}", words::at(launch.grid.len(), point))
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

/// An access with all that decides where it points and whether it is reached.
struct Site<'a> {
    launch: &'a Launch,
    slice: Slice<'a>,
    dimensions: Vec<Dimension>,
    guards: Guards,
    rank: usize,
}

impl<'a> Site<'a> {
    /// `None` where there is nothing of this kind to look at.
    fn new(
        launch: &'a Launch,
        kernel: &'a Function,
        sources: &'a Sources,
        accessed: &Accessed<'_>,
        path: &[Enclosing],
        kind: Kind,
    ) -> Option<Self> {
        let mut operands = accessed.operands.iter();
        let mut slice = match std::ptr::eq(kernel, &raw const launch.kernel) {
            true => Slice::of_kernel(kernel, sources, launch),
            false => Slice::of_map(kernel, sources, launch),
        };
        guards::count(kernel, path, &mut slice);
        let mut dimensions = Vec::new();
        for (axis, (dim, &extent)) in accessed.pattern.0.iter().zip(accessed.shape.iter()).enumerate() {
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
        let guards = Guards::of(kernel, path, &mut slice)?;
        Some(Site { launch, slice, dimensions, guards, rank: accessed.shape.len() })
    }

    /// The first program that leaves the Ref: the dimension, how it is known, the point, and the start there.
    fn search(&self, left: &mut usize) -> Option<(Dimension, Certainty, Vec<i64>, Start)> {
        let bounds = self.guards.executions(self.launch, &self.slice);
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

    /// Whether the executions of a box reach the access and leave the Ref.
    fn judge(&self, bounds: &[(i64, i64)]) -> Verdict {
        let known = self.slice.evaluate(bounds);
        let reached = self.guards.reached(bounds, &known);
        if reached == Verdict::No {
            return Verdict::No;
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
        leaves.min(reached)
    }
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
