//! Programs with numpy and with subscripts of JAX arrays: each file of `numpy_cases` runs and must print what real numpy
//! and JAX printed (`.stdout`, recorded by tests/goldens/numpy_cases.py). `CASE=name` runs one of them.

use pallas_python::host::Host;
use pallas_python::interp::Limits;
use pallas_python::interp::Outcome;
use pallas_python::{Interp, Mode};
use pallas_syntax::{FileId, SourceFile};
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

/// Runs a program on a thread with the stack that the evaluator asks for.
fn run(name: String, text: String, mode: Mode) -> String {
    let body = move || {
        let host = Rc::new(Recorder::default());
        let limits = Limits { fuel: (mode == Mode::Analysis).then_some(10_000_000), ..Limits::default() };
        let interp = Interp::new(host.clone(), mode, limits);
        pallas_jax::install(&interp);
        let module = pallas_syntax::parse(Arc::new(SourceFile::new(FileId(1), name.as_str(), text.as_str())));
        let ending = match interp.run_main(&module, "__main__") {
            Outcome::Finished => String::new(),
            Outcome::Exit(code, _) => format!("<exit {code}>"),
            Outcome::Raised(raise) => format!("<raised {}>", interp.exception_line(&raise.exception)),
            Outcome::Aborted(abort) => format!("<aborted {abort:?}>"),
        };
        let printed = host.printed.borrow().clone();
        printed + &ending
    };
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(body).expect("threads can be started");
    thread.join().unwrap_or_else(|_| "<panicked>".to_string())
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numpy_cases");
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

fn name_and_text(case: &Path) -> (String, String) {
    let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (name, fs::read_to_string(case).expect("cases are UTF-8"))
}

#[test]
fn programs_print_what_numpy_and_jax_print() {
    let mut failures = Vec::new();
    for case in cases() {
        let (name, text) = name_and_text(&case);
        let expected = fs::read_to_string(case.with_extension("stdout")).expect("every case has a recording");
        let found = run(name.clone(), text, Mode::Run);
        let (mut wanted, mut given) = (expected.lines(), found.lines());
        let mut wrong = 0;
        loop {
            match (wanted.next(), given.next()) {
                (None, None) => break,
                (wanted, given) if wanted == given => {}
                (wanted, given) => {
                    wrong += 1;
                    if wrong <= 5 {
                        failures.push(format!("{name}:\n  recorded: {wanted:?}\n  here:     {given:?}"));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn analysis_of_the_programs_ends_quietly() {
    for case in cases() {
        let (name, text) = name_and_text(&case);
        let found = run(name.clone(), text, Mode::Analysis);
        assert!(!found.ends_with("<panicked>") && !found.contains("<aborted"), "{name}: {found}");
    }
}
