//! What would change the verdict: other numbers of slots, and other block shapes, with their predicted times. Advice is the
//! same model asked again; it assumes that the work of the whole grid stays as it is when the grid is cut differently.

use crate::machine::Machine;
use crate::model::{Model, Wishes};
use crate::work::{LaunchWork, Work};
use pallas_ir::{BlockDim, BlockMap, IndexForm, Launch, Role};

/// Slots that are tried.
const MOST_SLOTS: usize = 8;
/// A gain below this share is no reason for more slots.
const WORTH: f64 = 0.01;
/// Factors that an axis of the grid is cut coarser or finer by: powers of two up to this.
const MOST_FACTOR: usize = 16;
/// Axes that are tried in all combinations.
const MOST_AXES: usize = 3;

/// A number of slots and what it would give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlotChoice {
    /// Slots per operand.
    pub slots: usize,
    /// The predicted time in seconds.
    pub time: f64,
    /// Bytes on chip.
    pub on_chip: u128,
    /// Whether they fit.
    pub fits: bool,
}

/// A way to cut the arrays and what it would give.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockChoice {
    /// The grid.
    pub grid: Vec<usize>,
    /// Block sizes per operand, 1 where squeezed.
    pub blocks: Vec<Vec<usize>>,
    /// The predicted time in seconds.
    pub time: f64,
    /// Bytes of all copies.
    pub bytes: u128,
    /// Bytes on chip.
    pub on_chip: u128,
    /// What would hold it up.
    pub bound: crate::Bound,
}

/// One to [`MOST_SLOTS`] slots.
pub fn slot_choices(launch: &Launch, machine: &Machine, work: &LaunchWork) -> Vec<SlotChoice> {
    (1..=MOST_SLOTS)
        .map(|slots| {
            let model = Model::with_work(launch, machine, Wishes { slots: Some(slots) }, work.clone());
            let fits = model.on_chip as f64 <= machine.on_chip.value;
            SlotChoice { slots, time: model.time(), on_chip: model.on_chip, fits }
        })
        .collect()
}

/// The fewest slots that fit and come within a hundredth of the best time.
pub fn best_slots(choices: &[SlotChoice]) -> Option<SlotChoice> {
    let fitting = || choices.iter().filter(|choice| choice.fits);
    let best = fitting().map(|choice| choice.time).min_by(f64::total_cmp)?;
    fitting().find(|choice| choice.time <= best * (1.0 + WORTH)).copied()
}

/// Other block shapes that fit on chip, the fastest first, at most `most` of them. None where the grid and the blocks do
/// not hang together plainly: every index one axis of the grid or a constant, every block whole.
pub fn block_choices(launch: &Launch, machine: &Machine, work: &LaunchWork, most: usize) -> Vec<BlockChoice> {
    let Some(axes) = scalable(launch) else { return Vec::new() };
    let mut choices = Vec::new();
    let mut grids = vec![launch.grid.clone()];
    for &axis in &axes {
        grids = grids.iter().flat_map(|grid| other_extents(launch, grid, axis)).collect();
    }
    for grid in grids {
        let Some(cut) = cut(launch, &grid, machine.tile) else { continue };
        let spread = spread(work, cut.programs());
        let model = Model::with_work(&cut, machine, Wishes::default(), spread);
        // What is kept in scratch grows with the blocks at most.
        let growth = (launch.programs() as f64 / cut.programs().max(1) as f64).max(1.0);
        let scratch: f64 =
            launch.scratch.iter().map(|ty| crate::copies::packed(ty.dtype, ty.shape.iter().copied()) as f64).sum();
        let on_chip = model.on_chip.saturating_add((scratch * (growth - 1.0)) as u128);
        if on_chip as f64 > machine.on_chip.value {
            continue;
        }
        choices.push(BlockChoice {
            blocks: cut.operands.iter().map(|operand| operand.block.iter().map(|dim| dim.size()).collect()).collect(),
            time: model.time(),
            bytes: model.bytes,
            on_chip,
            bound: model.formulas.bound(),
            grid,
        });
    }
    // Among equally fast ones the one that needs the least memory.
    choices.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.on_chip.cmp(&b.on_chip)));
    choices.truncate(most);
    choices
}

/// Axes of the grid that cut arrays and nothing else, the ones with the most programs first.
fn scalable(launch: &Launch) -> Option<Vec<usize>> {
    if !launch.dynamic.is_empty() || launch.programs() == 0 {
        return None;
    }
    let mut cuts = vec![false; launch.grid.len()];
    for operand in &launch.operands {
        if operand.role == Role::Prefetch {
            continue;
        }
        let map = BlockMap::new(operand, launch.grid.len());
        for (form, dim) in map.dims.iter().zip(&operand.block) {
            let IndexForm::Affine { constant, coefficients } = form else { return None };
            let mut moving = coefficients.iter().enumerate().filter(|(_, factor)| **factor != 0);
            match (moving.next(), moving.next()) {
                (None, _) => {}
                (Some((axis, 1)), None) if *constant == 0 && matches!(dim, BlockDim::Blocked(_)) => cuts[axis] = true,
                // Squeezed dimensions are not cut differently, but do not stand in the way.
                (Some((_, 1)), None) if *constant == 0 && *dim == BlockDim::Squeezed => {}
                _ => return None,
            }
        }
    }
    for operand in &launch.operands {
        let map = BlockMap::new(operand, launch.grid.len());
        for (form, dim) in map.dims.iter().zip(&operand.block) {
            let row = form.coefficients().unwrap_or_default();
            for (axis, cut) in cuts.iter_mut().enumerate() {
                *cut &= *dim != BlockDim::Squeezed || row.get(axis).is_none_or(|&factor| factor == 0);
            }
        }
    }
    let mut axes: Vec<usize> = (0..cuts.len()).filter(|&axis| cuts[axis]).collect();
    axes.sort_by_key(|&axis| std::cmp::Reverse(launch.grid[axis]));
    axes.truncate(MOST_AXES);
    (!axes.is_empty()).then_some(axes)
}

/// The grid with other extents along an axis; its own among them.
fn other_extents(launch: &Launch, grid: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let extent = launch.grid[axis];
    let mut extents = vec![extent];
    let mut factor = 2;
    while factor <= MOST_FACTOR {
        if extent.is_multiple_of(factor) {
            extents.push(extent / factor);
        }
        extents.push(extent.saturating_mul(factor));
        factor *= 2;
    }
    extents
        .into_iter()
        .map(|extent| {
            let mut grid = grid.to_vec();
            grid[axis] = extent;
            grid
        })
        .collect()
}

/// The launch with its arrays cut for another grid. `None` where a block would not be a whole number of elements, the
/// whole array, or a multiple of the machine's tile.
fn cut(launch: &Launch, grid: &[usize], tile: (usize, usize)) -> Option<Launch> {
    let mut cut = launch.clone();
    cut.grid = grid.to_vec();
    for (operand, original) in cut.operands.iter_mut().zip(&launch.operands) {
        let map = BlockMap::new(original, launch.grid.len());
        let rank = operand.block.len();
        for (at, dim) in operand.block.iter_mut().enumerate() {
            let row = map.dims.get(at).and_then(IndexForm::coefficients).unwrap_or_default();
            let axis = row.iter().position(|&factor| factor != 0);
            let (Some(axis), BlockDim::Blocked(size)) = (axis, &mut *dim) else { continue };
            let extent = original.array.shape[at];
            if grid[axis] != launch.grid[axis] {
                let all = size.checked_mul(launch.grid[axis])?;
                if all != extent || !all.is_multiple_of(grid[axis]) {
                    return None;
                }
                *size = all / grid[axis];
            }
            let multiple = match rank - at {
                1 => tile.1,
                2 => tile.0,
                _ => 1,
            };
            if !size.is_multiple_of(multiple) && *size != extent {
                return None;
            }
        }
    }
    Some(cut)
}

/// The same work over another number of programs, the same for all.
fn spread(work: &LaunchWork, others: usize) -> LaunchWork {
    let mut each = Work::default();
    for (&(unit, dtype), &count) in &work.total.terms {
        each.add(unit, dtype, count / others.max(1) as u128);
    }
    each.copied = work.total.copied / others.max(1) as u128;
    LaunchWork { axes: Vec::new(), programs: vec![each], total: work.total.clone(), ..LaunchWork::default() }
}
