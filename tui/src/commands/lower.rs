//! `pallas-tui lower FILE --emit ir|ttir|simt|cuda`: the launches of a file with their kernels, as text that can be read back, or as
//! what they are lowered to.

use crate::args::{Emit, LowerArgs, OutputFormat};
use crate::exit::Exit;
use crate::render::{self, Batch};
use crate::{environment, output, sources};
use pallas_engine::simt::{Architecture, Program};
use pallas_engine::{Analysis, AnalysisOptions, Disk, Launch, Severity, Span};
use std::path::Path;
use std::sync::Arc;

/// What `--emit simt` and `--emit cuda` compile for: Hopper.
const CAPABILITY: u32 = 90;

pub(super) fn lower(args: &LowerArgs, python: Option<&Path>) -> Exit {
    let text = match sources::read(&args.file) {
        Ok(text) => text,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let mut options = AnalysisOptions::new(Arc::new(Disk));
    options.import_paths = environment::python_path();
    options.environment = match environment::find(python, &args.file) {
        Ok(environment) => environment,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let analysis = Analysis::new(&args.file.display().to_string(), &text, &options);
    let wanted: Vec<_> = analysis
        .launches
        .iter()
        .filter(|launch| args.kernel.as_ref().is_none_or(|name| *launch.kernel.name == **name))
        .collect();
    if wanted.is_empty() {
        let broken: Vec<_> = analysis.findings.iter().filter(|f| f.severity == Severity::Error).cloned().collect();
        if !broken.is_empty() {
            let batch = Batch { findings: broken, sources: analysis.sources.clone() };
            output::stderr(&render::render(&[batch], OutputFormat::Full, false));
        }
        let mut names: Vec<&str> = analysis.launches.iter().map(|l| &*l.kernel.name).collect();
        names.dedup();
        output::error(&match (&args.kernel, names.is_empty()) {
            (Some(name), false) => format!("no kernel is called `{name}`; there are: {}", names.join(", ")),
            _ => format!("{}: no kernel is launched in this file", args.file.display()),
        });
        return Exit::Findings;
    }
    match args.emit {
        Emit::Ir => {
            let texts: Vec<String> = wanted.iter().map(|launch| launch.to_string()).collect();
            output::stdout(&format!("{}\n", texts.join("\n").trim_end()));
            Exit::Success
        }
        Emit::Ttir => ttir(&analysis, &wanted),
        Emit::Simt | Emit::Cuda => gpu(&analysis, &wanted, args.emit),
    }
}

/// A module for each launch; those that have none are said, and the others printed.
fn ttir(analysis: &Analysis, launches: &[&Arc<Launch>]) -> Exit {
    let mut exit = Exit::Success;
    let mut texts = Vec::new();
    for launch in launches {
        match pallas_engine::ttir::lower(launch) {
            Ok(module) => texts.push(module.to_string()),
            Err(refusal) => {
                exit = Exit::Findings;
                let span = refusal.location.as_ref().map_or(launch.spans.call, |location| location.span);
                let at = place(analysis, span);
                output::error(&format!("{at}: `{}` has no Triton IR: {refusal}", launch.kernel.name));
            }
        }
    }
    output::stdout(&texts.join("\n"));
    exit
}

/// A kernel for each launch; those that have none are said, and the others printed.
fn gpu(analysis: &Analysis, launches: &[&Arc<Launch>], emit: Emit) -> Exit {
    let mut exit = Exit::Success;
    let mut texts = Vec::new();
    for launch in launches {
        match pallas_engine::simt::compile(launch, Architecture::new(CAPABILITY)) {
            Ok(program) if emit == Emit::Simt => texts.push(program.kernel.to_string()),
            Ok(program) => texts.push(annotated(analysis, &program)),
            Err(refusal) => {
                exit = Exit::Findings;
                let help = refusal.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
                let at = place(analysis, refusal.span);
                output::error(&format!("{at}: `{}` is not compiled for a GPU: {refusal}{help}", launch.kernel.name));
            }
        }
    }
    output::stdout(&texts.join("\n"));
    exit
}

/// The source, with a comment where another line of the Pallas source begins.
fn annotated(analysis: &Analysis, program: &Program) -> String {
    let mut text = String::new();
    let mut last = String::new();
    let mut entries = program.lines.iter().peekable();
    for (number, line) in (1..).zip(program.source.lines()) {
        if let Some(entry) = entries.next_if(|entry| entry.line == number) {
            let at = place(analysis, entry.span);
            // Without the column: neighbours come from one line.
            let at = at.rsplit_once(':').map_or(at.as_str(), |(line, _)| line);
            if at != last {
                let indent = &line[..line.len() - line.trim_start().len()];
                text.push_str(&format!("{indent}// {at}\n"));
                last = at.to_string();
            }
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// `file.py:3:5`
fn place(analysis: &Analysis, span: Span) -> String {
    match Batch::from(analysis).source(span) {
        Some(source) => {
            let at = source.line_column(span.start);
            format!("{}:{}:{}", source.path, at.line, at.column)
        }
        None => "?".to_string(),
    }
}
