//! `pallas-tui profile FILE`: runs a file, and reports where the time of its launches goes.

use crate::args::{ProfileArgs, ReportFormat, Timing};
use crate::exit::{Exit, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::profiler::{self, Task};
use crate::progress::Bar;
use crate::{device, output, report};
use pallas_engine::report::{Report, trace};
use pallas_engine::{Cancel, Severity, path_text};
use std::path::Path;

pub(super) fn profile(args: &ProfileArgs, python: Option<&Path>) -> Exit {
    match run(args, python) {
        Ok(exit) => exit,
        Err(message) => {
            output::error(&message);
            Exit::Usage
        }
    }
}

fn run(args: &ProfileArgs, python: Option<&Path>) -> Result<Exit, String> {
    let task = Task {
        file: Task::resolve(&args.file),
        arguments: args.arguments.clone(),
        python: python.map(Path::to_path_buf),
        machines: profiler::machines(&args.machine.name, &args.file)?,
        timing: args.timing == Timing::On,
        runs: !args.no_run,
        on: args.on,
        backend: args.backend,
    };
    if task.runs {
        device::tell_fallback(task.on.device);
    }
    let cancel = Cancel::new();
    let _interrupt = Interrupt::cancels(&cancel);
    let path = path_text(&task.file);
    let bar = Bar::start(&path, "programs");
    let profiled = task.profile(&bar.teller(), &cancel)?;
    drop(bar);
    let report = profiled.report;
    let cancelled = report.program.cancelled;
    if !cancelled {
        output::stderr(&profiled.stderr);
    }
    write(&report, args)?;
    if cancelled {
        output::error(&format!("{path}: stopped; {}", report::profile::kept(&report)));
        return Ok(Exit::Program(INTERRUPTED));
    }
    let failed = report.program.exit.is_some_and(|exit| exit != 0);
    if report.launches.is_empty() && !failed {
        let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error.name()).count();
        let why = match errors {
            0 => "",
            _ => "; `pallas-tui check` says what is wrong with it",
        };
        output::error(&format!("{path}: no kernel is launched in this file{why}"));
    }
    Ok(if failed || report.launches.is_empty() { Exit::Findings } else { Exit::Success })
}

/// Writes and prints what was asked for.
fn write(report: &Report, args: &ProfileArgs) -> Result<(), String> {
    if let Some(path) = &args.json {
        let text = report.to_json().map_err(|error| format!("{}: {error}", path.display()))?;
        save(path, &text)?;
    }
    if let Some(path) = &args.trace {
        save(path, &format!("{}\n", trace(report)))?;
    }
    let elsewhere = args.json.is_some() || args.trace.is_some();
    match args.report.or((!elsewhere).then_some(ReportFormat::Text)) {
        Some(ReportFormat::Text) if !report.launches.is_empty() => {
            output::stdout(&report::profile::text(report));
        }
        Some(ReportFormat::Md) => output::stdout(&report::profile::markdown(report)),
        Some(ReportFormat::Text) | None => {}
    }
    Ok(())
}

fn save(path: &Path, text: &str) -> Result<(), String> {
    if path.as_os_str() == "-" {
        output::stdout(text);
        return Ok(());
    }
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
