//! Runs text through the interpreter, on a thread with the stack that it asks for.

pub(crate) mod host;

use host::{TestHost, quiet_host};
use pallas_python::host::Host;
use pallas_python::raise::Abort;
use pallas_python::{Interp, Limits, Mode, Observer, Outcome, Stop, Value};
use pallas_syntax::{FileId, SourceFile, Span};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;

/// How a run ended.
#[derive(Clone, Debug)]
#[expect(dead_code, reason = "shown by Debug")]
pub(crate) enum Ended {
    Finished,
    Exit(i32),
    /// With the rendered traceback.
    Raised(String),
    Aborted(String),
    Panicked(String),
}

/// What a run left.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) ended: Ended,
}

/// Notes what ended statements, on standard error.
struct Notes(Rc<TestHost>);

impl Observer for Notes {
    fn expression(&self, _span: Span, _value: &Value, _interp: &Interp) {}

    fn raised(&self, stop: &Stop, interp: &Interp) {
        let line = match stop {
            Stop::Raise(raise) => interp.exception_line(&raise.exception),
            Stop::Abort(Abort::Fuel { .. }) => "out of fuel".to_owned(),
            Stop::Abort(Abort::Memory { .. }) => "out of memory".to_owned(),
            Stop::Abort(Abort::Cancelled) => "cancelled".to_owned(),
        };
        self.0.write_stderr(&format!("{line}\n"));
    }
}

/// Runs a program as `python` would.
pub(crate) fn run(path: &str, text: &str) -> Finished {
    on_large_stack(path, text, Mode::Run, Limits::default())
}

/// Analyses a program within this many steps. What the observer heard of exceptions and aborts is its `stderr`.
pub(crate) fn analyse(path: &str, text: &str, fuel: u64) -> Finished {
    let limits = Limits { recursion: 200, fuel: Some(fuel), bytes: Some(1 << 24) };
    on_large_stack(path, text, Mode::Analysis, limits)
}

fn on_large_stack(path: &str, text: &str, mode: Mode, limits: Limits) -> Finished {
    let (path, text) = (path.to_owned(), text.to_owned());
    let thread = std::thread::Builder::new()
        .stack_size(1 << 30)
        .spawn(move || std::panic::catch_unwind(AssertUnwindSafe(|| execute(&path, &text, mode, limits))));
    let result = thread.expect("a thread can be made").join().expect("panics are caught inside");
    result.unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_default();
        Finished { stdout: String::new(), stderr: String::new(), ended: Ended::Panicked(message) }
    })
}

fn execute(path: &str, text: &str, mode: Mode, limits: Limits) -> Finished {
    let host = quiet_host();
    let interp = Interp::new(host.clone(), mode, limits);
    if mode == Mode::Analysis {
        interp.set_observer(Rc::new(Notes(host.clone())));
    }
    let source = Arc::new(SourceFile::new(FileId(0), path, text));
    let tree = pallas_syntax::parse(source);
    let ended = match interp.run_main(&tree, "__main__") {
        Outcome::Finished => Ended::Finished,
        Outcome::Exit(code, message) => {
            if let Some(message) = message {
                host.write_stderr(&format!("{message}\n"));
            }
            Ended::Exit(code)
        }
        Outcome::Raised(raise) => Ended::Raised(pallas_python::traceback::render(&interp, &raise)),
        Outcome::Aborted(abort) => Ended::Aborted(format!("{abort:?}")),
    };
    drop(interp);
    Finished { stdout: host.stdout(), stderr: host.stderr.borrow().clone(), ended }
}
