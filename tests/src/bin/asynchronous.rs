//! How long a program of a kernel takes that copies its tiles itself, ours against JAX's TPU simulator on this machine, with
//! and without looking for races. Prints milliseconds a program, and ratios.
//!
//! ```console
//! $ cargo build --release -p pallas-tui
//! $ cargo run --release -p pallas-tests --bin asynchronous -- --python ../jax/bin/python
//! ```

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut arguments = std::env::args().skip(1);
    let (mut python, mut tool) = (None, root.join("target/release/pallas-tui"));
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--python", Some(path)) => python = Some(PathBuf::from(path)),
            ("--tool", Some(path)) => tool = PathBuf::from(path),
            (other, _) => {
                println!("what is {other}? --python PYTHON, --tool PALLAS-TUI");
                return ExitCode::from(2);
            }
        }
    }
    let program = root.join("tests/benchmarks/dma_matmul.py");
    println!("{:<28} {:>10} {:>10} {:>8}", "tiles", "ours ms", "JAX ms", "ratio");
    for (rows, races) in [(16, false), (16, true), (64, false), (64, true)] {
        let name = format!("{rows}x128 by 128x128{}", if races { ", races" } else { "" });
        let ours = milliseconds(Command::new(&tool).args(["run", "--quiet"]).arg(&program), rows, races);
        let theirs = python.as_ref().map(|python| milliseconds(Command::new(python).arg(&program), rows, races));
        match (ours, theirs) {
            (Ok(ours), None) => println!("{name:<28} {ours:>10.4}"),
            (Ok(ours), Some(Ok(theirs))) => {
                println!("{name:<28} {ours:>10.4} {theirs:>10.3} {:>7.0}x", theirs / ours);
            }
            (Err(message), _) | (_, Some(Err(message))) => {
                println!("{name}: {message}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// What the program prints.
fn milliseconds(command: &mut Command, rows: usize, races: bool) -> Result<f64, String> {
    command.env("JAX_PLATFORMS", "cpu").arg(rows.to_string());
    if races {
        command.arg("races");
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| format!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}
