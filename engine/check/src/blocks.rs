//! Blocks that lie wholly outside their array: per operand, the first program that gets one, and for pipelines inside of kernels the
//! first step. Index maps that depend on data are not answered.

use crate::evaluate::{Slice, Slot};
use crate::guards::{self, Guards};
use crate::search::{Bounds, Outcome, Verdict, corners, search};
use crate::walk::{Enclosing, Sources, walk};
use pallas_ir::{
    BlockDim, BlockMap, Certainty, Function, IndexForm, Interval, Known, Launch, Operand, RegionId, Role, ValueId,
};

/// Boxes of programs that are looked at per operand.
const BUDGET: usize = 100_000;

/// A block wholly outside its array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutsideBlock {
    /// The program that gets it; of pipelines the program, counters of loops around, and the step.
    pub(crate) program: Vec<usize>,
    /// The dimension along which it is outside.
    pub(crate) axis: usize,
    /// First element along that dimension.
    pub(crate) start: i64,
    /// One past the last.
    pub(crate) end: i64,
    /// Proved for all programs, found for the first one, or possible: found in a sample of the programs.
    pub(crate) certainty: Certainty,
}

/// The first program in row-major order whose block of `operand` lies wholly outside the array (with the virtual padding
/// of element-indexed dimensions counted as array).
pub(crate) fn first_outside(launch: &Launch, operand: &Operand) -> Option<OutsideBlock> {
    if operand.role == Role::Prefetch || operand.array.shape.contains(&0) || launch.programs() == 0 {
        return None;
    }
    let map = operand.index_map.as_ref()?;
    let sources = Sources::new(map);
    let mut slice = Slice::of_map(map, &sources, launch);
    let forms = BlockMap::new(operand, launch.grid.len()).dims;
    let yields = &map.region(map.body).yields;
    let dims: Vec<Dim<'_>> = operand
        .block
        .iter()
        .zip(operand.array.shape.iter())
        .zip(forms.iter().zip(yields))
        .map(|((&block, &extent), (form, &value))| Dim {
            block,
            extent: extent as i64,
            index: match form {
                IndexForm::Affine { .. } => Index::Affine(form),
                IndexForm::General | IndexForm::Unknown => Index::Slot(slice.add(value)),
            },
        })
        .collect();
    let bounds: Bounds = launch.grid.iter().map(|&n| (0, n as i64 - 1)).collect();
    let budget = match slice.depends_on_data() {
        true => 64,
        false => BUDGET,
    };
    first(&slice, &dims, bounds, budget, |_, _| Verdict::Yes)
}

/// The first point of a box at which a block lies outside; `reached` says whether there is anybody who asks for it.
fn first(
    slice: &Slice<'_>,
    dims: &[Dim<'_>],
    bounds: Bounds,
    budget: usize,
    reached: impl Fn(&[(i64, i64)], &[Known]) -> Verdict,
) -> Option<OutsideBlock> {
    let judge = |bounds: &[(i64, i64)]| {
        let known = slice.evaluate(bounds);
        let verdicts = dims.iter().map(|dim| dim.judge(dim.interval(bounds, &|slot| slot.of(&known).interval())));
        match verdicts.max().unwrap_or(Verdict::No) {
            Verdict::No => Verdict::No,
            outside => outside.min(reached(bounds, &known)),
        }
    };
    let (point, certainty) = match search(bounds.clone(), budget, judge) {
        Outcome::Nothing => return None,
        Outcome::Found { point, everywhere } => {
            let certainty = if everywhere { Certainty::Proved } else { Certainty::Found };
            (point, certainty)
        }
        Outcome::Exhausted => {
            let is_outside = |point: &Vec<i64>| {
                let exactly: Bounds = point.iter().map(|&value| (value, value)).collect();
                judge(&exactly) == Verdict::Yes
            };
            let point = corners(&bounds).into_iter().find(is_outside)?;
            (point, Certainty::Possible)
        }
    };
    let exactly: Bounds = point.iter().map(|&value| (value, value)).collect();
    let known = slice.evaluate(&exactly);
    let intervals = dims.iter().map(|dim| dim.interval(&exactly, &|slot| slot.of(&known).interval()));
    let (axis, start) = intervals.enumerate().find_map(|(axis, interval)| {
        let outside = dims[axis].judge(interval) == Verdict::Yes;
        outside.then(|| (axis, dims[axis].block.start(interval.lower)))
    })?;
    Some(OutsideBlock {
        program: point.iter().map(|&id| usize::try_from(id).unwrap_or(0)).collect(),
        axis,
        start,
        end: start.saturating_add(dims[axis].block.size() as i64),
        certainty,
    })
}

/// A Ref of a pipeline inside of a kernel: what its index map makes of the ids of a step, in values of the kernel.
pub(crate) struct Stepped<'a> {
    pub(crate) block: &'a [BlockDim],
    pub(crate) shape: &'a [usize],
    pub(crate) step: &'a [ValueId],
    pub(crate) indices: &'a [ValueId],
}

/// The first step, in a program that is known to come there, whose block lies wholly outside the Ref. The pipeline stands in a
/// region of the kernel.
pub(crate) fn first_step_outside(
    launch: &Launch,
    within: RegionId,
    grid: &[usize],
    stepped: &Stepped<'_>,
) -> Option<OutsideBlock> {
    let kernel = &launch.kernel;
    if stepped.shape.contains(&0) || grid.contains(&0) || launch.programs() == 0 {
        return None;
    }
    let path = path_to(kernel, within)?;
    let sources = Sources::new(kernel);
    let mut slice = Slice::of_kernel(kernel, &sources, launch);
    guards::count(kernel, &path, &mut slice);
    slice.set_free(stepped.step);
    let zipped = stepped.block.iter().zip(stepped.shape).zip(stepped.indices);
    let dims: Vec<Dim<'_>> = zipped
        .map(|((&block, &extent), &value)| Dim { block, extent: extent as i64, index: Index::Slot(slice.add(value)) })
        .collect();
    let guards = Guards::of(kernel, &path, &mut slice)?;
    let mut bounds = guards.executions(launch, &slice);
    bounds.extend(grid.iter().map(|&extent| (0, extent as i64 - 1)));
    let budget = if slice.depends_on_data() { 64 } else { BUDGET };
    first(&slice, &dims, bounds, budget, |bounds, known| guards.reached(bounds, known))
}

/// The ops around a region, outermost first.
fn path_to(kernel: &Function, region: RegionId) -> Option<Vec<Enclosing>> {
    if region == kernel.body {
        return Some(Vec::new());
    }
    let mut found = None;
    walk(kernel, |id, path| {
        if let Some(number) = kernel.op(id).regions.iter().position(|&inner| inner == region) {
            let mut whole = path.to_vec();
            whole.push(Enclosing { op: id, region: number });
            found = Some(whole);
        }
    });
    found
}

/// A dimension of the array with its block index.
struct Dim<'a> {
    block: BlockDim,
    extent: i64,
    index: Index<'a>,
}

enum Index<'a> {
    /// By formula.
    Affine(&'a IndexForm),
    /// By evaluation.
    Slot(Slot),
}

impl Dim<'_> {
    /// Bounds of the block index over a box of programs.
    fn interval(&self, bounds: &[(i64, i64)], slot: &dyn Fn(Slot) -> Interval) -> Interval {
        match &self.index {
            Index::Slot(index) => slot(*index),
            Index::Affine(IndexForm::Affine { constant, coefficients }) => affine(*constant, coefficients, bounds),
            Index::Affine(_) => Interval::ANY,
        }
    }

    /// Whether blocks with an index within `interval` lie outside.
    fn judge(&self, interval: Interval) -> Verdict {
        let size = self.block.size() as i64;
        let (low, high) = match self.block {
            BlockDim::Element { low, high, .. } => (low as i64, high as i64),
            BlockDim::Blocked(_) | BlockDim::Squeezed => (0, 0),
        };
        if size == 0 || !interval.is_bounded() {
            return if size == 0 { Verdict::No } else { Verdict::Maybe };
        }
        let outside_below = |index: i64| self.block.start(index).saturating_add(size) <= -low;
        let outside_above = |index: i64| self.block.start(index) >= self.extent + high;
        if outside_below(interval.upper) || outside_above(interval.lower) {
            Verdict::Yes
        } else if outside_below(interval.lower) || outside_above(interval.upper) {
            Verdict::Maybe
        } else {
            Verdict::No
        }
    }
}

/// Bounds of an affine index over a box; nothing where it leaves the maps' 32 bits and so wraps around.
fn affine(constant: i64, coefficients: &[i64], bounds: &[(i64, i64)]) -> Interval {
    let (mut low, mut high) = (i128::from(constant), i128::from(constant));
    for (&coefficient, &(first, last)) in coefficients.iter().zip(bounds) {
        let ends = [first, last].map(|id| i128::from(coefficient) * i128::from(id));
        low += ends[0].min(ends[1]);
        high += ends[0].max(ends[1]);
    }
    match (i32::try_from(low), i32::try_from(high)) {
        (Ok(low), Ok(high)) => Interval::range(low.into(), high.into()),
        _ => Interval::ANY,
    }
}
