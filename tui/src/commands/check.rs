//! `pallas-tui check PATH...`: evaluates without running, and prints what is wrong.

use crate::args::{CheckArgs, OutputFormat};
use crate::exit::{Exit, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::progress::Bar;
use crate::render::{self, Batch};
use crate::{environment, output, sources};
use pallas_engine::tensor::ops::fused::Compilation;
use pallas_engine::{Analysis, AnalysisOptions, Cancel, Disk, Settings, SettingsFile, Severity, path_text};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) fn check(args: &CheckArgs, python: Option<&Path>, color: bool) -> Exit {
    let files = match sources::python_files(&args.paths) {
        Ok(files) => files,
        Err(message) => {
            output::error(&message);
            return Exit::Usage;
        }
    };
    // Nothing is computed here that machine code would pay for.
    Compilation::Never.set();
    let mut options = AnalysisOptions::new(Arc::new(Disk));
    options.import_paths = environment::python_path();
    let mut batches = Vec::new();
    let mut unreadable = false;
    let mut launches = 0;
    let mut unchecked = String::new();
    let mut uncompiled = 0;
    let mut settings_files: Vec<SettingsFile> = Vec::new();
    options.cancel = Cancel::new();
    let _interrupt = Interrupt::cancels(&options.cancel);
    let bar = Bar::start("check", "files");
    let mut done = 0;
    for file in &files {
        bar.teller().tell(&path_text(file), done, files.len());
        let found = if args.isolated { None } else { Settings::find(&Disk, &path_text(file)) };
        let of_project = found.as_ref().map(|found| found.settings.clone()).unwrap_or_default();
        // One file is for many programs; what is wrong with it is said once.
        if let Some(found) =
            found.filter(|found| settings_files.iter().all(|known| known.source.path != found.source.path))
        {
            settings_files.push(found);
        }
        options.settings = command_line(args).over(of_project);
        let named = options.settings.python.as_ref().map(PathBuf::from);
        options.environment = match environment::find(python.or(named.as_deref()), file) {
            Ok(environment) => environment,
            Err(message) => {
                output::error(&message);
                return Exit::Usage;
            }
        };
        match sources::read(file) {
            Ok(text) => {
                let analysis = Analysis::new(&path_text(file), &text, &options);
                // What an analysis found until it was stopped is not all there is, and may be wrong.
                if options.cancel.is_cancelled() {
                    break;
                }
                launches += analysis.launches.len();
                uncompiled += analysis.launches.iter().filter(|launch| analysis.is_uncompiled(launch)).count();
                unchecked.push_str(&unchecked_functions(&analysis));
                batches.push(Batch::from(&analysis));
            }
            Err(message) => {
                bar.teller().print(&format!("pallas-tui: {message}\n"));
                unreadable = true;
            }
        }
        done += 1;
    }
    drop(bar);
    let stopped = done < files.len();
    let problems = settings_files.into_iter().filter(|file| !file.problems.is_empty());
    batches.splice(0..0, problems.map(|file| Batch { findings: file.problems, sources: vec![file.source] }));
    output::stdout(&render::render(&batches, args.output_format, color));
    let serious = batches.iter().flat_map(|b| &b.findings).any(|f| f.severity <= Severity::Warning);
    let silent = batches.iter().all(|b| b.findings.is_empty());
    if args.output_format == OutputFormat::Full && silent && !unreadable && !stopped {
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
    unchecked.push_str(&without_a_compiler(uncompiled));
    match args.output_format {
        _ if stopped => {}
        OutputFormat::Full => output::stdout(&unchecked),
        // Whoever reads findings by a program learns what was not looked at all the same.
        _ => output::stderr(&unchecked),
    }
    if stopped {
        output::error(&format!("stopped after {done} of {} files", files.len()));
        Exit::Program(INTERRUPTED)
    } else if unreadable {
        Exit::Usage
    } else if serious {
        Exit::Findings
    } else {
        Exit::Success
    }
}

/// What the command line says goes before the settings file.
fn command_line(args: &CheckArgs) -> Settings {
    Settings {
        select: Some(args.select.clone()).filter(|selectors| !selectors.is_empty()),
        ignore: args.ignore.clone(),
        target: args.target,
        ..Settings::default()
    }
}

/// That launches are written for TPUs, and nothing says which of them they are compiled for.
fn without_a_compiler(launches: usize) -> String {
    let which = match launches {
        0 => return String::new(),
        1 => "1 launch that is".to_string(),
        count => format!("{count} launches that are"),
    };
    format!(
        "Not checked: what a TPU's compiler refuses, of {which} written for TPUs: `--target tpu-v5e`, or `target` in pallas.toml, \
         says what they are compiled for\n"
    )
}

/// The functions that lead to a launch, and were not reached: nobody calls them, and what was made up does not fit.
fn unchecked_functions(analysis: &Analysis) -> String {
    let unchecked = analysis.assumed.iter().filter_map(|assumed| {
        let problem = assumed.problem.as_ref()?;
        let place = analysis.source.line_place(assumed.definition.start);
        let with = match assumed.arguments.as_str() {
            "" => String::new(),
            arguments => format!(" (tried with {arguments})"),
        };
        let why = match assumed.is_given() {
            true => format!("`{}` is called as the file says, and", assumed.function),
            false => format!("nobody calls `{}` here, and", assumed.function),
        };
        Some(format!("Not checked: {place}: {why} {problem}{with}\n"))
    });
    let mut text: String = unchecked.collect();
    if analysis.assumed.iter().any(|assumed| assumed.problem.is_some() && !assumed.is_given()) {
        text += "A comment above a function says what it is called with: # pallas: call(x=f32[1024, 128], block=128)\n";
    }
    text
}
