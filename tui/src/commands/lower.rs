//! `pallas-tui lower FILE --emit ir|ttir|simt|cuda|tileir|ptx|sass`: the launches of a file with their kernels, as text that can be read
//! back, or as what they are lowered to.

use super::machine_code::{self, Wanted};
use super::tile_code;
use crate::args::{Backend, Emit, LowerArgs, OutputFormat};
use crate::exit::Exit;
use crate::render::{self, Batch};
use crate::{environment, output, sources};
use pallas_engine::generated::{self, Form};
use pallas_engine::simt::Architecture;
use pallas_engine::{Analysis, AnalysisOptions, Disk, Launch, Severity, path_text};
use std::path::Path;
use std::sync::Arc;

/// Why a form has nothing to do with a way to machine code.
fn at_odds(emit: Emit, backend: Backend) -> Option<&'static str> {
    match (emit, backend) {
        (_, Backend::Auto) | (Emit::Ptx | Emit::Sass, _) => None,
        (Emit::Simt | Emit::Cuda, Backend::Simt) | (Emit::TileIr, Backend::TileIr) => None,
        (Emit::Ir | Emit::Ttir, _) => Some(
            "--backend is about machine code (`--emit ptx` and `sass`), and this form is made before any way to it: leave it out",
        ),
        (Emit::Simt | Emit::Cuda, Backend::TileIr) => Some(
            "`--emit simt` and `cuda` are forms of `--backend simt`: that of `--backend tileir` is `--emit tileir`",
        ),
        (Emit::TileIr, Backend::Simt) => Some(
            "`--emit tileir` is the form of `--backend tileir`: those of `--backend simt` are `--emit simt` and `cuda`",
        ),
    }
}

pub(super) fn lower(args: &LowerArgs, python: Option<&Path>) -> Exit {
    if let Some(why) = at_odds(args.emit, args.backend) {
        output::error(why);
        return Exit::Usage;
    }
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
    let analysis = Analysis::new(&path_text(&args.file), &text, &options);
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
        Emit::Ptx | Emit::Sass => {
            let form = if args.emit == Emit::Ptx { Wanted::Ptx } else { Wanted::Sass };
            let print = match args.backend {
                Backend::TileIr => tile_code::print,
                Backend::Auto | Backend::Simt => machine_code::print,
            };
            print(&analysis, &wanted, form, args.capability, python, &args.file)
        }
        Emit::Ttir => code(&analysis, &wanted, Form::Ttir, args.capability),
        Emit::Simt => code(&analysis, &wanted, Form::Simt, args.capability),
        Emit::Cuda => code(&analysis, &wanted, Form::Cuda, args.capability),
        Emit::TileIr => code(&analysis, &wanted, Form::TileIr, args.capability),
    }
}

/// What a launch is compiled for: what was asked for, else what it is meant for.
pub(super) fn architecture(launch: &Launch, capability: Option<u32>) -> Architecture {
    capability.map_or_else(|| Architecture::meant_by(launch), Architecture::new)
}

/// The code of each launch; those that have none are said, and the others printed.
fn code(analysis: &Analysis, launches: &[&Arc<Launch>], form: Form, capability: Option<u32>) -> Exit {
    let mut exit = Exit::Success;
    let mut texts = Vec::new();
    for launch in launches {
        let place = |span| generated::place(analysis, span);
        match generated::generated_for(launch, form, architecture(launch, capability), place) {
            Ok(text) => texts.push(text),
            Err(refusal) => {
                exit = Exit::Findings;
                output::error(&format!("{}: {}", generated::place(analysis, refusal.span), refusal.message));
            }
        }
    }
    output::stdout(&texts.join("\n"));
    exit
}
