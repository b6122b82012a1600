//! `pallas-tui FILE`: the terminal program, or the text report where there is no terminal.

use crate::app::report::Report;
use crate::args::ViewArgs;
use crate::device::Wish;
use crate::exit::Exit;
use crate::render::{self, Batch};
use crate::styles::Styles;
use crate::worker::{self, Task};
use crate::{device, environment, output, report, saved, session, sources};
use pallas_engine::{Analysis, AnalysisOptions, Cancel, Disk, Environment, Severity, path_text};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

pub(super) fn view(args: ViewArgs) -> Exit {
    let Some(file) = args.file.clone() else {
        output::error("name a Python file; `pallas-tui --help` says more");
        return Exit::Usage;
    };
    let terminal = std::io::stdout().is_terminal();
    if worker::is_report(&file) {
        return if args.no_tty || !terminal { print_report(&file) } else { session(&args, file) };
    }
    // A file that cannot be read at the start is a mistake in the command, not something to wait for.
    let text = match sources::read(&file) {
        Ok(text) => text,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let python = args.python.as_deref();
    let environment = match environment::find(python, &file) {
        Ok(environment) => environment,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    if args.no_tty || !terminal {
        if !terminal && !args.no_tty {
            output::error("standard output is not a terminal, so this is the text report");
        }
        return print(
            &file,
            &text,
            args.arguments.clone(),
            environment,
            super::colored(args.color, &std::io::stdout()),
        );
    }
    session(&args, file)
}

/// Opens the terminal program.
fn session(args: &ViewArgs, file: PathBuf) -> Exit {
    let machines = match crate::profiler::machines(&args.machine.name, &file) {
        Ok(machines) => machines,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let styles = Styles::detect(args.color, args.ascii, |name| std::env::var(name).ok(), cfg!(windows));
    let (arguments, python) = (args.arguments.clone(), args.python.clone());
    device::tell_fallback(args.on.device);
    // A device that is not there is a mistake in the command.
    if let Err(message) = device::acceleration(Wish::plain(args.on), python.as_deref(), &file, None) {
        output::error(&message);
        return Exit::Usage;
    }
    let task = Task { path: file, arguments, python, machines, runs: !args.no_run, on: args.on };
    match session::run(task, styles, !args.no_mouse) {
        Ok(()) => Exit::Success,
        Err(error) => {
            output::error(&format!("the terminal cannot be used: {error}"));
            Exit::Usage
        }
    }
}

/// Prints a saved report as `profile` does.
fn print_report(file: &Path) -> Exit {
    let opened = saved::open(file, &Cancel::new(), |_| {}, |_, _| {});
    match opened.map(|report| report.profile) {
        Ok(Some(profile)) => {
            output::stdout(&report::profile::text(&profile));
            Exit::Success
        }
        Ok(None) => Exit::Success,
        Err(message) => {
            output::error(&message);
            Exit::Usage
        }
    }
}

/// Prints the text report. Exits as `check` does.
fn print(file: &Path, text: &str, arguments: Vec<String>, environment: Environment, color: bool) -> Exit {
    let begun = Instant::now();
    let mut options = AnalysisOptions::new(Arc::new(Disk));
    options.arguments = arguments;
    options.import_paths = crate::environment::python_path();
    options.environment = environment;
    let analysis = Analysis::new(&path_text(file), text, &options);
    let shown = Report::new(&analysis, begun.elapsed());
    let mut out = report::text::text(&shown);
    let findings = render::render(&[Batch::from(&analysis)], crate::args::OutputFormat::Full, color);
    if findings.is_empty() {
        out.push_str("\nNo findings.\n");
    } else {
        out.push('\n');
        out.push_str(&findings);
    }
    output::stdout(&out);
    let serious = analysis.findings.iter().any(|finding| finding.severity <= Severity::Warning);
    if serious { Exit::Findings } else { Exit::Success }
}
