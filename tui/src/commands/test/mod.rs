//! `pallas-tui test`: as `pytest` with JAX. Tests are found, run and reported by the module `pytest` that comes with the evaluator;
//! here is what that cannot do: folders and settings are read, the tests that failed last are kept, what happens is told to programs.
//! Findings about the kernels that tests launch go to standard error.

mod events;
mod last_failed;
mod settings;

use crate::args::{OutputFormat, TestArgs, TestFormat};
use crate::console::ProcessConsole;
use crate::exit::Exit;
use crate::render::{self, Batch};
use crate::watch::{FileWatcher, Notice};
use crate::{environment, output, sources};
use events::{Listener, TestConsole};
use pallas_engine::{Cancel, Disk, Environment, Run, RunOptions, Schedule, Severity, SourceFile, path_text};
use settings::Settings;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

/// What stands for a program: it has no file, and is where `python -m pytest` would begin.
const PROGRAM: &str = "import pytest, sys\nraise SystemExit(pytest.main(sys.argv[1:]))\n";

pub(super) fn test(args: TestArgs, python: Option<&Path>, color: bool) -> Exit {
    let prepared = environment::find(python, Path::new("pytest")).and_then(|environment| {
        let settings = Settings::find(&start(&args.paths))?;
        Ok((environment, settings))
    });
    let (environment, settings) = match prepared {
        Ok(prepared) => prepared,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    for problem in settings.problems() {
        output::error(&problem);
    }
    let session = Session { args, settings, environment, color };
    if session.args.watch { session.watch() } else { session.once(&Cancel::new()).0 }
}

/// Where settings are looked for from: what is named first.
fn start(paths: &[String]) -> PathBuf {
    let named = paths.first().map(|path| PathBuf::from(path.split("::").next().unwrap_or_default()));
    let folder = match named {
        Some(folder) if folder.is_dir() => folder,
        Some(file) => file.parent().map(Path::to_path_buf).unwrap_or_default(),
        None => PathBuf::new(),
    };
    std::path::absolute(if folder.as_os_str().is_empty() { Path::new(".") } else { &folder }).unwrap_or(folder)
}

struct Session {
    args: TestArgs,
    settings: Settings,
    environment: Environment,
    color: bool,
}

impl Session {
    /// Runs the tests once. How it ended, and every file that was read.
    fn once(&self, cancel: &Cancel) -> (Exit, Vec<Arc<SourceFile>>) {
        let arguments = match self.arguments() {
            Ok(arguments) => arguments,
            Err(message) => {
                output::error(&message);
                return (Exit::Usage, Vec::new());
            }
        };
        let args = &self.args;
        let listener = Arc::new(Mutex::new(Listener::new(args.output_format == TestFormat::Json)));
        let options = RunOptions {
            files: Arc::new(Disk),
            arguments,
            import_paths: self.settings.import_paths().into_iter().chain(environment::python_path()).collect(),
            environment: self.environment.clone(),
            schedule: Schedule::default(),
            strict: args.strict,
            target: args.target,
            acceleration: None,
            console: Box::new(TestConsole::new(ProcessConsole::new(cancel.clone()), listener.clone())),
            cancel: cancel.clone(),
        };
        let run = Run::new("pytest", PROGRAM, options);
        let told = run.findings.into_iter().zip(run.parts).filter(|(finding, _)| finding.severity <= Severity::Warning);
        let (findings, parts): (Vec<_>, Vec<_>) = told.unzip();
        let serious = findings.iter().any(|finding| finding.severity == Severity::Error);
        let exit = match run.exit {
            0 if serious => Exit::Findings,
            exit => Exit::Program(exit),
        };
        let batch = Batch { findings, sources: run.sources };
        // The console is gone with the run, and with it the only other holder.
        let mut listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
        if cancel.is_cancelled() {
            // The run that takes its place says what there is to say.
            return (exit, batch.sources);
        }
        // What is found in a test fails it.
        let mut summary = String::new();
        for (finding, parts) in batch.findings.iter().zip(&parts) {
            let tests: Vec<String> = listener.tests(parts).into_iter().map(str::to_string).collect();
            for test in tests.iter().filter(|_| finding.severity == Severity::Error) {
                summary.push_str(&format!("FOUND {test} - {}: {}\n", finding.code, finding.message));
                listener.failed.insert(test.clone());
            }
        }
        if listener.is_json {
            listener.end(exit, &run.stderr, &batch, &parts);
        } else {
            if !args.quiet && !batch.findings.is_empty() {
                output::stderr(&render::render(std::slice::from_ref(&batch), OutputFormat::Full, self.color));
                output::stderr(&summary);
            }
            output::stderr(&run.stderr);
        }
        if !args.collect_only {
            last_failed::write(&listener.run, &listener.failed);
        }
        (exit, batch.sources)
    }

    /// Runs the tests, and again with every save of a file that they have read. A save while they run begins anew.
    fn watch(&self) -> Exit {
        let (sender, inbox) = channel();
        let current = Arc::new(Mutex::new(Cancel::new()));
        let running = current.clone();
        let lock = |cancel: &Mutex<Cancel>| cancel.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let notice = move |notice| {
            if matches!(notice, Notice::Changed(_)) {
                lock(&running).cancel();
            }
            // Fails only when nobody waits any more.
            let _ = sender.send(notice);
        };
        let watcher = match FileWatcher::start(Vec::new(), notice) {
            Ok(watcher) => watcher,
            Err(problem) => {
                output::error(&problem);
                return Exit::Usage;
            }
        };
        let mut known: Vec<(PathBuf, Arc<SourceFile>)> = Vec::new();
        loop {
            let (exit, sources) = self.once(&lock(&current));
            if sources.is_empty() && known.is_empty() {
                return exit;
            }
            for source in sources {
                let path = PathBuf::from(&*source.path);
                known.retain(|(old, _)| *old != path);
                if path.is_file() {
                    known.push((path, source));
                }
            }
            watcher
                .set_read(known.iter().map(|(path, source)| (path.clone(), Some(&*source.text))).collect(), Vec::new());
            loop {
                match inbox.recv() {
                    Ok(Notice::Changed(files)) => {
                        *current.lock().unwrap_or_else(PoisonError::into_inner) = Cancel::new();
                        let names: Vec<String> =
                            files.iter().map(|file| path_text(file.strip_prefix(".").unwrap_or(file))).collect();
                        output::stdout(&format!("\nsaved: {}\n\n", names.join(", ")));
                        break;
                    }
                    Ok(Notice::Problem(problem)) => output::error(&problem),
                    Err(_) => return exit,
                }
            }
        }
    }

    /// The arguments of `pytest.main`, with the files of tests in the place of folders: evaluated code cannot look into those.
    fn arguments(&self) -> Result<Vec<String>, String> {
        let args = &self.args;
        let mut given = vec!["--tell-events".to_string()];
        for (name, value) in self.settings.for_sessions() {
            given.extend(["-o".to_string(), format!("{name}={value}")]);
        }
        let added = self.settings.added_options();
        if !added.is_empty() {
            given.push("--addopts".to_string());
            given.extend(added);
            given.push("--end-of-addopts".to_string());
        }
        let flags = [
            (args.exitfirst, "-x"),
            (args.no_capture, "-s"),
            (args.no_traceback, "--tb=no"),
            (args.collect_only, "--collect-only"),
            (args.quiet, "-q"),
        ];
        given.extend(flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_string()));
        given.extend(std::iter::repeat_n("-v".to_string(), usize::from(args.verbose)));
        for (option, value) in
            [("-k", &args.keyword), ("-m", &args.mark), ("-r", &args.summary), ("--tb", &args.traceback)]
        {
            if let Some(value) = value {
                given.extend([option.to_string(), value.clone()]);
            }
        }
        given.extend(args.settings.iter().flat_map(|setting| ["-o".to_string(), setting.clone()]));
        given.extend(args.deselect.iter().flat_map(|prefix| ["--deselect".to_string(), prefix.clone()]));
        given.extend(args.maxfail.map(|count| format!("--maxfail={count}")));
        given.extend(args.durations.map(|count| format!("--durations={count}")));
        if args.last_failed {
            // A list of texts can always be written as JSON.
            given.push(format!("--last-failed-tests={}", serde_json::json!(last_failed::read())));
        }
        let paths = if args.paths.is_empty() { self.settings.test_paths() } else { args.paths.clone() };
        for path in &paths {
            match Path::new(path) {
                folder if folder.is_dir() => given.extend(self.files(folder)?),
                _ => {
                    readable(Path::new(path.split("::").next().unwrap_or(path)))?;
                    given.push(path.clone());
                }
            }
        }
        Ok(given)
    }

    fn files(&self, folder: &Path) -> Result<Vec<String>, String> {
        let found = sources::python_files(&[folder.to_path_buf()])?;
        let found: Vec<PathBuf> = found.into_iter().filter(|path| self.settings.is_test(folder, path)).collect();
        if found.is_empty() {
            let names = self.settings.file_patterns().join(" or ");
            return Err(format!("{}: no tests in this folder: files called {names}", folder.display()));
        }
        Ok(found.iter().map(|path| path_text(path.strip_prefix(".").unwrap_or(path))).collect())
    }
}

/// That a file that is named can be one with tests. One that is not there is for the session to tell of, as pytest does.
fn readable(file: &Path) -> Result<(), String> {
    if !file.is_file() {
        return Ok(());
    }
    match file.extension().is_some_and(|extension| extension == "py") {
        true => sources::read(file).map(|_| ()),
        false => Err(format!("{}: not a Python file; tests are in files that end in .py", path_text(file))),
    }
}
