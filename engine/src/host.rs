//! What evaluated programs may reach: in analysis only source files, in a run the console that the caller provides.

use crate::ahead::Ahead;
use crate::environment::Environment;
use crate::files::FileSystem;
use crate::parsed::ParsedFiles;
use pallas_python::host::Host;
use pallas_syntax::SourceFile;
use pallas_syntax::ast::Module;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells an analysis or a run to stop. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Asks to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The console, clock and environment of a run.
pub trait Console: Send {
    /// Standard output.
    fn write_stdout(&mut self, text: &str);
    /// Standard error.
    fn write_stderr(&mut self, text: &str);
    /// Brings what was written to where it goes.
    fn flush(&mut self) {}
    /// One line of standard input without its newline; `None` at the end.
    fn read_line(&mut self) -> Option<String>;
    /// An environment variable.
    fn environment(&self, name: &str) -> Option<String>;
    /// Seconds of a clock that does not go back.
    fn seconds(&self) -> f64;
    /// Nanoseconds of a clock that the stages of launches are timed with; `None` leaves them untimed, at no cost.
    fn nanoseconds(&self) -> Option<u64> {
        None
    }
    /// The number of the part of a session that runs, where findings are to be told apart by it: a test of several.
    fn part(&self) -> Option<u32> {
        None
    }
    /// So many programs of a launch of a kernel have run, of so many. Told after every program of launches that are timed.
    fn progress(&mut self, kernel: &str, done: usize, programs: usize) {
        let _ = (kernel, done, programs);
    }
}

/// What one program may reach while it is analysed: source files, nothing else.
#[derive(Clone)]
pub(crate) struct Reach {
    pub(crate) files: Arc<dyn FileSystem>,
    pub(crate) paths: Vec<String>,
    pub(crate) environment: Environment,
    pub(crate) parsed: ParsedFiles,
    pub(crate) arguments: Vec<String>,
    pub(crate) cancel: Cancel,
}

/// The host of an analysis. Printed text is dropped. An interpreter may be made before it is known which program it is for;
/// until then there is nothing to be reached.
#[derive(Default)]
pub(crate) struct AnalysisHost {
    reach: RefCell<Option<Reach>>,
    /// Trees of what is imported before there is a program.
    ahead: ParsedFiles,
}

impl AnalysisHost {
    /// One for another interpreter, to be made before its program is known; trees of modules are shared.
    pub(crate) fn again(&self) -> AnalysisHost {
        AnalysisHost { reach: RefCell::default(), ahead: self.ahead.clone() }
    }

    /// From here on, a program is analysed that may reach this.
    pub(crate) fn serve(&self, reach: Reach) {
        *self.reach.borrow_mut() = Some(reach);
    }

    fn ask<T: Default>(&self, question: impl FnOnce(&Reach) -> T) -> T {
        self.reach.borrow().as_ref().map(question).unwrap_or_default()
    }
}

impl Host for AnalysisHost {
    fn write_stdout(&self, _text: &str) {}

    fn write_stderr(&self, _text: &str) {}

    fn read_line(&self) -> Option<String> {
        None
    }

    fn read_source(&self, path: &str) -> Result<Option<String>, String> {
        let files = self.ask(|reach| Some(reach.files.clone()));
        files.map_or(Ok(None), |files| files.read(path).map(|text| text.map(|t| t.to_string())))
    }

    fn import_paths(&self) -> Vec<String> {
        self.ask(|reach| reach.paths.clone())
    }

    fn list_folder(&self, path: &str) -> Option<Vec<String>> {
        self.ask(|reach| reach.files.list(path))
    }

    fn package_paths(&self) -> Vec<String> {
        self.ask(|reach| reach.environment.paths.clone())
    }

    fn import_help(&self) -> Option<String> {
        self.ask(|reach| Some(reach.environment.help()))
    }

    fn parse(&self, source: Arc<SourceFile>) -> Arc<Module> {
        let parsed = self.ask(|reach| Some(reach.parsed.clone()));
        parsed.as_ref().unwrap_or(&self.ahead).parse(source)
    }

    fn arguments(&self) -> Vec<String> {
        self.ask(|reach| reach.arguments.clone())
    }

    fn environment(&self, _name: &str) -> Option<String> {
        None
    }

    fn seconds(&self) -> f64 {
        0.0
    }

    fn cancelled(&self) -> bool {
        self.ask(|reach| reach.cancel.is_cancelled())
    }
}

/// The host of a run.
pub(crate) struct RunHost {
    pub(crate) files: Arc<dyn FileSystem>,
    pub(crate) paths: Vec<String>,
    pub(crate) environment: Environment,
    pub(crate) arguments: Vec<String>,
    pub(crate) console: Rc<RefCell<Box<dyn Console>>>,
    pub(crate) cancel: Cancel,
    pub(crate) ahead: Ahead,
}

impl Host for RunHost {
    fn write_stdout(&self, text: &str) {
        self.console.borrow_mut().write_stdout(text);
    }

    fn write_stderr(&self, text: &str) {
        self.console.borrow_mut().write_stderr(text);
    }

    fn read_line(&self) -> Option<String> {
        self.console.borrow_mut().read_line()
    }

    fn read_source(&self, path: &str) -> Result<Option<String>, String> {
        self.files.read(path).map(|text| text.map(|t| t.to_string()))
    }

    fn import_paths(&self) -> Vec<String> {
        self.paths.clone()
    }

    fn list_folder(&self, path: &str) -> Option<Vec<String>> {
        self.files.list(path)
    }

    fn package_paths(&self) -> Vec<String> {
        self.environment.paths.clone()
    }

    fn import_help(&self) -> Option<String> {
        Some(self.environment.help())
    }

    fn parse(&self, source: Arc<SourceFile>) -> Arc<Module> {
        self.ahead.parse(source)
    }

    fn arguments(&self) -> Vec<String> {
        self.arguments.clone()
    }

    fn environment(&self, name: &str) -> Option<String> {
        self.console.borrow().environment(name)
    }

    fn seconds(&self) -> f64 {
        self.console.borrow().seconds()
    }

    fn cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}
