//! The kernels of `benches/compare`: a warm launch and the whole process, ours against JAX's interpret mode, the same
//! computation in jitted `jax.numpy`, and numpy. Rounds of all of them take turns, so that a machine that slows down
//! slows all of them down. Prints medians and ratios as one table, in Markdown. Beside the warm launch stands which share of
//! the machine it uses: of the rate at which all cores copy memory in the same rounds, counting what comes in and goes out
//! once, or, where there are products, of the rate of numpy's matrix product (OpenBLAS). Then what `--strict` makes of a warm
//! launch. The whole process is the same program with the same arguments for both: one launch, as somebody types it.
//!
//! ```console
//! $ cargo build --release -p pallas-tui
//! $ cargo run --release -p pallas-tests --bin compare -- --python ../jax/bin/python
//! ```
//!
//! `--small` takes sizes that JAX's interpret mode finishes quickly, `--rounds N` repeats (3), `--tool FILE` names another
//! build, `--patience S` ends a process after so many seconds (60; what did not finish is shown as longer); names of
//! programs select some. Without `--python` only our own times are taken. `--samples` compares the whole processes of the files
//! of `samples/` instead, those that JAX can run on a CPU.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

struct Options {
    python: Option<PathBuf>,
    tool: PathBuf,
    small: bool,
    samples: bool,
    rounds: usize,
    patience: Duration,
    names: Vec<String>,
}

/// What was measured of one way to compute, in milliseconds.
#[derive(Default)]
struct Times {
    /// Medians of the warm launches of each process.
    warm: Vec<f64>,
    /// The processes from start to end.
    process: Vec<f64>,
    /// How long was waited for one that did not finish.
    waited: Option<f64>,
    /// Bytes, and multiplications and additions, of a launch.
    work: Option<(f64, f64)>,
}

impl Times {
    fn median(&mut self) -> Measured {
        Measured { warm: median(&mut self.warm), process: median(&mut self.process), waited: self.waited }
    }
}

/// Medians.
#[derive(Clone, Copy)]
struct Measured {
    warm: Option<f64>,
    process: Option<f64>,
    waited: Option<f64>,
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut options = Options {
        python: None,
        tool: root.join("target/release/pallas-tui"),
        small: false,
        samples: false,
        rounds: 3,
        patience: Duration::from_secs(60),
        names: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--python" => options.python = arguments.next().map(PathBuf::from),
            "--tool" => options.tool = arguments.next().map_or(options.tool, PathBuf::from),
            "--rounds" => options.rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(options.rounds),
            "--patience" => {
                let seconds = arguments.next().and_then(|n| n.parse().ok());
                options.patience = seconds.map_or(options.patience, Duration::from_secs);
            }
            "--small" => options.small = true,
            "--samples" => options.samples = true,
            _ => options.names.push(argument),
        }
    }
    if !options.tool.exists() {
        println!("build it first: cargo build --release -p pallas-tui");
        return ExitCode::from(2);
    }
    let folder = root.join(if options.samples { "samples" } else { "benches/compare" });
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "py") && name(path) != "harness")
        .filter(|path| options.names.is_empty() || options.names.contains(&name(path)))
        .collect();
    programs.sort();
    if options.samples {
        println!("| sample | process ms | JAX's | ratio |");
        println!("|---|--:|--:|--:|");
        programs.iter().for_each(|program| compare_samples(program, &options));
        return ExitCode::SUCCESS;
    }
    println!(
        "| kernel | warm ms | of the machine | `--strict` | JAX interpret | ratio | jitted jnp | ratio | numpy | ratio | process ms | JAX's | ratio |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    programs.iter().for_each(|program| measure(program, &options));
    ExitCode::SUCCESS
}

fn name(path: &Path) -> String {
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn measure(program: &Path, options: &Options) {
    let [mut ours, mut strict, mut interpret, mut jitted, mut numpy] = [(); 5].map(|()| Times::default());
    let patience = options.patience;
    let (mut copied, mut multiplied, mut process) = (Vec::new(), Times::default(), Times::default());
    for round in 0..options.rounds {
        let tool =
            |before: &[&str], rounds| command(&options.tool, before, program, &["launch"], options.small, rounds);
        time(&mut ours, tool(&["run", "--quiet"], 5), patience);
        time(&mut strict, tool(&["run", "--quiet", "--strict"], 5), patience);
        // No warm launches: the program makes its inputs and launches once.
        time(&mut process, tool(&["run", "--quiet"], 0), patience);
        copied.push(copy_rate());
        let Some(python) = &options.python else { continue };
        time(&mut jitted, command(python, &[], program, &["jnp"], options.small, 5), patience);
        time(&mut numpy, command(python, &[], program, &["numpy"], options.small, 5), patience);
        if ours.work.is_some_and(|(_, operations)| operations > 0.0) {
            let product = program.with_file_name("matmul.py");
            time(&mut multiplied, command(python, &[], &product, &["numpy"], options.small, 5), patience);
        }
        // JAX's interpret mode takes long for some at full size: once is enough.
        if round == 0 || options.small {
            let theirs = |rounds| command(python, &[], program, &["launch"], options.small, rounds);
            let mut once = Times::default();
            time(&mut once, theirs(0), patience);
            interpret.process.append(&mut once.process);
            interpret.waited = once.waited;
            // A process that was ended with one launch does not get to a second one.
            if once.waited.is_none() {
                let mut warm = Times::default();
                time(&mut warm, theirs(1), patience);
                interpret.warm.append(&mut warm.warm);
                interpret.waited = warm.waited;
            }
        }
    }
    let of_the_machine = share(&mut ours, &mut copied, &mut multiplied);
    let (ours, strict, process) = (ours.median(), strict.median(), process.median());
    let mut row = format!("| {} | {} | {of_the_machine} |", name(program), shown(ours.warm, None));
    row.push_str(&format!(" {} |", ratio(strict.warm, ours.warm, None)));
    let interpret = interpret.median();
    for other in [interpret, jitted.median(), numpy.median()] {
        let waited = other.waited.filter(|_| other.warm.is_none());
        let ratio = ratio(other.warm, ours.warm, waited);
        row.push_str(&format!(" {} | {ratio} |", shown(other.warm, waited)));
    }
    let waited = interpret.waited.filter(|_| interpret.process.is_none());
    let theirs = shown(interpret.process, waited);
    let ratio = ratio(interpret.process, process.process, waited);
    row.push_str(&format!(" {} | {theirs} | {ratio} |", shown(process.process, None)));
    println!("{row}");
}

/// The whole process of a sample, where JAX can run it.
fn compare_samples(program: &Path, options: &Options) {
    let Some(python) = &options.python else { return };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        let (ran, took) = whole(Command::new(python).arg(program));
        if !ran {
            return;
        }
        theirs.push(took);
        let (ran, took) = whole(Command::new(&options.tool).args(["run", "--quiet"]).arg(program));
        if !ran {
            println!("| {} | fails | | |", name(program));
            return;
        }
        ours.push(took);
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    println!("| {} | {} | {} | {} |", name(program), shown(ours, None), shown(theirs, None), ratio(theirs, ours, None));
}

/// Whether a command succeeds, and how long it takes in milliseconds.
fn whole(command: &mut Command) -> (bool, f64) {
    let command = command.env("PYTHONDONTWRITEBYTECODE", "1").env("JAX_PLATFORMS", "cpu");
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    (status.is_ok_and(|status| status.success()), 1000.0 * start.elapsed().as_secs_f64())
}

/// Which share of the machine a warm launch uses.
fn share(ours: &mut Times, copied: &mut [f64], multiplied: &mut Times) -> String {
    let (Some((bytes, operations)), Some(warm)) = (ours.work, median(&mut ours.warm)) else { return "-".to_string() };
    if operations > 0.0 {
        let (Some((_, of_product)), Some(product)) = (multiplied.work, median(&mut multiplied.warm)) else {
            return "-".to_string();
        };
        return format!("{:.0} % of OpenBLAS", 100.0 * operations / warm / (of_product / product));
    }
    let Some(rate) = median(copied) else { return "-".to_string() };
    format!("{:.0} % of copying", 100.0 * bytes / warm / rate)
}

/// Bytes that all cores together read and write in a millisecond when they copy arrays that no cache holds.
fn copy_rate() -> f64 {
    const BYTES: usize = 64 << 20;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut arrays: Vec<(Vec<u8>, Vec<u8>)> =
        (0..threads).map(|_| (vec![1; BYTES / threads], vec![2; BYTES / threads])).collect();
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            std::thread::scope(|scope| {
                for (source, target) in &mut arrays {
                    scope.spawn(|| std::hint::black_box(target).copy_from_slice(std::hint::black_box(source)));
                }
            });
            1000.0 * start.elapsed().as_secs_f64()
        })
        .collect();
    median(&mut times).map_or(f64::NAN, |time| 2.0 * BYTES as f64 / time)
}

/// Runs a program once; what it prints of its warm launches, and how long the process took.
fn time(times: &mut Times, mut command: Command, patience: Duration) {
    let start = Instant::now();
    let Ok(mut child) = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn() else { return };
    let Some(mut out) = child.stdout.take() else { return };
    // Who looks every now and then whether a process has ended takes a core from it each time: the end of what it prints is its end.
    let (sender, printed) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = sender.send(out.read_to_string(&mut text).map(|_| text));
    });
    let printed = printed.recv_timeout(patience);
    if printed.is_err() {
        // It may have ended just now.
        let _ = child.kill();
    }
    let ended = child.wait();
    let took = 1000.0 * start.elapsed().as_secs_f64();
    // It comes to an end with the process, too.
    let _ = reader.join();
    let text = match (printed, ended) {
        (Err(_), _) => {
            times.waited = Some(1000.0 * patience.as_secs_f64());
            return;
        }
        (Ok(Ok(text)), Ok(_)) => text,
        _ => return,
    };
    let Some(line) = text.lines().find_map(|line| line.strip_prefix("ms")) else { return };
    if let Some(work) = text.lines().find_map(|line| line.strip_prefix("work ")) {
        let mut numbers = work.split(' ').filter_map(|number| number.parse().ok());
        times.work = numbers.next().zip(numbers.next());
    }
    let mut launches: Vec<f64> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
    // Where there is one launch there is no warm one.
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

fn shown(milliseconds: Option<f64>, waited: Option<f64>) -> String {
    match (milliseconds, waited) {
        (Some(ms), _) if ms < 10.0 => format!("{ms:.2}"),
        (Some(ms), _) if ms < 100.0 => format!("{ms:.1}"),
        (Some(ms), _) => format!("{ms:.0}"),
        (None, Some(waited)) => format!("> {waited:.0}"),
        (None, None) => "-".to_string(),
    }
}

fn ratio(theirs: Option<f64>, ours: Option<f64>, waited: Option<f64>) -> String {
    match (theirs, waited, ours) {
        (Some(theirs), _, Some(ours)) if ours > 0.0 => format!("{:.2}x", theirs / ours),
        (None, Some(waited), Some(ours)) if ours > 0.0 => format!("> {:.0}x", waited / ours),
        _ => "-".to_string(),
    }
}
