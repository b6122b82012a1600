//! Runs the programs of a folder through the interpreter with the native modules, and compares with recordings.

use pallas_python::Limits;
use pallas_python::host::Host;
use pallas_python::interp::{Observer, Outcome};
use pallas_python::{Interp, Mode, Stop, Value};
use pallas_syntax::{FileId, SourceFile, Span};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Keeps what is printed.
#[derive(Default)]
struct Recorder {
    printed: RefCell<String>,
}

impl Host for Recorder {
    fn write_stdout(&self, text: &str) {
        self.printed.borrow_mut().push_str(text);
    }

    fn write_stderr(&self, _text: &str) {}

    fn read_line(&self) -> Option<String> {
        None
    }

    fn read_source(&self, _path: &str) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn import_paths(&self) -> Vec<String> {
        Vec::new()
    }

    fn arguments(&self) -> Vec<String> {
        Vec::new()
    }

    fn environment(&self, _name: &str) -> Option<String> {
        None
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}

/// Exceptions that ended a top-level statement in analysis.
#[derive(Default)]
struct Raised(RefCell<Vec<String>>);

impl Observer for Raised {
    fn expression(&self, _span: Span, _value: &Value, _interp: &Interp) {}

    fn raised(&self, stop: &Stop, interp: &Interp) {
        self.0.borrow_mut().push(match stop {
            Stop::Raise(raise) => interp.exception_line(&raise.exception),
            Stop::Abort(abort) => format!("{abort:?}"),
        });
    }
}

/// What a program left.
pub(crate) struct Ended {
    /// What it printed, and how it ended if not normally.
    pub(crate) printed: String,
    /// In analysis, the exceptions of its top-level statements.
    pub(crate) raised: Vec<String>,
}

/// Runs a program on a thread with the stack that the evaluator asks for.
pub(crate) fn run(name: String, text: String, mode: Mode) -> Ended {
    let body = move || {
        let host = Rc::new(Recorder::default());
        let limits = Limits { fuel: (mode == Mode::Analysis).then_some(10_000_000), ..Limits::default() };
        let interp = Interp::new(host.clone(), mode, limits);
        pallas_jax::install(&interp);
        let raised = Rc::new(Raised::default());
        interp.set_observer(raised.clone());
        let module = pallas_syntax::parse(Arc::new(SourceFile::new(FileId(1), name.as_str(), text.as_str())));
        let ending = match interp.run_main(&module, "__main__") {
            Outcome::Finished => String::new(),
            Outcome::Exit(code, _) => format!("<exit {code}>"),
            Outcome::Raised(raise) => format!("<raised {}>", interp.exception_line(&raise.exception)),
            Outcome::Aborted(abort) => format!("<aborted {abort:?}>"),
        };
        let printed = host.printed.borrow().clone();
        Ended { printed: printed + &ending, raised: raised.0.take() }
    };
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(body).expect("threads can be started");
    thread.join().unwrap_or_else(|_| Ended { printed: "<panicked>".to_string(), raised: Vec::new() })
}

/// The programs of a folder beside the tests. `CASE=name` picks one.
pub(crate) fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let only = std::env::var("CASE").ok();
    let mut cases: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of the cases is part of the repository")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .filter(|path| only.as_ref().is_none_or(|only| path.file_stem().is_some_and(|stem| stem == only.as_str())))
        .collect();
    cases.sort();
    cases
}

/// A program's file name and text.
pub(crate) fn name_and_text(case: &Path) -> (String, String) {
    let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (name, fs::read_to_string(case).expect("cases are UTF-8"))
}

/// The first lines in which a text differs from a recording; empty if it does not.
pub(crate) fn differences(name: &str, recorded: &str, found: &str) -> Vec<String> {
    let (mut wanted, mut given) = (recorded.lines(), found.lines());
    let mut differences = Vec::new();
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return differences,
            (wanted, given) if wanted == given => {}
            (wanted, given) => {
                if differences.len() < 5 {
                    differences.push(format!("{name}:\n  recorded: {wanted:?}\n  here:     {given:?}"));
                }
            }
        }
    }
}
