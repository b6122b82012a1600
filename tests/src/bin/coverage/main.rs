//! How much of real code the front end traces: every file with launch sites in the given folders is analysed, and each site
//! is traced, not traced (and why), or not reached.
//!
//! ```console
//! $ cargo run -p pallas-tests --bin coverage -- [--python ENV] [--path FOLDER]... [--drivers FOLDER]... [--sites] FOLDER...
//! ```
//!
//! `--path` adds folders to import from, `--sites` prints every site instead of the summary of each folder. A site is first
//! looked for among what the programs in the folders of `--drivers` do, which call the code as its users do, and among what
//! the file does when it is run; functions that nobody calls are then called with arguments made from their annotations,
//! names and docstrings. The best of these outcomes counts. What none of them reaches is said to be not reached: nothing is
//! known of it. `--only-drivers` leaves out all but the drivers, and says more of what is wrong in them: for who writes one.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a report prints")]

mod drive;
mod drivers;
mod outcome;
mod report;
mod sites;
mod survey;

use drivers::Driver;
use pallas_engine::environment::{Environment, Wanted};
use pallas_engine::{AnalysisOptions, Disk};
use report::Report;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use survey::Survey;

fn main() -> ExitCode {
    let (mut python, mut paths, mut driven, mut folders) = (None, Vec::new(), Vec::new(), Vec::new());
    let (mut all_sites, mut only_drivers) = (false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--python" => python = arguments.next(),
            "--path" => paths.extend(arguments.next()),
            "--drivers" => driven.extend(arguments.next().map(PathBuf::from)),
            "--only-drivers" => only_drivers = true,
            "--sites" => all_sites = true,
            _ => folders.push(PathBuf::from(argument)),
        }
    }
    if folders.is_empty() {
        eprintln!("name folders, or files, with Python sources");
        return ExitCode::from(2);
    }
    let mut options = AnalysisOptions::new(Arc::new(Disk));
    let wanted = Wanted { python: python.as_deref(), virtual_env: None, script: "coverage.py" };
    options.environment = Environment::find(&Disk, &wanted);
    if let Some(problem) = &options.environment.problem {
        eprintln!("--python {problem}");
        return ExitCode::from(2);
    }
    options.import_paths = paths;
    options.visits = true;
    let mut programs = Vec::new();
    driven.iter().for_each(|folder| python_files(folder, &mut programs));
    let drivers: Vec<Driver> = programs.iter().filter_map(|path| Driver::new(path, &options)).collect();
    // Many files, and several functions in each: less than what an editor gives one file.
    options.fuel = 4_000_000;
    let survey = Survey { options: &options, drivers: &drivers, only_drivers };
    let mut whole = Report::default();
    for folder in &folders {
        let mut files = Vec::new();
        python_files(folder, &mut files);
        let mut report = Report::default();
        for file in &files {
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            let shown = file.strip_prefix(folder).unwrap_or(file).display().to_string();
            report.add(survey.file(&file.display().to_string(), &shown, &text));
        }
        println!("{}", report.text(&folder.display().to_string(), all_sites));
        println!("{}", report.findings());
        whole.extend(report);
    }
    println!("{}", whole.ranking());
    if !drivers.is_empty() {
        println!("{}", report::findings(&drivers, only_drivers));
    }
    ExitCode::SUCCESS
}

fn python_files(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_path_buf());
        return;
    }
    let Ok(entries) = std::fs::read_dir(path) else { return };
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            python_files(&entry, files);
        } else if entry.extension().is_some_and(|extension| extension == "py") {
            files.push(entry);
        }
    }
}
