//! `pallas-tui run FILE`: as `python FILE` with JAX. Findings go to standard error.

use crate::app::report::Report;
use crate::args::{OutputFormat, RunArgs};
use crate::console::ProcessConsole;
use crate::device::{Progress, Wish};
use crate::exit::Exit;
use crate::progress::Bar;
use crate::render::{self, Batch};
use crate::{device, environment, output, report, sources};
use pallas_engine::{Cancel, Disk, Run, RunOptions, Severity, path_text};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A bar while kernels are compiled, once that takes long.
fn compiling(file: &Path) -> Progress {
    let (path, bar) = (path_text(file), Mutex::new(None));
    Box::new(move |what, done, all| {
        let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        if done < all {
            bar.get_or_insert_with(|| Bar::start(&path, "kernels")).teller().tell(what, done, all);
        } else {
            *bar = None;
        }
    })
}

pub(super) fn run(mut args: RunArgs, python: Option<&Path>, color: bool) -> Exit {
    // A folder is run by its `__main__.py`, as Python does.
    let main = args.file.join("__main__.py");
    if main.is_file() {
        args.file = main;
    }
    let environment = match environment::find(python, &args.file) {
        Ok(environment) => environment,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let text = match sources::read(&args.file) {
        Ok(text) => text,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let wish = Wish {
        verifies: args.verify,
        checked: args.checked,
        traps_nan: args.trap_nan,
        backend: args.backend,
        ..Wish::plain(args.on)
    };
    device::tell_fallback(args.on.device);
    let acceleration = match device::acceleration(wish, python, &args.file, Some(compiling(&args.file))) {
        Ok(acceleration) => acceleration,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let cancel = Cancel::new();
    let options = RunOptions {
        files: Arc::new(Disk),
        arguments: args.arguments.clone(),
        import_paths: environment::python_path(),
        environment: environment.clone(),
        schedule: args.schedule.unwrap_or_default().keeping(args.explore.is_some()),
        strict: args.strict,
        target: args.target,
        acceleration,
        console: Box::new(ProcessConsole::new(cancel.clone())),
        cancel: cancel.clone(),
    };
    let begun = Instant::now();
    let path = path_text(&args.file);
    let run = match args.explore {
        // Others follow.
        Some(_) => Run::new(&path, &text, options),
        None => Run::last(&path, &text, options),
    };
    if cancel.is_cancelled() {
        // Nobody takes its output any more.
        return Exit::Program(1);
    }
    if args.report
        && let Some(shown) = Report::of_run(&run, begun.elapsed())
    {
        let verdict = if run.findings.is_empty() { "\nNo findings.\n" } else { "\n" };
        output::stderr(&format!("\n{}{verdict}", report::text::text(&shown)));
    }
    let mut findings = run.findings.clone();
    findings.retain(|f| f.severity <= Severity::Warning);
    if !args.quiet && !findings.is_empty() {
        let batch = Batch { findings, sources: run.sources.clone() };
        output::stderr(&render::render(&[batch], OutputFormat::Full, color));
    }
    let (words, agree) = device::words(&run);
    output::stderr(&words);
    output::stderr(&run.stderr);
    if !agree && run.exit == 0 {
        return Exit::Findings;
    }
    match args.explore {
        Some(count) => {
            let most = (count, args.explore_seconds);
            super::explore::explore(&args.file, &text, &run, &args.arguments, &environment, most)
        }
        None => Exit::Program(run.exit),
    }
}
