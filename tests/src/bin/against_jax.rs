//! How long whole processes take, ours against `python` with JAX on this machine. Prints medians and ratios.
//!
//! ```console
//! $ cargo build --release -p pallas-tui
//! $ cargo run --release -p pallas-tests --bin against_jax -- --python ../jax/bin/python samples/02_blocked_add.py
//! ```
//!
//! Without `--python` only our own times are printed. Without files all samples are timed.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Runs of a process; the median counts.
const OURS: usize = 11;
const THEIRS: usize = 3;

fn main() -> ExitCode {
    let mut python = None;
    let mut files: Vec<PathBuf> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--python" {
            python = arguments.next().map(PathBuf::from);
        } else {
            files.push(PathBuf::from(argument));
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let tool = root.join("target/release/pallas-tui");
    if !tool.exists() {
        println!("build it first: cargo build --release -p pallas-tui");
        return ExitCode::from(2);
    }
    if files.is_empty() {
        files = samples(&root.join("samples"));
    }
    println!("{:<32} {:>10} {:>10} {:>10} {:>8}", "file", "check ms", "run ms", "python ms", "ratio");
    for file in &files {
        let check = median(OURS, || with(&tool, &["check"], file));
        let run = median(OURS, || with(&tool, &["run", "--quiet"], file));
        let theirs = python.as_ref().map(|python| median(THEIRS, || with(python, &[], file)));
        let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        match theirs {
            Some(theirs) => println!(
                "{name:<32} {:>10.1} {:>10.1} {:>10.0} {:>7.0}x",
                milliseconds(check),
                milliseconds(run),
                milliseconds(theirs),
                theirs.as_secs_f64() / run.as_secs_f64()
            ),
            None => println!("{name:<32} {:>10.1} {:>10.1}", milliseconds(check), milliseconds(run)),
        }
    }
    ExitCode::SUCCESS
}

fn with(program: &Path, arguments: &[&str], file: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(file);
    command
}

fn samples(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    files.sort();
    files
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The median time of a command that runs to its end; its output is thrown away.
fn median(runs: usize, command: impl Fn() -> Command) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            // A program that ends with an error still took its time.
            let _ = command().stdout(Stdio::null()).stderr(Stdio::null()).status();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}
