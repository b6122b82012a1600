//! `pallas-tui check PATH...`: evaluates without running, and prints what is wrong.

use crate::args::{CheckArgs, OutputFormat};
use crate::exit::Exit;
use crate::render::{self, Batch};
use crate::{environment, output, sources};
use pallas_engine::{Analysis, AnalysisOptions, Disk, Severity};
use std::path::Path;
use std::sync::Arc;

pub(super) fn check(args: &CheckArgs, python: Option<&Path>, color: bool) -> Exit {
    let files = match sources::python_files(&args.paths) {
        Ok(files) => files,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    let mut options = AnalysisOptions::new(Arc::new(Disk));
    options.import_paths = environment::python_path();
    let mut batches = Vec::new();
    let mut unreadable = false;
    let mut launches = 0;
    for file in &files {
        options.environment = match environment::find(python, file) {
            Ok(environment) => environment,
            Err(message) => {
                output::error(&message);
                return Exit::Usage;
            }
        };
        match sources::read(file) {
            Ok(text) => {
                let analysis = Analysis::new(&file.display().to_string(), &text, &options);
                launches += analysis.launches.len();
                batches.push(Batch::from(&analysis));
            }
            Err(message) => {
                output::error(&message);
                unreadable = true;
            }
        }
    }
    output::stdout(&render::render(&batches, args.output_format, color));
    let serious = batches.iter().flat_map(|b| &b.findings).any(|f| f.severity <= Severity::Warning);
    let silent = batches.iter().all(|b| b.findings.is_empty());
    if args.output_format == OutputFormat::Full && silent && !unreadable {
        let kernels = match launches {
            0 => "no kernel launches found".to_string(),
            1 => "1 kernel launch checked".to_string(),
            n => format!("{n} kernel launches checked"),
        };
        output::stdout(&format!(
            "No problems: {kernels} in {} file{}.\n",
            files.len(),
            if files.len() == 1 { "" } else { "s" }
        ));
    }
    if unreadable {
        Exit::Usage
    } else if serious {
        Exit::Findings
    } else {
        Exit::Success
    }
}
