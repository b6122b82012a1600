//! Running a file, as `python FILE` with JAX would.

use crate::accelerator::{Accelerated, Acceleration};
use crate::ahead::Ahead;
use crate::analysis::{Watch, import_paths};
use crate::capture::{Capture, Capturing, Tiles};
use crate::environment::Environment;
use crate::executor::CpuExecutor;
use crate::files::FileSystem;
use crate::host::{Cancel, Console, RunHost};
use crate::parts::Parts;
use crate::settings::TargetDevice;
use crate::stack::{with_large_stack, with_large_stack_beside};
use crate::timings::Timings;
use crate::watched::Watched;
use pallas_ir::{Finding, Launch};
use pallas_jax::JaxState;
use pallas_profile::{LeftOut, Recorder};
use pallas_python::Limits;
use pallas_python::interp::{Interp, Mode, Outcome};
use pallas_python::raise::Abort;
use pallas_syntax::{FileId, SourceFile};
use pallas_tensor::Array;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// How a run ended, and what was seen on the way.
#[derive(Clone, Debug)]
pub struct Run {
    /// The exit status that `python` would have.
    pub exit: i32,
    /// What `python` would have left on standard error at the end: a traceback, or the message of `sys.exit`.
    pub stderr: String,
    /// Findings about the launches that ran.
    pub findings: Vec<Finding>,
    /// For each finding the parts of the session that it belongs to ([`Console::part`]); none where that is not known.
    pub parts: Vec<Vec<u32>>,
    /// The launches that ran.
    pub launches: Vec<Arc<Launch>>,
    /// What was measured of them, if the console has a clock for it ([`Console::nanoseconds`]).
    pub measured: Vec<(Arc<Launch>, Recorder)>,
    /// What was measured of launches that there was no room for, by place: programs may make others without end.
    pub left_out: Vec<LeftOut>,
    /// The outputs of each run of a launch that has several schedules, if they are kept ([`Schedule::keeps_outputs`]).
    pub outputs: Vec<(Arc<Launch>, Vec<Array>)>,
    /// What became of the launches that were given to an accelerator, in order.
    pub accelerated: Vec<Accelerated>,
    /// Every file that was read, by id.
    pub sources: Vec<Arc<SourceFile>>,
}

/// In which order threads take turns that act on each other: those of GPU kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The seed that turns are drawn with; without, each goes on until it has to wait.
    pub seed: Option<u64>,
    /// Whether engines do what they are told as late as somebody waits for it.
    pub late: bool,
    /// Whether outputs are kept, to be compared with those of another schedule.
    pub keeps_outputs: bool,
}

impl Schedule {
    /// The same, with its outputs kept or not.
    #[must_use]
    pub fn keeping(self, outputs: bool) -> Schedule {
        Schedule { keeps_outputs: outputs, ..self }
    }
}

/// What a run needs.
pub struct RunOptions {
    /// Where files come from.
    pub files: Arc<dyn FileSystem>,
    /// `sys.argv[1:]`
    pub arguments: Vec<String>,
    /// More folders to import from, after the script's own.
    pub import_paths: Vec<String>,
    /// Whose packages can be imported.
    pub environment: Environment,
    /// Turns of threads.
    pub schedule: Schedule,
    /// Whether launches in interpret mode are looked at for what was not proved of them: programs that race, and results that
    /// depend on memory that nobody has written.
    pub strict: bool,
    /// The machine that the program is told it runs on, and that its launches are compiled for where it does not say it. Without, the
    /// program sees what JAX shows on a CPU.
    pub target: Option<TargetDevice>,
    /// Where launches run, if not in interpret mode.
    pub acceleration: Option<Acceleration>,
    /// Input, output, clock, environment.
    pub console: Box<dyn Console>,
    /// Stops it.
    pub cancel: Cancel,
}

/// What becomes of what a program has made, once it has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leavings {
    /// Its memory is given back.
    TakenDown,
    /// It stays where it is.
    Left,
}

impl Run {
    /// Runs a text under a path to its end.
    pub fn new(path: &str, text: &str, options: RunOptions) -> Run {
        Run::whole(path, text, options, Leavings::TakenDown)
    }

    /// The same for a process that ends with it: what the program has made is left as it is, since the system takes it back at
    /// once, while modules and arrays would be taken down one by one.
    pub fn last(path: &str, text: &str, options: RunOptions) -> Run {
        Run::whole(path, text, options, Leavings::Left)
    }

    fn whole(path: &str, text: &str, options: RunOptions, leavings: Leavings) -> Run {
        let source = Arc::new(SourceFile::new(FileId(0), path, text));
        let kept = source.clone();
        let ahead = Ahead::new(source.text.clone());
        let (files, beside) = (options.files.clone(), ahead.clone());
        let evaluate = move || {
            let (run, _) = evaluate(path, source, options, (None, leavings), &ahead);
            ahead.end();
            run
        };
        with_large_stack_beside(evaluate, || beside.read(path, &*files)).unwrap_or_else(|why| Run {
            exit: 2,
            stderr: format!("pallas-tui: {}\n", why.message()),
            findings: Vec::new(),
            parts: Vec::new(),
            launches: Vec::new(),
            measured: Vec::new(),
            left_out: Vec::new(),
            outputs: Vec::new(),
            accelerated: Vec::new(),
            sources: vec![kept],
        })
    }
}

impl Run {
    /// The launches that are shown, each with what was measured of it: those that were traced, as far as they are not left out, then
    /// those that ran as others. Transformations change a launch on its way (a mapped one has one more axis): what ran is shown as it
    /// ran.
    pub fn shown(&self) -> Vec<(Arc<Launch>, Option<Recorder>)> {
        let mut measured: Vec<_> = self.measured.iter().map(Some).collect();
        let mut shown: Vec<(Arc<Launch>, Option<Recorder>)> = Vec::new();
        for launch in &self.launches {
            let same =
                |(timed, _): &(Arc<Launch>, Recorder)| timed.spans.apply == launch.spans.apply && **timed == **launch;
            let found = measured.iter_mut().find(|timed| timed.is_some_and(same)).and_then(Option::take);
            let is_left_out = |place| self.left_out.iter().any(|left| left.apply == place);
            if found.is_some() || !is_left_out(launch.spans.apply) {
                shown.push((launch.clone(), found.map(|(_, recorder)| recorder.clone())));
            }
        }
        let rest = measured.into_iter().flatten();
        shown.extend(rest.map(|(launch, recorder)| (launch.clone(), Some(recorder.clone()))));
        shown
    }

    /// Runs a text until the tiles that are wanted have been seen, and gives those.
    pub fn capture(path: &str, text: &str, options: RunOptions, wanted: Capture) -> Vec<Tiles> {
        let source = Arc::new(SourceFile::new(FileId(0), path, text));
        let wanted = (Some(wanted), Leavings::TakenDown);
        let evaluate = move || evaluate(path, source, options, wanted, &Ahead::default()).1;
        with_large_stack(evaluate).unwrap_or_default()
    }
}

fn evaluate(
    path: &str,
    source: Arc<SourceFile>,
    options: RunOptions,
    (wanted, leavings): (Option<Capture>, Leavings),
    ahead: &Ahead,
) -> (Run, Vec<Tiles>) {
    let capturing = wanted.map(|wanted| Capturing::new(wanted, options.cancel.clone()));
    let console = Rc::new(RefCell::new(options.console));
    let host = Rc::new(RunHost {
        files: options.files,
        paths: import_paths(path, &options.import_paths),
        environment: options.environment,
        arguments: std::iter::once(path.to_string()).chain(options.arguments).collect(),
        console: console.clone(),
        cancel: options.cancel,
        ahead: ahead.clone(),
    });
    let interp = Interp::new(host, Mode::Run, Limits::default());
    pallas_jax::install(&interp);
    let state = interp.extension::<JaxState>();
    if let Some(target) = options.target {
        state.assume_target(target.compiler(), target.tpu());
    }
    let watch = Rc::new(Watch::default());
    state.set_observer(watch.clone());
    let executor = Rc::new(CpuExecutor::new(
        Timings::new(console.clone()),
        Parts::new(console.clone()),
        capturing,
        options.schedule,
        options.acceleration,
        options.strict,
    ));
    state.set_executor(executor.clone());
    let outcome = interp.run_main(&ahead.parse(source), "__main__");
    // What Python says of a missing module does not say where the workbench has looked, and a traceback ends at the launch
    // whose threads wait for each other.
    let told = |code: &&str| crate::findings::IMPORTS.contains(code) || crate::findings::WAITS.contains(code);
    let missing = match &outcome {
        Outcome::Raised(raise) if raise.diagnosis.as_ref().is_some_and(|d| told(&d.code)) => {
            Some(crate::findings::raised(&interp, raise))
        }
        _ => None,
    };
    let (exit, stderr) = match outcome {
        Outcome::Finished => (0, String::new()),
        Outcome::Exit(status, text) => (status, text.unwrap_or_default()),
        Outcome::Raised(raise) => (1, pallas_python::library::uncaught(&interp, &raise)),
        Outcome::Aborted(Abort::Cancelled) => (130, "KeyboardInterrupt\n".to_string()),
        Outcome::Aborted(abort) => {
            let finding = crate::findings::aborted(&abort);
            (1, finding.map(|f| format!("{}\n", f.message)).unwrap_or_default())
        }
    };
    let parts = executor.parts();
    let mut findings: Vec<(Finding, Vec<u32>)> = Vec::new();
    let mut add = |finding: Finding, parts: Vec<u32>| findings.push((finding, parts));
    for finding in watch.findings.take() {
        let parts = parts.of_finding(&finding);
        add(finding, parts);
    }
    let mut watched = watch.launches.take();
    // A launch inside of a jitted function is traced before its scalars are known.
    for (launch, scalars) in executor.fetched() {
        Watched::note_scalars(&mut watched, &launch, scalars);
    }
    for seen in &watched {
        let parts = parts.of_launch(&seen.launch);
        seen.judge().into_iter().for_each(|finding| add(finding, parts.clone()));
    }
    let launches = watched.into_iter().map(|watched| watched.launch).collect();
    let judged = findings.len();
    for shown in executor.undefined() {
        if !findings[..judged].iter().any(|(finding, _)| shown.is_said_by(finding)) {
            let parts = parts.of_finding(&shown.finding);
            findings.push((shown.finding, parts));
        }
    }
    for finding in executor.findings() {
        let parts = parts.of_finding(&finding);
        findings.push((finding, parts));
    }
    findings.extend(missing.map(|finding| (finding, Vec::new())));
    findings.sort_by_key(|(f, _)| (f.severity, f.span.file, f.span.start, f.code));
    findings.dedup_by(|(a, more), (b, parts)| {
        let same = a.code == b.code && a.span == b.span;
        if same {
            parts.append(more);
            parts.sort_unstable();
            parts.dedup();
        }
        same
    });
    let (findings, parts) = findings.into_iter().unzip();
    let (measured, left_out) = executor.measured();
    let tiles = executor.tiles();
    let outputs = executor.outputs();
    let accelerated = executor.accelerated();
    let sources = interp.sources();
    if leavings == Leavings::Left {
        console.borrow_mut().flush();
        std::mem::forget(interp);
    }
    (Run { exit, stderr, findings, parts, launches, measured, left_out, outputs, accelerated, sources }, tiles)
}
