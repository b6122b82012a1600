//! Runs JAX's own Pallas tests in the evaluator, and compares with what passes under JAX.
//!
//! ```console
//! $ python tests/goldens/jax_tests.py CHECKOUT expected.txt
//! $ cargo run --release -p pallas-tests --bin jax_tests -- --python ../jax --expected expected.txt CHECKOUT
//! ```
//!
//! CHECKOUT holds `tests/pallas` of JAX's repository at the tag of the release. `--file pallas_test.py` takes one file
//! (may be repeated), `--case PATTERN` the cases whose `Class.test` it matches, `--seconds N` bounds each case, `--text`
//! prints the traceback of every failure, `--list` only lists the cases, `--write FILE` writes how each case ended.

#![expect(clippy::print_stdout, reason = "a report is printed")]

mod report;
mod session;

use report::{Case, Report};
use session::{Session, Settings};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// What is run without `--file`.
const FILES: &[&str] = &[
    "pallas_test.py",
    "indexing_test.py",
    "pallas_vmap_test.py",
    "gpu_ops_test.py",
    "gpu_attention_test.py",
    "gpu_paged_attention_test.py",
    "tpu_pallas_test.py",
    "ops_test.py",
];

#[derive(Default)]
struct Options {
    python: Option<String>,
    checkout: Option<PathBuf>,
    files: Vec<String>,
    case: String,
    expected: Option<PathBuf>,
    write: Option<PathBuf>,
    seconds: Option<u64>,
    text: bool,
    list: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--python" => options.python = Some(value()?),
            "--file" => options.files.push(value()?),
            "--case" => options.case = value()?,
            "--expected" => options.expected = Some(value()?.into()),
            "--write" => options.write = Some(value()?.into()),
            "--seconds" => options.seconds = Some(value()?.parse().map_err(|e| format!("--seconds: {e}"))?),
            "--text" => options.text = true,
            "--list" => options.list = true,
            other if other.starts_with("--") => return Err(format!("unknown option {other}")),
            folder => options.checkout = Some(folder.into()),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            println!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let options = options()?;
    let checkout = options.checkout.ok_or("which folder has the tests? give the checkout of JAX")?;
    let settings = Settings {
        checkout,
        python: options.python,
        pattern: options.case.clone(),
        limit: Duration::from_secs(options.seconds.unwrap_or(120)),
        list: options.list,
    };
    let files: Vec<String> =
        if options.files.is_empty() { FILES.iter().map(ToString::to_string).collect() } else { options.files };
    let mut report = Report::default();
    for file in &files {
        let session = Session::new(&settings, file);
        let cases = session.run(|case: &Case| {
            if options.list {
                println!("{} {}", case.file, case.name);
            } else if options.text && case.outcome == "failed" {
                println!("--- {} {}\n{}\n{}", case.file, case.name, case.reason, case.text);
            }
        });
        report.add(file, cases);
        if !options.list {
            println!("{}", report.line(file));
        }
    }
    if options.list {
        return Ok(true);
    }
    if let Some(path) = options.write {
        std::fs::write(&path, report.listing()).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let expected = match options.expected {
        Some(path) => Some(std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?),
        None => None,
    };
    println!("{}", report.failures());
    match expected {
        Some(expected) => {
            let (text, met) = report.compared(&expected, &files, &options.case);
            println!("{text}");
            Ok(met)
        }
        None => Ok(true),
    }
}
