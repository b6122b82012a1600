//! One variant of a file, run and timed: the launches of it that count, what it printed, or why it is no choice.

use crate::args::{Backend, Device, DeviceArg};
use crate::console::Behind;
use crate::device::{self, Wish};
use crate::environment;
use pallas_engine::accelerator::End;
use pallas_engine::pipeline::Machines;
use pallas_engine::report::LaunchReport;
use pallas_engine::simt::Tuning;
use pallas_engine::{
    Cancel, Disk, Environment, Profile, Run, RunOptions, Schedule, Severity, SourceFile, path_text, syntax,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Measures variants of one file.
pub(crate) struct Tuner {
    file: PathBuf,
    function: Option<String>,
    on: DeviceArg,
    python: Option<PathBuf>,
    environment: Environment,
    arguments: Vec<String>,
    /// How often a variant is run where a run measures each launch once.
    rounds: usize,
}

/// What a point tells the device, and not the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// Warps and stages.
    pub(crate) tuning: Tuning,
    /// The way to machine code.
    pub(crate) backend: Backend,
}

/// A variant.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// Names with their values; none: the file as it is.
    pub(crate) values: Vec<(String, String)>,
    /// What came of it.
    pub(crate) outcome: Outcome,
    /// What it printed, if it ran to its end.
    pub(crate) printed: Option<String>,
}

/// What came of a variant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Nanoseconds of its launches, the shortest of all rounds first.
    Took(Vec<f64>),
    /// Why it is no choice.
    Failed(String),
}

impl Point {
    /// Its time, if it has one.
    pub(crate) fn time(&self) -> Option<f64> {
        match &self.outcome {
            Outcome::Took(times) => times.first().copied(),
            Outcome::Failed(_) => None,
        }
    }
}

impl Tuner {
    /// Of a file, or of the launches that a function of it makes.
    ///
    /// # Errors
    /// There is no such device, or `--python` names no environment.
    pub(crate) fn new(
        file: PathBuf,
        function: Option<String>,
        on: DeviceArg,
        python: Option<&Path>,
        arguments: &[String],
        rounds: usize,
    ) -> Result<Tuner, String> {
        let environment = environment::find(python, &file)?;
        let found = device::acceleration(Wish::plain(on), python, &file, None)?;
        // What is wished for only if it is there is not what measures where it is not.
        let on = if on.device == Device::Auto && found.is_none() { DeviceArg::INTERPRET } else { on };
        let (python, arguments) = (python.map(Path::to_path_buf), arguments.to_vec());
        Ok(Tuner { file, function, on, python, environment, arguments, rounds: rounds.max(1) })
    }

    /// What measures.
    pub(crate) fn device(&self) -> &'static str {
        match self.on.device {
            Device::Interpret => "interpret mode on the CPU",
            Device::Simulator => "the simulator",
            Device::Cuda | Device::Auto => "the first CUDA device",
        }
    }

    /// Runs a variant. `expected` is what it should print; nothing comes of one that is cancelled.
    pub(crate) fn measure(
        &self,
        values: Vec<(String, String)>,
        text: &str,
        told: Told,
        expected: Option<&str>,
        cancel: &Cancel,
    ) -> Option<Point> {
        // A device is measured many times in one run, and the simulator has the same time always.
        let rounds = if self.on.device == Device::Interpret { self.rounds } else { 1 };
        let mut times = Vec::new();
        let mut printed = None;
        for _ in 0..rounds {
            let (outcome, said) = self.once(text, told, cancel);
            if cancel.is_cancelled() {
                return None;
            }
            printed = said;
            match outcome {
                Ok(time) => times.push(time),
                Err(why) => return Some(Point { values, outcome: Outcome::Failed(why), printed }),
            }
        }
        if expected.is_some_and(|expected| printed.as_deref() != Some(expected)) {
            let why = "prints something else than the file as it is".to_string();
            return Some(Point { values, outcome: Outcome::Failed(why), printed });
        }
        times.sort_by(f64::total_cmp);
        Some(Point { values, outcome: Outcome::Took(times), printed })
    }

    /// One run: the nanoseconds of the launches that count, or why there are none; what was printed, if it ended well.
    fn once(&self, text: &str, told: Told, cancel: &Cancel) -> (Result<f64, String>, Option<String>) {
        let Told { tuning, backend } = told;
        let wish = Wish { tuning, backend, ..Wish::plain(self.on) };
        let acceleration = match device::acceleration(wish, self.python.as_deref(), &self.file, None) {
            Ok(acceleration) => acceleration,
            Err(why) => return (Err(why), None),
        };
        let printed = Arc::new(Mutex::new(String::new()));
        let options = RunOptions {
            files: Arc::new(Disk),
            arguments: self.arguments.clone(),
            import_paths: environment::python_path(),
            environment: self.environment.clone(),
            schedule: Schedule::default(),
            strict: false,
            target: None,
            acceleration,
            console: Box::new(Behind::new(printed.clone(), |_, _, _| {})),
            cancel: cancel.clone(),
        };
        let path = path_text(&self.file);
        let run = Run::new(&path, text, options);
        if run.exit != 0 {
            let last = run.stderr.trim_end().lines().last().unwrap_or("it fails").to_string();
            return (Err(last), None);
        }
        let said = Some(printed.lock().unwrap_or_else(PoisonError::into_inner).clone());
        if let Some(finding) = run.findings.iter().find(|finding| finding.severity == Severity::Error) {
            return (Err(format!("{}: {}", finding.code, finding.message)), said);
        }
        let fell = run.accelerated.iter().find_map(|accelerated| match &accelerated.end {
            End::FellBack(why) => Some(format!("runs in interpret mode: {}", why.message)),
            End::Ran { .. } => None,
        });
        if let Some(why) = fell {
            return (Err(why), said);
        }
        let report = Profile::of_run(&run, &path, &self.arguments, &Machines::Fitting);
        let lines = self.function.as_deref().map(|function| lines(text, function));
        let counts = |launch: &&LaunchReport| match (&lines, launch.call) {
            (None, _) => true,
            (Some(lines), Some(place)) => lines.iter().any(|lines| lines.contains(&(place.line as usize))),
            (Some(_), None) => false,
        };
        let measured = report.launches.iter().filter(counts).filter_map(|launch| launch.measured.as_ref());
        // A device tells of one run of a launch, interpret mode of all of them together.
        let times: Vec<f64> = measured
            .map(|measured| {
                measured.time * if measured.on_device.is_some() { measured.runs.max(1) as f64 } else { 1.0 }
            })
            .collect();
        if times.is_empty() {
            let inside = self.function.as_ref().map_or(String::new(), |function| format!(" by `{function}`"));
            return (Err(format!("no kernel is launched{inside}")), said);
        }
        (Ok(times.iter().sum()), said)
    }
}

/// The lines of functions of this name.
fn lines(text: &str, function: &str) -> Vec<std::ops::RangeInclusive<usize>> {
    let source = Arc::new(SourceFile::new(syntax::FileId(0), "", text));
    let module = syntax::parse(source.clone());
    let mut found = Vec::new();
    collect(&module.body, function, &mut |span| {
        let line = |at: u32| source.line_column(at).line as usize;
        found.push(line(span.start)..=line(span.end));
    });
    found
}

fn collect(body: &[syntax::ast::Stmt], name: &str, take: &mut dyn FnMut(pallas_engine::Span)) {
    use syntax::ast::StmtKind;
    for statement in body {
        match &statement.kind {
            StmtKind::FunctionDef(function) => {
                if *function.name == *name {
                    take(function.span);
                }
                collect(&function.body, name, take);
            }
            StmtKind::ClassDef(class) => collect(&class.body, name, take),
            _ => syntax::visit::blocks(statement, &mut |block| collect(block, name, take)),
        }
    }
}
