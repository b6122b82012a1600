//! `pallas-tui test`: as `pytest` with JAX. Tests are found, run and reported by the module `pytest` that comes with the evaluator;
//! findings about the kernels that they launch go to standard error.

use crate::args::{OutputFormat, TestArgs};
use crate::console::ProcessConsole;
use crate::exit::Exit;
use crate::render::{self, Batch};
use crate::{environment, output, sources};
use pallas_engine::{Cancel, Disk, Run, RunOptions, Schedule, Severity, path_text};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What stands for a program: it has no file, and is where `python -m pytest` would begin.
const PROGRAM: &str = "import pytest, sys\nraise SystemExit(pytest.main(sys.argv[1:]))\n";

pub(super) fn test(args: TestArgs, python: Option<&Path>, color: bool) -> Exit {
    let program = Path::new("pytest");
    let environment = match environment::find(python, program) {
        Ok(environment) => environment,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let arguments = match arguments(&args) {
        Ok(arguments) => arguments,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let options = RunOptions {
        files: Arc::new(Disk),
        arguments,
        import_paths: environment::python_path(),
        environment,
        schedule: Schedule::default(),
        strict: args.strict,
        target: args.target,
        acceleration: None,
        console: Box::new(ProcessConsole::new()),
        cancel: Cancel::new(),
    };
    let run = Run::new(&path_text(program), PROGRAM, options);
    let mut findings = run.findings;
    findings.retain(|f| f.severity <= Severity::Warning);
    let serious = findings.iter().any(|finding| finding.severity == Severity::Error);
    if !args.quiet && !findings.is_empty() {
        let batch = Batch { findings, sources: run.sources };
        output::stderr(&render::render(&[batch], OutputFormat::Full, color));
    }
    output::stderr(&run.stderr);
    match run.exit {
        0 if serious => Exit::Findings,
        exit => Exit::Program(exit),
    }
}

/// The arguments of `pytest.main`, with the files of tests in the place of folders: evaluated code cannot look into those.
fn arguments(args: &TestArgs) -> Result<Vec<String>, String> {
    let mut given = Vec::new();
    let flags = [
        (args.exitfirst, "-x"),
        (args.verbose, "-v"),
        (args.no_capture, "-s"),
        (args.no_traceback, "--tb=no"),
        (args.collect_only, "--collect-only"),
    ];
    given.extend(flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_string()));
    for (option, value) in [("-k", &args.keyword), ("-m", &args.mark)] {
        if let Some(value) = value {
            given.extend([option.to_string(), value.clone()]);
        }
    }
    given.extend(args.maxfail.map(|count| format!("--maxfail={count}")));
    for path in &args.paths {
        match Path::new(path) {
            folder if folder.is_dir() => given.extend(files(folder)?),
            _ => given.push(path.clone()),
        }
    }
    if args.paths.is_empty() {
        given.extend(files(Path::new("."))?);
    }
    Ok(given)
}

fn files(folder: &Path) -> Result<Vec<String>, String> {
    let is_test = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        name.starts_with("test_") || name.ends_with("_test")
    };
    let found: Vec<PathBuf> = sources::python_files(&[folder.to_path_buf()])?.into_iter().filter(is_test).collect();
    if found.is_empty() {
        return Err(format!("{}: no tests in this folder: files called test_*.py or *_test.py", folder.display()));
    }
    Ok(found.iter().map(|path| path_text(path.strip_prefix(".").unwrap_or(path))).collect())
}
