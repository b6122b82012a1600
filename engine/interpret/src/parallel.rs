//! Programs on several threads.
//!
//! The grid is cut along an axis into runs of programs, the first that will do. That may be done where each output's blocks
//! follow this axis one to one, so that every thread fills a stretch of the outputs of its own, and where nothing else goes from one run of
//! programs to another: programs wait for nobody, print nothing, do not write to inputs, and do not read scratch memory that
//! earlier programs have left. The first is read off the index maps and the kernel; that inputs and scratch memory are left
//! alone is watched. Where anything comes up, also an error or an access out of bounds, what was done is thrown away and the
//! programs run one after the other: results and reports are those of one thread, to the bit.

use crate::affine::IndexMap;
use crate::error::RunError;
use crate::fill;
use crate::hooks::{Hooks, OutOfBounds, UnmatchedSemaphore};
use crate::journal::{self, Journal};
use crate::launch::{LaunchPlan, next};
use crate::outputs::Filled;
use crate::run::Run;
use crate::tape::{Action, Block};
use pallas_ir::Role;
use pallas_tensor::Array;
use pallas_tensor::ops::{self, BinaryOp};
use pallas_tensor::threads::beside;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Of the programs that are left each run takes this part of a thread's share, so that the last ones, which others wait for, are short: threads
/// begin at different times, and some processors are slower than others.
const SHARE: usize = 2;
/// The shortest run is this part of a thread's share of all programs.
const LEAST: usize = 16;
/// Elements of blocks that threads are worth starting for.
const WORTH: usize = 1 << 17;
/// What a program costs by itself, in elements.
const PROGRAM: usize = 256;

/// Bytes that the tiles of all threads may take, and of each thread where there are many: what is lost by letting cores idle grows with
/// their number.
const TILES: usize = 20 << 20;
const EACH: usize = 2 << 20;

/// Whether the steps of a kernel leave other programs and the world alone, but for what they read and write, and for `copies`
/// on this device with the semaphores that count them.
pub(crate) fn is_quiet(block: &Block, copies: bool) -> bool {
    let is_quiet = |block: &Block| is_quiet(block, copies);
    block.steps.iter().all(|step| match &step.action {
        Action::Pure(_)
        | Action::Number(_)
        | Action::MultiplyAdd { .. }
        | Action::MultiplyByReciprocal
        | Action::ScatterAdd(_)
        | Action::Load(..)
        | Action::Window(_)
        | Action::Element(_)
        | Action::Fused(_)
        | Action::Product(_)
        | Action::Store(..)
        | Action::Swap(..)
        | Action::Atomic { .. }
        | Action::View(_)
        | Action::Reinterpret(..)
        | Action::ProgramId(_)
        | Action::NumPrograms(_) => true,
        Action::For(body) | Action::Scoped(body, _) => is_quiet(body),
        Action::While { condition, body } => is_quiet(condition) && is_quiet(body),
        Action::Cond(branches) => branches.iter().all(is_quiet),
        Action::Copy(copy) => copies && !copy.remote,
        Action::Semaphore(_) => copies,
        Action::Pipeline(_) | Action::Agent(_) | Action::DebugPrint(_) | Action::Launch(..) => false,
    })
}

/// How runs of programs fill an output.
#[derive(Clone, Copy)]
enum Fill {
    /// Each a stretch: the dimension that follows the axis, with its block size.
    Stretch(usize, usize),
    /// They copy to places that are seen when they have.
    Apart,
    /// They add integers to it: each to zeros of its own, which are added up.
    Count,
}

/// The axis to cut the grid along, and how each output is filled.
fn cut(plan: &LaunchPlan, grid: &[usize]) -> Option<(usize, Vec<Fill>)> {
    (0..grid.len()).filter(|&axis| grid[axis] > 1).find_map(|axis| Some((axis, fills(plan, grid, axis)?)))
}

/// For each output the dimension that follows an axis of the grid one to one, if it is not copied to.
fn fills(plan: &LaunchPlan, grid: &[usize], axis: usize) -> Option<Vec<Fill>> {
    let dimension = |operand: &crate::launch::OperandPlan| {
        let counts = operand.blocks.counts()?;
        let IndexMap::Affine(rows) = &operand.map else { return None };
        // Dimensions before it are of size 1, so that the blocks of neighbouring programs lie one behind the other.
        let array = if operand.goes_once { operand.blocks.array() } else { operand.blocks.padded() };
        let dimension = array.iter().position(|&size| size != 1)?;
        let row = rows.get(dimension)?;
        let other = |(place, &factor): (usize, &i32)| factor == 0 || place == axis || grid[place] == 1;
        let one_to_one = row.constant == 0
            && row.factors.get(axis) == Some(&1)
            && row.factors.iter().enumerate().all(other)
            && grid[axis] <= counts[dimension]
            && !operand.blocks.is_one();
        one_to_one.then(|| Fill::Stretch(dimension, operand.blocks.block()[dimension]))
    };
    let apart = |axes: u64| 1u64.checked_shl(axis as u32).is_some_and(|bit| axes & bit != 0);
    // Where they are set anew for every program of an axis before, only what comes after the last time counts.
    let counts = |counted: Option<usize>| counted == Some(axis) && grid[..axis].iter().all(|&extent| extent == 1);
    let fill = |(operand, (copied, &counted)): (_, (&Option<u64>, &Option<usize>))| match copied {
        Some(axes) => apart(*axes).then_some(Fill::Apart),
        None if counts(counted) => Some(Fill::Count),
        None => dimension(operand),
    };
    let known = plan.copied.iter().zip(&plan.counted);
    let fills: Option<Vec<Fill>> = plan.with_role(Role::Output).zip(known).map(fill).collect();
    fills.filter(|fills| !fills.is_empty())
}

/// How many threads of those that there are programs may run on: each has tiles of its own, and where those are large, memory counts
/// for more than time.
pub(crate) fn threads(plan: &LaunchPlan, hooks: &dyn Hooks) -> usize {
    let threads = hooks.threads();
    let most = TILES.max(threads.saturating_mul(EACH)) / plan.tape.room.max(1);
    threads.min(most.max(1))
}

/// Whether programs are worth several threads.
fn is_worth(plan: &LaunchPlan, grid: &[usize], axis: usize) -> bool {
    let programs = grid.iter().fold(1usize, |all, &extent| all.saturating_mul(extent));
    let elements = plan.operands.iter().filter(|operand| operand.role != Role::Prefetch);
    let each = elements.fold(PROGRAM, |sum, operand| sum.saturating_add(operand.blocks.block().size()));
    grid[axis] > 1 && programs.saturating_mul(each) >= WORTH
}

/// Where runs of programs begin on an axis of this extent, from long ones to short ones, and where the last one ends.
fn bounds(extent: usize, threads: usize) -> Vec<usize> {
    let least = (extent / threads.saturating_mul(LEAST)).max(1);
    let mut bounds = vec![0];
    let mut from = 0;
    while from < extent {
        let rest = extent - from;
        from += (rest / threads.saturating_mul(SHARE)).max(least).min(rest);
        bounds.push(from);
    }
    bounds
}

/// Whether programs run on several threads, as far as is known before.
pub(crate) fn goes(plan: &LaunchPlan, grid: &[usize], threads: usize) -> bool {
    let cut = if threads > 1 { cut(plan, grid) } else { None };
    cut.is_some_and(|(axis, _)| is_worth(plan, grid, axis))
}

/// A run of programs: from and to on the axis, and the outputs that they fill.
type Job<'a> = (usize, usize, Vec<Filled<'a>>);

/// Runs all programs on several threads and gives the outputs; `None` if they have to run one after the other.
pub(crate) fn run(
    plan: &LaunchPlan,
    grid: &[usize],
    inputs: &[Array],
    starts: &[Option<Array>],
    threads: usize,
    hooks: &mut dyn Hooks,
) -> Result<Option<Vec<Array>>, RunError> {
    let Some((axis, fills)) = cut(plan, grid) else { return Ok(None) };
    if !is_worth(plan, grid, axis) {
        return Ok(None);
    }
    let mut outputs = plan.outputs(starts.to_vec())?;
    let mut jobs: Vec<Job<'_>> =
        bounds(grid[axis], threads).windows(2).map(|pair| (pair[0], pair[1], Vec::new())).collect();
    for (output, fill) in outputs.iter_mut().zip(&fills) {
        let (dimension, size, output) = match (*fill, output) {
            (Fill::Stretch(dimension, size), Some(output)) => (dimension, size, output),
            (Fill::Apart, None) => {
                jobs.iter_mut().for_each(|(_, _, parts)| parts.push(Filled::Apart));
                continue;
            }
            (Fill::Count, None) => {
                jobs.iter_mut().for_each(|(_, _, parts)| parts.push(Filled::Whole));
                continue;
            }
            _ => return Ok(None),
        };
        let mut rest = output.part();
        for (from, to, parts) in &mut jobs {
            let (part, others) = rest.split(dimension, (*to - *from, size))?;
            parts.push(Filled::Part(part));
            rest = others;
        }
    }
    let count = jobs.len();
    // For each output that is copied to what each run has copied there, and for each that is counted what all have counted so far.
    let copied: Vec<Mutex<Vec<Journal>>> = jobs.iter().map(|_| Mutex::default()).collect();
    let counted: Mutex<Vec<Array>> = Mutex::default();
    let jobs: Vec<Mutex<Option<Job<'_>>>> = jobs.into_iter().map(|job| Mutex::new(Some(job))).collect();
    let shared =
        Shared { next: AtomicUsize::new(0), failed: AtomicBool::new(false), cancelled: AtomicBool::new(false) };
    let work = |hooks: &mut dyn Hooks| {
        while !shared.failed.load(Ordering::Relaxed) {
            let number = shared.next.fetch_add(1, Ordering::Relaxed);
            let (Some(job), Some(copied)) = (jobs.get(number), copied.get(number)) else { break };
            let Some(job) = job.lock().unwrap_or_else(PoisonError::into_inner).take() else { break };
            let done = programs(plan, grid, axis, inputs, job, hooks).and_then(|(journals, counts)| {
                *copied.lock().unwrap_or_else(PoisonError::into_inner) = journals;
                add_counts(&mut counted.lock().unwrap_or_else(PoisonError::into_inner), counts)
            });
            if done.is_err() {
                shared.failed.store(true, Ordering::Relaxed);
            }
        }
    };
    let mut own = Quiet { shared: &shared, caller: Some(hooks) };
    let garbage = fill::Fill::current();
    let others = || garbage.during(|| work(&mut Quiet { shared: &shared, caller: None }));
    beside(threads.min(count) - 1, others, || {
        // Once in any case: others may leave this thread nothing to do.
        own.cancelled();
        work(&mut own);
    });
    drop(jobs);
    if shared.cancelled.load(Ordering::Relaxed) {
        return Err(RunError::cancelled());
    }
    if shared.failed.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let copied = copied.into_iter().map(|run| run.into_inner().unwrap_or_else(PoisonError::into_inner));
    let mut copied: Vec<_> = copied.map(IntoIterator::into_iter).collect();
    let mut counted = counted.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter();
    let mut results = Vec::with_capacity(outputs.len());
    for ((output, operand), fill) in outputs.into_iter().zip(plan.with_role(Role::Output)).zip(&fills) {
        let blocks = &operand.blocks;
        results.push(match (output, fill) {
            (Some(output), _) => output.finish(blocks)?,
            (None, Fill::Count) => counted.next().ok_or_else(|| RunError::malformed("an output is missing"))?,
            (None, _) => {
                let journals: Vec<Journal> = copied.iter_mut().filter_map(Iterator::next).collect();
                match journal::together(&journals, blocks.dtype(), blocks.array(), || blocks.fresh(blocks.array()))? {
                    Some(whole) => whole,
                    None => return Ok(None),
                }
            }
        });
    }
    Ok(Some(results))
}

/// What a run of programs has copied to outputs in main memory, and what it has counted.
type Done = (Vec<Journal>, Vec<Array>);

/// Adds what a run has counted to what others have: sums of integers do not depend on their order.
fn add_counts(sums: &mut Vec<Array>, counts: Vec<Array>) -> Result<(), RunError> {
    if sums.is_empty() {
        *sums = counts;
        return Ok(());
    }
    let added = std::mem::take(sums).into_iter().zip(counts).map(|(sum, count)| {
        let sum = ops::binary(BinaryOp::Add, sum, count)?;
        // What it was put off for, if it was, can go.
        sum.buffer();
        Ok(sum)
    });
    *sums = added.collect::<Result<_, RunError>>()?;
    Ok(())
}

/// One run of programs.
fn programs(
    plan: &LaunchPlan,
    grid: &[usize],
    axis: usize,
    inputs: &[Array],
    (from, to, parts): Job<'_>,
    hooks: &mut dyn Hooks,
) -> Result<Done, RunError> {
    let mut run = Run::new(plan, grid, inputs.to_vec(), parts)?;
    if from > 0 {
        run.count_from_zero()?;
    }
    // Programs of the run that follow each other in the grid, too, and how often such a stretch comes.
    let inner: usize = grid[axis + 1..].iter().product();
    let outer: usize = grid[..axis].iter().product();
    let mut ids = vec![0; grid.len()];
    for stretch in 0..outer {
        // The programs in between are another thread's: what they leave in scratch memory is not known here.
        run.forget_scratch();
        place(&mut ids[..axis], &grid[..axis], stretch);
        ids[axis] = from;
        ids[axis + 1..].fill(0);
        let first = stretch * grid[axis] * inner;
        let end = first + to * inner;
        for number in first + from * inner..end {
            run.goes_on = number + 1 < end;
            run.program(number, &ids, hooks)?;
            if run.wrote_inputs() {
                return Err(RunError::eval("a program writes to an input"));
            }
            next(&mut ids, grid);
        }
        if !run.is_settled() {
            return Err(RunError::eval("a program leaves copies or semaphores to others"));
        }
    }
    let journals = run.journals();
    Ok((journals, run.finish(grid.iter().product(), hooks)?))
}

/// The ids of the program with this number.
fn place(ids: &mut [usize], grid: &[usize], number: usize) {
    let mut rest = number;
    for (id, &extent) in ids.iter_mut().zip(grid).rev() {
        *id = rest % extent.max(1);
        rest /= extent.max(1);
    }
}

/// What threads tell each other.
struct Shared {
    /// The run of programs that is next.
    next: AtomicUsize,
    /// Whether programs have to run one after the other after all.
    failed: AtomicBool,
    cancelled: AtomicBool,
}

/// The hooks of a thread: programs that have something to say run again, one after the other.
struct Quiet<'a> {
    shared: &'a Shared,
    /// The launch's own hooks, on the thread that they belong to.
    caller: Option<&'a mut dyn Hooks>,
}

impl Hooks for Quiet<'_> {
    fn cancelled(&mut self) -> bool {
        if self.caller.as_mut().is_some_and(|caller| caller.cancelled()) {
            self.shared.cancelled.store(true, Ordering::Relaxed);
            self.shared.failed.store(true, Ordering::Relaxed);
        }
        self.shared.failed.load(Ordering::Relaxed)
    }

    fn debug_print(&mut self, _format: &str, _values: &[Array]) {
        self.shared.failed.store(true, Ordering::Relaxed);
    }

    fn out_of_bounds(&mut self, _access: &OutOfBounds<'_>) {
        self.shared.failed.store(true, Ordering::Relaxed);
    }

    fn unmatched(&mut self, _semaphore: &UnmatchedSemaphore<'_>) {
        self.shared.failed.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::bounds;

    #[test]
    fn runs_are_the_whole_axis_from_long_ones_to_short_ones() {
        for (extent, threads) in [(2, 2), (7, 2), (64, 2), (1024, 2), (1000, 7), (3, 16), (1_000_000, 64)] {
            let bounds = bounds(extent, threads);
            assert_eq!((bounds[0], bounds.last()), (0, Some(&extent)));
            let runs: Vec<usize> = bounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(runs.iter().all(|&run| run > 0), "{runs:?}");
            assert!(runs.is_sorted_by(|a, b| a >= b), "{runs:?}");
            // Whoever begins last finds no less than others have, and nobody waits long for the last.
            assert!(runs[0] <= extent.div_ceil(threads * 2), "{runs:?}");
            assert!(runs[runs.len() - 1] <= extent.div_ceil(threads * 16), "{runs:?}");
        }
        assert_eq!(bounds(1024, 2), [0, 256, 448, 592, 700, 781, 841, 886, 920, 952, 984, 1016, 1024]);
    }
}
