//! The kernels of `benches/compare`: a warm launch and the whole process, ours against JAX's interpret mode, the same
//! computation in jitted `jax.numpy`, and numpy. Rounds of all of them take turns, so that a machine that slows down
//! slows all of them down. Prints medians and ratios as one table, in Markdown.
//!
//! ```console
//! $ cargo build --release -p pallas-tui
//! $ cargo run --release -p pallas-tests --bin compare -- --python ../jax/bin/python
//! ```
//!
//! `--small` takes sizes that JAX's interpret mode finishes quickly, `--rounds N` repeats (3), `--tool FILE` names another
//! build; names of programs select some. Without `--python` only our own times are taken.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

struct Options {
    python: Option<PathBuf>,
    tool: PathBuf,
    small: bool,
    rounds: usize,
    names: Vec<String>,
}

/// What was measured of one way to compute, in milliseconds.
#[derive(Default)]
struct Times {
    /// Medians of the warm launches of each process.
    warm: Vec<f64>,
    /// The processes from start to end.
    process: Vec<f64>,
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut options = Options {
        python: None,
        tool: root.join("target/release/pallas-tui"),
        small: false,
        rounds: 3,
        names: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--python" => options.python = arguments.next().map(PathBuf::from),
            "--tool" => options.tool = arguments.next().map_or(options.tool, PathBuf::from),
            "--rounds" => options.rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(options.rounds),
            "--small" => options.small = true,
            _ => options.names.push(argument),
        }
    }
    if !options.tool.exists() {
        println!("build it first: cargo build --release -p pallas-tui");
        return ExitCode::from(2);
    }
    let folder = root.join("benches/compare");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "py") && name(path) != "harness")
        .filter(|path| options.names.is_empty() || options.names.contains(&name(path)))
        .collect();
    programs.sort();
    println!(
        "| kernel | warm ms | JAX interpret | ratio | jitted jnp | ratio | numpy | ratio | process ms | JAX's | ratio |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for program in &programs {
        measure(program, &options);
    }
    ExitCode::SUCCESS
}

fn name(path: &Path) -> String {
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn measure(program: &Path, options: &Options) {
    let [mut ours, mut interpret, mut jitted, mut numpy] = [(); 4].map(|()| Times::default());
    for _ in 0..options.rounds {
        time(&mut ours, || command(&options.tool, &["run", "--quiet"], program, &["launch"], options.small, 5));
        let Some(python) = &options.python else { continue };
        time(&mut jitted, || command(python, &[], program, &["jnp"], options.small, 5));
        time(&mut numpy, || command(python, &[], program, &["numpy"], options.small, 5));
        // JAX's interpret mode takes minutes for some at full size: one round, once.
        if interpret.process.is_empty() || options.small {
            time(&mut interpret, || command(python, &[], program, &["launch"], options.small, 1));
        }
    }
    let warm = median(&mut ours.warm);
    let process = median(&mut ours.process);
    let mut row = format!("| {} | {} |", name(program), shown(warm));
    for other in [&mut interpret.warm, &mut jitted.warm, &mut numpy.warm] {
        let other = median(other);
        row.push_str(&format!(" {} | {} |", shown(other), ratio(other, warm)));
    }
    let theirs = median(&mut interpret.process);
    row.push_str(&format!(" {} | {} | {} |", shown(process), shown(theirs), ratio(theirs, process)));
    println!("{row}");
}

/// Runs a program once; what it prints of its warm launches, and how long the process took.
fn time(times: &mut Times, mut command: impl FnMut() -> Command) {
    let start = Instant::now();
    let Ok(output) = command().output() else { return };
    let took = 1000.0 * start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let Some(line) = text.lines().find_map(|line| line.strip_prefix("ms ")) else {
        if !output.status.success() {
            println!("{}", String::from_utf8_lossy(&output.stderr));
        }
        return;
    };
    let mut launches: Vec<f64> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
    times.warm.extend(median(&mut launches));
    times.process.push(took);
}

fn command(tool: &Path, before: &[&str], program: &Path, after: &[&str], small: bool, rounds: usize) -> Command {
    let mut command = Command::new(tool);
    command.args(before).arg(program).args(after);
    if small {
        command.arg("small");
    }
    command.arg(rounds.to_string()).env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn shown(milliseconds: Option<f64>) -> String {
    match milliseconds {
        Some(ms) if ms < 10.0 => format!("{ms:.2}"),
        Some(ms) if ms < 100.0 => format!("{ms:.1}"),
        Some(ms) => format!("{ms:.0}"),
        None => "-".to_string(),
    }
}

fn ratio(theirs: Option<f64>, ours: Option<f64>) -> String {
    match (theirs, ours) {
        (Some(theirs), Some(ours)) if ours > 0.0 => format!("{:.2}x", theirs / ours),
        _ => "-".to_string(),
    }
}
