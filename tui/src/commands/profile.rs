//! `pallas-tui profile FILE`: runs a file, and reports where the time of its launches goes.

use crate::args::{ProfileArgs, ReportFormat, Timing};
use crate::console::Quiet;
use crate::exit::Exit;
use crate::{environment, output, report, sources};
use pallas_engine::pipeline::{MACHINES, Machine};
use pallas_engine::report::{Report, trace};
use pallas_engine::{Analysis, AnalysisOptions, Cancel, Disk, Profile, Run, RunOptions, Severity};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

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
    let machine = machine(&args.machine)?;
    let main = args.file.join("__main__.py");
    let file = if main.is_file() { main } else { args.file.clone() };
    let environment = environment::find(python, &file)?;
    let text = sources::read(&file)?;
    let path = file.display().to_string();
    let report = if args.no_run {
        let mut options = AnalysisOptions::new(Arc::new(Disk));
        options.arguments.clone_from(&args.arguments);
        options.import_paths = environment::python_path();
        options.environment = environment;
        Profile::of_analysis(&Analysis::new(&path, &text, &options), &args.arguments, &machine)
    } else {
        let options = RunOptions {
            files: Arc::new(Disk),
            arguments: args.arguments.clone(),
            import_paths: environment::python_path(),
            environment,
            console: Box::new(Quiet::new(args.timing == Timing::On)),
            cancel: Cancel::new(),
        };
        let run = Run::new(&path, &text, options);
        output::stderr(&run.stderr);
        Profile::of_run(&run, &path, &args.arguments, &machine)
    };
    write(&report, args)?;
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

/// The machine of a name; this CPU is measured.
pub(super) fn machine(name: &str) -> Result<Cow<'static, Machine>, String> {
    if name.eq_ignore_ascii_case("cpu") {
        return crate::calibrate::this_cpu().map(Cow::Owned).ok_or_else(|| "this CPU cannot be measured".to_string());
    }
    Machine::find(name).map(Cow::Borrowed).ok_or_else(|| {
        let known: Vec<&str> = MACHINES.iter().map(|machine| &*machine.key).collect();
        format!("no machine is called `{name}`; there are: {}, cpu", known.join(", "))
    })
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
