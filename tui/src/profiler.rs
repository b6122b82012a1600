//! One file, run or only analysed, to a profile report: what `profile` and `watch --headless` have in common.

use crate::args::{Backend, DeviceArg};
use crate::device::Wish;
use crate::progress::Teller;
use crate::{device, environment, sources};
use pallas_engine::pipeline::{MACHINES, Machine, Machines};
use pallas_engine::report::Report;
use pallas_engine::{
    Analysis, AnalysisOptions, Cancel, Console, Disk, Profile, Run, RunOptions, Schedule, Settings, SourceFile,
    path_text,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// What is to be profiled, and how.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// The file.
    pub(crate) file: PathBuf,
    /// `sys.argv[1:]`
    pub(crate) arguments: Vec<String>,
    /// The Python whose packages are imported.
    pub(crate) python: Option<PathBuf>,
    /// What launches are modelled on.
    pub(crate) machines: Machines,
    /// Whether launches are timed.
    pub(crate) timing: bool,
    /// Whether it is run, or only analysed.
    pub(crate) runs: bool,
    /// Where its kernels run.
    pub(crate) on: DeviceArg,
    /// By which way they become machine code there.
    pub(crate) backend: Backend,
}

/// What came of it.
pub(crate) struct Profiled {
    /// The report.
    pub(crate) report: Report,
    /// What Python would have left on standard error.
    pub(crate) stderr: String,
    /// Every file that was read.
    pub(crate) sources: Vec<Arc<SourceFile>>,
}

impl Task {
    /// The file that is meant: a folder is run by its `__main__.py`, as Python does.
    pub(crate) fn resolve(file: &Path) -> PathBuf {
        let main = file.join("__main__.py");
        if main.is_file() { main } else { file.to_path_buf() }
    }

    /// Does it. Once `cancel` is set it ends with what there is. What the program prints, and how far it is, goes to the
    /// teller.
    ///
    /// # Errors
    /// A message: the file cannot be read, or `--python` names no environment.
    pub(crate) fn profile(&self, teller: &Teller, cancel: &Cancel) -> Result<Profiled, String> {
        let environment = environment::find(self.python.as_deref(), &self.file)?;
        let text = sources::read(&self.file)?;
        let path = path_text(&self.file);
        let mut profiled = if self.runs {
            let wish = Wish { timed: self.timing, backend: self.backend, ..Wish::plain(self.on) };
            let told = teller.clone();
            let progress = Box::new(move |what: &str, done, all| told.tell(what, done, all));
            let options = RunOptions {
                files: Arc::new(Disk),
                arguments: self.arguments.clone(),
                import_paths: environment::python_path(),
                environment,
                schedule: Schedule::default(),
                strict: false,
                target: None,
                acceleration: device::acceleration(wish, self.python.as_deref(), &self.file, Some(progress))?,
                console: Box::new(Told { teller: teller.clone(), timing: self.timing, start: Instant::now() }),
                cancel: cancel.clone(),
            };
            let run = Run::new(&path, &text, options);
            let report = Profile::of_run(&run, &path, &self.arguments, &self.machines);
            let stderr = device::words(&run).0 + &run.stderr;
            Profiled { report, stderr, sources: run.sources }
        } else {
            let mut options = AnalysisOptions::new(Arc::new(Disk));
            options.arguments.clone_from(&self.arguments);
            options.import_paths = environment::python_path();
            options.environment = environment;
            options.cancel = cancel.clone();
            let analysis = Analysis::new(&path, &text, &options);
            let report = Profile::of_analysis(&analysis, &self.arguments, &self.machines);
            Profiled { report, stderr: String::new(), sources: analysis.sources }
        };
        profiled.report.program.cancelled = cancel.is_cancelled();
        Ok(profiled)
    }
}

/// What `--machine` names; `cpu` is this one, `auto` what the settings beside a file say, else for each launch one that its
/// kernel is for.
pub(crate) fn machines(name: &str, file: &Path) -> Result<Machines, String> {
    if name.eq_ignore_ascii_case("auto") {
        let settings = Settings::find(&Disk, &path_text(file));
        let target = settings.and_then(|found| found.settings.target);
        let machine = target.and_then(|target| Machine::find(target.machine()));
        return Ok(machine.map_or(Machines::Fitting, Machines::named));
    }
    if name.eq_ignore_ascii_case("cpu") {
        let measured = crate::calibrate::this_cpu();
        return measured.as_ref().map(Machines::named).ok_or_else(|| "this CPU cannot be measured".to_string());
    }
    Machine::find(name).map(Machines::named).ok_or_else(|| {
        let known: Vec<&str> = MACHINES.iter().map(|machine| &*machine.key).collect();
        format!("no machine is called `{name}`; there are: {}, cpu, auto", known.join(", "))
    })
}

/// The console of a program whose own output must not stand in the way: it goes to standard error, around the bar.
struct Told {
    teller: Teller,
    timing: bool,
    start: Instant,
}

/// Programs between two words to the teller: the clock of a program costs as much as a word.
const EVERY: usize = 16;

impl Console for Told {
    fn write_stdout(&mut self, text: &str) {
        self.teller.print(text);
    }

    fn write_stderr(&mut self, text: &str) {
        self.teller.print(text);
    }

    fn read_line(&mut self) -> Option<String> {
        crate::console::read_line()
    }

    fn environment(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn seconds(&self) -> f64 {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0.0, |now| now.as_secs_f64())
    }

    fn nanoseconds(&self) -> Option<u64> {
        self.timing.then(|| u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    fn progress(&mut self, kernel: &str, done: usize, programs: usize) {
        if done == 1 || done == programs || done.is_multiple_of(EVERY) {
            self.teller.tell(kernel, done, programs);
        }
    }
}
