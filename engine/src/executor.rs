//! What `pallas-jax` runs its traces with: the interpreter, its prints sent to the console; accesses out of bounds, and
//! semaphores that are waited for in vain or not at all, turned into findings.

use crate::accelerator::{Accelerated, Accelerating, Acceleration, End, NotRun, compare};
use crate::capture::{Capturing, Tiles};
use crate::hazards;
use crate::parts::Parts;
use crate::plans::Plans;
use crate::rehearsed;
use crate::run::Schedule;
use crate::timings::Timings;
use crate::undefined::Shown;
use pallas_check::rules;
use pallas_check::waits::{self, Mismatch};
use pallas_interpret::{
    CopyTimes, Hazard, Hooks, OutOfBounds, ProgramEvent, RunError, RunErrorKind, StoreEvent, TileEvent, Undefined,
    Unmatched, UnmatchedSemaphore, run_launch,
};
use pallas_ir::launch::LaunchSpans;
use pallas_ir::{Certainty, Finding, Function, Known, Label, Launch, Location, Scalars};
use pallas_jax::{ExecutionError, Executor, World};
use pallas_profile::{LeftOut, Recorder};
use pallas_tensor::Array;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Launches whose outputs are kept in one run.
const MOST_OUTPUTS: usize = 1024;
/// Scalars that are kept in one run: arrays of them, and elements of an array.
const MOST_FETCHED: usize = 64;
const LARGEST_FETCHED: usize = 1 << 16;

/// The CPU.
pub(crate) struct CpuExecutor {
    findings: RefCell<Vec<Finding>>,
    undefined: RefCell<Vec<Shown>>,
    timings: Option<RefCell<Timings>>,
    parts: Parts,
    capturing: Option<RefCell<Capturing>>,
    schedule: Schedule,
    outputs: RefCell<Vec<(Arc<Launch>, Vec<Array>)>>,
    fetched: RefCell<Vec<(Arc<Launch>, Scalars)>>,
    accelerating: Option<RefCell<Accelerating>>,
    plans: Plans,
    /// Whether what is not proved of a launch is looked for.
    strict: bool,
}

impl CpuExecutor {
    /// Times launches, if there is something to time them with, and keeps the tiles that are wanted.
    pub(crate) fn new(
        timings: Option<Timings>,
        parts: Parts,
        capturing: Option<Capturing>,
        schedule: Schedule,
        acceleration: Option<Acceleration>,
        strict: bool,
    ) -> Self {
        CpuExecutor {
            findings: RefCell::default(),
            undefined: RefCell::default(),
            timings: timings.map(RefCell::new),
            parts,
            capturing: capturing.map(RefCell::new),
            schedule,
            outputs: RefCell::default(),
            fetched: RefCell::default(),
            accelerating: acceleration.map(|acceleration| RefCell::new(Accelerating::new(acceleration))),
            plans: Plans::default(),
            strict,
        }
    }

    /// The tiles that were wanted, as far as they came to be.
    pub(crate) fn tiles(&self) -> Vec<Tiles> {
        self.capturing.as_ref().map_or_else(Vec::new, |capturing| capturing.borrow_mut().finish())
    }

    /// What was measured of the launches so far, and of those that there was no room for.
    pub(crate) fn measured(&self) -> (Vec<(Arc<Launch>, Recorder)>, Vec<LeftOut>) {
        self.timings.as_ref().map_or_else(Default::default, |timings| timings.borrow_mut().take())
    }

    /// The outputs that were kept.
    pub(crate) fn outputs(&self) -> Vec<(Arc<Launch>, Vec<Array>)> {
        self.outputs.take()
    }

    /// The scalars that launches have fetched, as far as they were kept.
    pub(crate) fn fetched(&self) -> Vec<(Arc<Launch>, Scalars)> {
        self.fetched.take()
    }

    /// Keeps the scalars that a launch is about to fetch, for the rules.
    fn note(&self, launch: &Arc<Launch>, arguments: &[Array]) {
        let mut fetched = self.fetched.borrow_mut();
        if fetched.len() >= MOST_FETCHED {
            return;
        }
        let before = launch.dynamic.len();
        let arrays = launch.with_known_elements().map(|(number, _)| arguments.get(before + number));
        let kept = |array: &&Array| array.size() <= LARGEST_FETCHED;
        let scalars: Vec<_> = arrays.map(|array| array.filter(kept).cloned().map(Known::Exact)).collect();
        let scalars = Scalars(scalars);
        if scalars.is_known() && !fetched.iter().any(|(seen, known)| Arc::ptr_eq(seen, launch) && *known == scalars) {
            fetched.push((launch.clone(), scalars));
        }
    }

    /// What became of the launches that were given to the accelerator.
    pub(crate) fn accelerated(&self) -> Vec<Accelerated> {
        self.accelerating.as_ref().map_or_else(Vec::new, |work| std::mem::take(&mut work.borrow_mut().launches))
    }

    /// Runs a launch on the accelerator; `None` where it has to run in interpret mode.
    fn accelerate(
        &self,
        work: &mut Accelerating,
        launch: &Arc<Launch>,
        arguments: &[Array],
        world: &dyn World,
    ) -> Result<Option<Vec<Array>>, ExecutionError> {
        let times = self.timings.as_ref().filter(|timings| !timings.borrow_mut().knows(launch));
        let stop = || world.cancelled();
        let (by, ran) = work.run(launch, arguments, times.map(|_| &stop as &dyn Fn() -> bool));
        let (outputs, end) = match ran {
            Err(why) if work.falls_back => (None, End::FellBack(why)),
            Err(why) => return Err(stopped(launch, why)),
            Ok(ran) => {
                let differences = match work.verifies {
                    false => None,
                    true => {
                        let expected = self.interpret(launch, arguments.to_vec(), world)?;
                        Some(compare(launch, &expected, &ran.outputs))
                    }
                };
                let mut findings = self.findings.borrow_mut();
                for finding in ran.findings {
                    self.parts.finds(&finding);
                    if !findings.iter().any(|f| f.span == finding.span && f.code == finding.code) {
                        findings.push(finding);
                    }
                }
                drop(findings);
                for found in &ran.undefined {
                    note_undefined(&self.undefined, Shown::new(found, Some(launch)), &self.parts);
                }
                if let Some(timings) = &self.timings {
                    timings.borrow_mut().on_device(launch, &by, ran.timed);
                }
                // Interpret mode has printed it otherwise.
                for line in ran.printed.iter().filter(|_| !work.verifies) {
                    world.debug_print(&line.replace('{', "{{").replace('}', "}}"), &[]);
                }
                (Some(ran.outputs), End::Ran { microseconds: ran.microseconds, differences, seen: ran.seen })
            }
        };
        Accelerated::note(&mut work.launches, launch, by, end);
        Ok(outputs)
    }

    /// Runs a launch in interpret mode.
    fn interpret(
        &self,
        launch: &Arc<Launch>,
        arguments: Vec<Array>,
        world: &dyn World,
    ) -> Result<Vec<Array>, ExecutionError> {
        let mut watcher = self.watcher(world);
        watcher.launch_begins(launch);
        let ended = run_launch(launch, arguments, &mut watcher);
        for finding in self.findings.borrow_mut().iter_mut() {
            if let Some(help) = hazards::counted_together(launch, finding) {
                finding.help = Some(help);
            }
        }
        ended.map_err(|error| self.failed(&error, &launch.spans))
    }

    /// What the program sees of an error of the launch at these places. Agents that have stopped are a finding, also where the
    /// program catches the exception.
    fn failed(&self, error: &RunError, spans: &LaunchSpans) -> ExecutionError {
        let (message, simulated) = (said(error), error.simulated);
        let is_memory = matches!(error.kind, RunErrorKind::Memory(_));
        let Some(mut finding) = rehearsed::of_error(error, spans.apply) else {
            let span = error.op.as_ref().filter(|_| is_memory).map(|(_, location)| location.span);
            return ExecutionError { message, span, simulated, is_memory, ..ExecutionError::default() };
        };
        if let (RunErrorKind::Absent(_), Some(span)) = (&error.kind, spans.parted) {
            finding.labels.push(Label { span, text: "devices go different ways here".to_string() });
        }
        let labels = finding.labels.iter().map(|label| (label.span, label.text.clone())).collect();
        let (code, span, help) = (finding.code, Some(finding.span), finding.help.clone());
        self.parts.finds(&finding);
        let mut findings = self.findings.borrow_mut();
        if !findings.iter().any(|known| (known.span, known.code) == (finding.span, code)) {
            findings.push(finding);
        }
        ExecutionError { message, code, span, labels, help, simulated, is_memory }
    }

    fn watcher<'a>(&'a self, world: &'a dyn World) -> Watcher<'a> {
        Watcher {
            world,
            elsewhere: None,
            findings: &self.findings,
            undefined: &self.undefined,
            timings: self.timings.as_ref(),
            parts: &self.parts,
            capturing: self.capturing.as_ref(),
            schedule: self.schedule,
            tells: true,
            strict: self.strict,
            launch: None,
            spans: LaunchSpans::default(),
            stopped: None,
        }
    }

    /// Which parts of the session have run and found what.
    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// What went wrong in the runs so far, each place once.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.findings.take()
    }

    /// What strict runs found of memory that nobody has written.
    pub(crate) fn undefined(&self) -> Vec<Shown> {
        self.undefined.take()
    }
}

impl Executor for CpuExecutor {
    fn run_function(
        &self,
        function: &Rc<Function>,
        arguments: Vec<Array>,
        world: &dyn World,
    ) -> Result<Vec<Array>, ExecutionError> {
        let mut watcher = self.watcher(world);
        watcher.elsewhere = self.accelerating.as_ref().map(|_| self);
        let ran = self.plans.of(function).and_then(|plan| plan.run(arguments, &mut watcher));
        let (stopped, spans) = (watcher.stopped.take(), std::mem::take(&mut watcher.spans));
        ran.map_err(|error| stopped.unwrap_or_else(|| self.failed(&error, &spans)))
    }

    fn run_launch(
        &self,
        launch: &Arc<Launch>,
        arguments: Vec<Array>,
        world: &dyn World,
    ) -> Result<Vec<Array>, ExecutionError> {
        self.note(launch, &arguments);
        if let Some(accelerating) = &self.accelerating
            && let Some(outputs) = self.accelerate(&mut accelerating.borrow_mut(), launch, &arguments, world)?
        {
            return Ok(outputs);
        }
        let outputs = self.interpret(launch, arguments, world)?;
        if self.schedule.keeps_outputs && launch.has_schedules() && self.outputs.borrow().len() < MOST_OUTPUTS {
            self.outputs.borrow_mut().push((launch.clone(), outputs.clone()));
        }
        Ok(outputs)
    }
}

/// A launch that its accelerator cannot run, where nothing else was wished for.
fn stopped(launch: &Launch, why: NotRun) -> ExecutionError {
    let help = why.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
    let message = format!("{}: {}{help}", launch.kernel.name, why.message);
    ExecutionError { message, span: why.span, help: why.help, ..ExecutionError::default() }
}

/// Keeps what was found, each place once.
fn note_undefined(known: &RefCell<Vec<Shown>>, shown: Shown, parts: &Parts) {
    parts.finds(&shown.finding);
    let mut known = known.borrow_mut();
    let is_known = |other: &Shown| other.finding.span == shown.finding.span && other.finding.code == shown.finding.code;
    if !known.iter().any(is_known) {
        known.push(shown);
    }
}

/// An error in words.
fn said(error: &RunError) -> String {
    match error.kind {
        RunErrorKind::Cancelled => "cancelled".to_string(),
        RunErrorKind::Memory(_) => format!("{error}: use smaller blocks, or delete arrays that are no longer needed"),
        _ => error.to_string(),
    }
}

/// Hooks of one run.
struct Watcher<'a> {
    world: &'a dyn World,
    /// Who is asked first where launches of host functions run.
    elsewhere: Option<&'a CpuExecutor>,
    findings: &'a RefCell<Vec<Finding>>,
    undefined: &'a RefCell<Vec<Shown>>,
    timings: Option<&'a RefCell<Timings>>,
    parts: &'a Parts,
    capturing: Option<&'a RefCell<Capturing>>,
    schedule: Schedule,
    /// Whether the program is told of races: JAX's simulators look for them only where they are asked to.
    tells: bool,
    strict: bool,
    /// The launch that runs.
    launch: Option<Arc<Launch>>,
    /// Its places.
    spans: LaunchSpans,
    /// Why a launch did not run, where it was asked for inside of a function.
    stopped: Option<ExecutionError>,
}

impl Hooks for Watcher<'_> {
    fn threads(&self) -> usize {
        match self.timings.is_some() || self.capturing.is_some() {
            true => 1,
            false => pallas_tensor::threads::available(),
        }
    }

    fn looks_at_programs(&self) -> bool {
        self.timings.is_some() || self.capturing.is_some()
    }

    fn schedule(&self) -> Option<u64> {
        self.schedule.seed
    }

    fn late(&self) -> bool {
        self.schedule.late
    }

    fn is_strict(&self) -> bool {
        self.strict
    }

    fn undefined(&mut self, element: &Undefined) {
        let shown = Shown::new(element, self.launch.as_deref());
        note_undefined(self.undefined, shown, self.parts);
    }

    fn wants_races(&self, launch_has_agents: bool) -> bool {
        launch_has_agents || self.schedule.keeps_outputs
    }

    fn hazard(&mut self, hazard: &Hazard) {
        if let (Hazard::Race { .. }, true) = (hazard, self.tells) {
            self.world.raced(true);
        }
        let finding = hazards::finding(hazard);
        self.parts.finds(&finding);
        let mut findings = self.findings.borrow_mut();
        if !findings.iter().any(|f| f.span == finding.span && f.code == finding.code && f.labels == finding.labels) {
            findings.push(finding);
        }
    }

    fn now(&mut self) -> Option<u64> {
        self.timings.and_then(|timings| timings.borrow().now())
    }

    fn wants_programs(&self) -> bool {
        self.timings.is_some()
    }

    fn wants_places(&self, number: usize) -> bool {
        self.timings.is_some() && Timings::wants_places(number)
    }

    fn launch(&mut self, launch: &Arc<Launch>, operands: &[Array]) -> Option<Result<Vec<Array>, RunError>> {
        let executor = self.elsewhere?;
        let accelerating = executor.accelerating.as_ref()?;
        let ran = executor.accelerate(&mut accelerating.borrow_mut(), launch, operands, self.world);
        // Its own place is kept: the error goes through functions that know none.
        ran.map_err(|error| {
            let message = error.message.clone();
            self.stopped = Some(error);
            RunError::eval(message)
        })
        .transpose()
    }

    fn launch_begins(&mut self, launch: &Launch) {
        self.world.raced(false);
        self.parts.runs(launch);
        self.spans = launch.spans.clone();
        self.launch = self.strict.then(|| Arc::new(launch.clone()));
        self.tells = launch.interpretation.device().is_none_or(|options| options.races);
        if let Some(timings) = self.timings {
            timings.borrow_mut().begin(launch);
        }
        if let Some(capturing) = self.capturing {
            capturing.borrow_mut().begin(launch);
        }
    }

    fn program(&mut self, event: &ProgramEvent<'_>) {
        if let Some(timings) = self.timings {
            timings.borrow_mut().program(event);
        }
    }

    fn wants_tiles(&self, number: usize) -> bool {
        self.capturing.is_some_and(|capturing| capturing.borrow().wants(number))
    }

    fn tiles(&mut self, event: TileEvent<'_>) {
        if let Some(capturing) = self.capturing {
            capturing.borrow_mut().take_in(event);
        }
    }

    fn wants_stores(&self) -> bool {
        self.capturing.is_some_and(|capturing| capturing.borrow().wants_stores())
    }

    fn stored(&mut self, event: StoreEvent<'_>) {
        if let Some(capturing) = self.capturing {
            capturing.borrow_mut().stored(event);
        }
    }

    fn places(&mut self, places: &[Location], ticks: &[u64]) {
        if let Some(timings) = self.timings {
            timings.borrow_mut().places(places, ticks);
        }
    }

    fn written_back(&mut self, number: usize, copies: &[CopyTimes]) {
        if let Some(timings) = self.timings {
            timings.borrow_mut().written_back(number, copies);
        }
    }

    fn debug_print(&mut self, format: &str, values: &[Array]) {
        self.world.debug_print(format, values);
    }

    fn cancelled(&mut self) -> bool {
        self.world.cancelled()
    }

    fn grid_point(&mut self, recorder: u32, ids: &[usize], core: usize) {
        self.world.grid_point(recorder, ids, core);
    }

    fn place(&self, place: &Location) -> Option<String> {
        self.world.place(place.span)
    }

    fn unmatched(&mut self, semaphore: &UnmatchedSemaphore<'_>) {
        let span = semaphore.location.span;
        let UnmatchedSemaphore { name, count, wanted, .. } = *semaphore;
        let mismatch = match semaphore.kind {
            Unmatched::Wait => Mismatch::Wait { wanted, count },
            Unmatched::CopyWait => Mismatch::CopyWait { wanted },
            Unmatched::Left => Mismatch::Left(count),
            Unmatched::CopyLeft => Mismatch::CopyLeft(count),
        };
        let finding = waits::finding(mismatch, Certainty::Found, name, span, semaphore.ids);
        self.parts.finds(&finding);
        let mut findings = self.findings.borrow_mut();
        if !findings.iter().any(|f| f.span == span && f.code == finding.code) {
            findings.push(finding);
        }
    }

    fn out_of_bounds(&mut self, access: &OutOfBounds<'_>) {
        let span = access.location.span;
        let mut findings = self.findings.borrow_mut();
        if let Some(known) = findings.iter().find(|f| f.span == span) {
            self.parts.finds(known);
            return;
        }
        let last = access.start + (access.size.saturating_sub(1) * access.stride) as i64;
        let what = if access.writes { "write" } else { "read" };
        let positions = if access.size == 1 {
            format!("position {}", access.start)
        } else {
            format!("positions {}..{}", access.start, last + 1)
        };
        let dimension = (access.axis, access.bound);
        let finding = rules::access_out_of_bounds(what, dimension, access.ids, &positions, span);
        self.parts.finds(&finding);
        findings.push(finding);
    }
}
