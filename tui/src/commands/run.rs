//! `pallas-tui run FILE`: as `python FILE` with JAX. Findings go to standard error.

use crate::app::report::Report;
use crate::args::{Device, OutputFormat, RunArgs};
use crate::console::ProcessConsole;
use crate::exit::Exit;
use crate::render::{self, Batch};
use crate::{output, report, sources};
use pallas_engine::{Cancel, Disk, Run, RunOptions, Severity};
use std::sync::Arc;
use std::time::Instant;

pub(super) fn run(args: RunArgs, color: bool) -> Exit {
    let text = match sources::read(&args.file) {
        Ok(text) => text,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    match args.device {
        Device::Auto | Device::Interpret => {}
    }
    let options = RunOptions {
        files: Arc::new(Disk),
        arguments: args.arguments,
        import_paths: python_path(),
        console: Box::new(ProcessConsole::new()),
        cancel: Cancel::new(),
    };
    let begun = Instant::now();
    let run = Run::new(&args.file.display().to_string(), &text, options);
    if args.report
        && let Some(shown) = Report::of_run(&run, begun.elapsed())
    {
        let verdict = if run.findings.is_empty() { "\nNo findings.\n" } else { "\n" };
        output::stderr(&format!("\n{}{verdict}", report::text::text(&shown)));
    }
    let mut findings = run.findings;
    findings.retain(|f| f.severity <= Severity::Warning);
    if !args.quiet && !findings.is_empty() {
        let batch = Batch { findings, sources: run.sources };
        output::stderr(&render::render(&[batch], OutputFormat::Full, color));
    }
    output::stderr(&run.stderr);
    Exit::Program(run.exit)
}

/// `PYTHONPATH`
pub(crate) fn python_path() -> Vec<String> {
    let Some(paths) = std::env::var_os("PYTHONPATH") else { return Vec::new() };
    std::env::split_paths(&paths).map(|p| p.display().to_string()).filter(|p| !p.is_empty()).collect()
}
