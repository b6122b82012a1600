//! `pallas-tui FILE`: the terminal program, or the text report where there is no terminal.

use crate::app::report::Report;
use crate::args::ViewArgs;
use crate::exit::Exit;
use crate::render::{self, Batch};
use crate::styles::Styles;
use crate::worker::Task;
use crate::{environment, output, report, session, sources};
use pallas_engine::{Analysis, AnalysisOptions, Disk, Environment, Severity};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub(super) fn view(args: ViewArgs) -> Exit {
    let Some(file) = args.file else {
        output::error("name a Python file; `pallas-tui --help` says more");
        return Exit::Usage;
    };
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
    let terminal = std::io::stdout().is_terminal();
    if args.no_tty || !terminal {
        if !terminal && !args.no_tty {
            output::error("standard output is not a terminal, so this is the text report");
        }
        return print(&file, &text, args.arguments, environment, super::colored(args.color, &std::io::stdout()));
    }
    let machine = match crate::profiler::machine(&args.machine) {
        Ok(machine) => machine.into_owned(),
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let styles = Styles::detect(args.color, args.ascii, |name| std::env::var(name).ok());
    let task = Task { path: file, arguments: args.arguments, python: args.python, machine, runs: !args.no_run };
    match session::run(task, styles, !args.no_mouse) {
        Ok(()) => Exit::Success,
        Err(error) => {
            output::error(&format!("the terminal cannot be used: {error}"));
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
    let analysis = Analysis::new(&file.display().to_string(), text, &options);
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
