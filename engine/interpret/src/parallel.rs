//! Programs on several threads.
//!
//! The grid is cut along one axis or two into runs of programs (`cut.rs`). That may be done where each output's blocks
//! follow these axes one to one, so that every thread fills a box of the outputs of its own, and where nothing else goes from one run of
//! programs to another: programs wait for nobody, print nothing, do not write to inputs, and do not read scratch memory that
//! earlier programs have left. The first is read off the index maps and the kernel; that inputs and scratch memory are left
//! alone is watched. Where anything comes up, also an error or an access out of bounds, what was done is thrown away and the
//! programs run one after the other: results and reports are those of one thread, to the bit.

mod cut;

use crate::error::RunError;
use crate::fill;
use crate::hooks::{Hooks, OutOfBounds, UnmatchedSemaphore};
use crate::journal::{self, Journal};
use crate::launch::{LaunchPlan, next, number};
use crate::outputs::Filled;
use crate::run::Run;
use crate::tape::{Action, Block};
use cut::{Cut, Fill, cuts};
use pallas_ir::Role;
use pallas_tensor::Array;
use pallas_tensor::ops::{self, BinaryOp};
use pallas_tensor::threads::beside;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

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

/// How many threads of those that there are programs may run on: each has tiles of its own, and where those are large, memory counts
/// for more than time.
pub(crate) fn threads(plan: &LaunchPlan, hooks: &dyn Hooks) -> usize {
    let threads = hooks.threads();
    let most = TILES.max(threads.saturating_mul(EACH)) / plan.tape.room.max(1);
    threads.min(most.max(1))
}

/// Whether programs run on several threads, as far as is known before.
pub(crate) fn goes(plan: &LaunchPlan, grid: &[usize], threads: usize) -> bool {
    threads > 1 && cuts(plan, grid, threads).is_some()
}

/// A run of programs: those in a box of the grid, and what they fill of the outputs.
struct Job<'a> {
    lower: Vec<usize>,
    upper: Vec<usize>,
    parts: Vec<Filled<'a>>,
}

impl<'a> Job<'a> {
    /// The same programs in several runs.
    fn cut(self, plan: &LaunchPlan, cut: &Cut) -> Result<Vec<Job<'a>>, RunError> {
        let Job { lower, upper, parts: mut rest } = self;
        let mut jobs = Vec::with_capacity(cut.bounds.len());
        for (&from, &to) in cut.bounds.iter().zip(&cut.bounds[1..]) {
            let mut job = Job { lower: lower.clone(), upper: upper.clone(), parts: Vec::with_capacity(rest.len()) };
            (job.lower[cut.axis], job.upper[cut.axis]) = (from, to);
            let mut others = Vec::with_capacity(rest.len());
            for ((part, fill), operand) in rest.into_iter().zip(&cut.fills).zip(plan.with_role(Role::Output)) {
                let (part, behind) = match (part, *fill) {
                    (Filled::Part(part), Fill::Along(dimension)) => {
                        let (part, behind) = part.split(&operand.blocks, dimension, to - from)?;
                        (Filled::Part(part), Filled::Part(behind))
                    }
                    (Filled::Apart, _) => (Filled::Apart, Filled::Apart),
                    (Filled::Whole, _) => (Filled::Whole, Filled::Whole),
                    (Filled::Part(_), _) => {
                        return Err(RunError::malformed("an output is cut that is not filled by parts"));
                    }
                };
                job.parts.push(part);
                others.push(behind);
            }
            rest = others;
            jobs.push(job);
        }
        Ok(jobs)
    }
}

/// Runs all programs on several threads and gives the outputs; `None` if they have to run one after the other.
pub(crate) fn run(
    plan: &LaunchPlan,
    grid: &[usize],
    inputs: &[Array],
    starts: &[Option<Array>],
    threads: usize,
    hooks: &mut dyn Hooks,
) -> Result<Option<Vec<Array>>, RunError> {
    let Some(cuts) = cuts(plan, grid, threads) else { return Ok(None) };
    let outputs = run_cut(plan, grid, (inputs, starts), (threads, &cuts), hooks)?;
    if outputs.is_none() && cuts.len() > 1 && !plan.scratch.is_empty() {
        // Scratch memory may go along the axis that was cut for more runs: the first program of the second run has found out.
        return run_cut(plan, grid, (inputs, starts), (threads, &cuts[..1]), hooks);
    }
    Ok(outputs)
}

/// [`run`], cut in a certain way.
fn run_cut(
    plan: &LaunchPlan,
    grid: &[usize],
    (inputs, starts): (&[Array], &[Option<Array>]),
    (threads, cuts): (usize, &[Cut]),
    hooks: &mut dyn Hooks,
) -> Result<Option<Vec<Array>>, RunError> {
    let [first, others @ ..] = cuts else { return Ok(None) };
    let fills = &first.fills;
    let mut outputs = plan.outputs(starts.to_vec())?;
    let mut parts = Vec::with_capacity(outputs.len());
    for (output, fill) in outputs.iter_mut().zip(fills) {
        parts.push(match (fill, output) {
            (Fill::Along(_), Some(output)) => Filled::Part(output.part()),
            (Fill::Apart, None) => Filled::Apart,
            (Fill::Count, None) => Filled::Whole,
            _ => return Ok(None),
        });
    }
    let mut jobs = Job { lower: vec![0; grid.len()], upper: grid.to_vec(), parts }.cut(plan, first)?;
    for cut in others {
        let several: Vec<Vec<Job<'_>>> = jobs.into_iter().map(|job| job.cut(plan, cut)).collect::<Result<_, _>>()?;
        jobs = several.into_iter().flatten().collect();
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
            let done = programs(plan, grid, inputs, job, hooks).and_then(|(journals, counts)| {
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
    for ((output, operand), fill) in outputs.into_iter().zip(plan.with_role(Role::Output)).zip(fills) {
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
    let added =
        std::mem::take(sums).into_iter().zip(counts).map(|(sum, count)| Ok(ops::binary(BinaryOp::Add, sum, count)?));
    *sums = added.collect::<Result<_, RunError>>()?;
    Ok(())
}

/// One run of programs.
fn programs<'a>(
    plan: &'a LaunchPlan,
    grid: &'a [usize],
    inputs: &[Array],
    Job { lower, upper, parts }: Job<'a>,
    hooks: &mut dyn Hooks,
) -> Result<Done, RunError> {
    let mut run = Run::new(plan, grid, inputs.to_vec(), parts)?;
    if lower.iter().any(|&from| from > 0) {
        run.count_from_zero()?;
    }
    // The last axis that was cut: from there on programs of the run follow each other in the grid, one stretch of them after the other.
    let last = (0..grid.len()).rev().find(|&axis| upper[axis] - lower[axis] < grid[axis]).unwrap_or(0);
    let inner: usize = grid[last + 1..].iter().product();
    let count = (upper[last] - lower[last]) * inner;
    // Of the axes before it, how far into the box a stretch begins.
    let extents: Vec<usize> = (0..last).map(|axis| upper[axis] - lower[axis]).collect();
    let mut place = vec![0; last];
    for _ in 0..extents.iter().product() {
        // The programs in between are another thread's: what they leave in scratch memory is not known here.
        run.forget_scratch();
        let mut ids = lower.clone();
        ids.iter_mut().zip(&place).for_each(|(id, place)| *id += place);
        let first = number(&ids, grid);
        for number in first..first + count {
            run.goes_on = number + 1 < first + count;
            run.program(number, &ids, hooks)?;
            if run.wrote_inputs() {
                return Err(RunError::eval("a program writes to an input"));
            }
            next(&mut ids, grid);
        }
        if !run.is_settled() {
            return Err(RunError::eval("a program leaves copies or semaphores to others"));
        }
        next(&mut place, &extents);
    }
    let journals = run.journals();
    Ok((journals, run.finish(grid.iter().product(), hooks)?))
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
