//! What there is to measure on a GPU, in one command and one table, in Markdown: `benches/gpu/run` says how.
//!
//! ```console
//! $ cargo run --release -p pallas-tests --bin gpu -- [--python ENV/bin/python] [--minutes 9] [--no-corpus] [KERNEL ...]
//! ```
//!
//! The kernels of `benches/gpu`: registers, spills, shared memory and occupancy, the median time of many launches both ways to
//! machine code, and what that is of the device's own copy; what noting times adds; beside it what others take for the same work,
//! where `--python` names an environment with torch, Triton or JAX. Then the launches of the samples and of the conformance programs
//! against interpret mode, and a list of what has to hold with what was seen. Names of kernels select some. Whatever fails has a row
//! that says so, and the rest goes on. Without a device it says so, and shows what the compiler says, which needs NVRTC alone.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints")]

use pallas_engine::accelerator::{CompileTiles, Gpu};
use pallas_engine::cuda::{PATIENCE, open};
use pallas_tests::gpu::child::{Ended, listen};
use pallas_tests::gpu::kernels::{KERNELS, Kernel};
use pallas_tests::gpu::peers::peers;
use pallas_tests::gpu::{compiler, equal, measure, places, table, tiles};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// A kernel is compiled, and measured both ways.
const KERNEL: Duration = Duration::from_secs(90);
/// The least that is worth beginning for.
const LEAST: Duration = Duration::from_secs(20);
/// How much of the time others may take.
const OTHERS: f64 = 0.4;

struct Arguments {
    python: Option<PathBuf>,
    patience: Duration,
    corpus: bool,
    kernels: Vec<Kernel>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    // Processes of this one.
    if let [task @ ("measure" | "equal"), python, rest @ ..] = texts.as_slice() {
        let python = Some(python).filter(|python| !python.is_empty()).map(Path::new);
        return match *task {
            "measure" => measure_here(python, rest),
            _ => equal_here(python, rest),
        };
    }
    match parsed(&texts) {
        Ok(arguments) => all(&arguments),
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn parsed(texts: &[&str]) -> Result<Arguments, String> {
    let mut arguments =
        Arguments { python: None, patience: Duration::from_secs(9 * 60), corpus: true, kernels: Vec::new() };
    let mut names = Vec::new();
    let mut rest = texts.iter();
    while let Some(&text) = rest.next() {
        match text {
            "--python" => arguments.python = Some(rest.next().ok_or("--python wants a program")?.into()),
            "--minutes" => {
                let minutes =
                    rest.next().and_then(|text| text.parse::<u64>().ok()).ok_or("--minutes wants a number")?;
                arguments.patience = Duration::from_secs(minutes * 60);
            }
            "--no-corpus" => arguments.corpus = false,
            flag if flag.starts_with('-') => return Err(format!("there is no {flag}")),
            name => names.push(name),
        }
    }
    let is_wanted = |kernel: &&Kernel| names.is_empty() || names.iter().any(|name| kernel.name.contains(name));
    arguments.kernels = KERNELS.iter().filter(is_wanted).copied().collect();
    match arguments.kernels.is_empty() {
        true => Err(format!("there is no such kernel; there are {}", KERNELS.map(|kernel| kernel.name).join(", "))),
        false => Ok(arguments),
    }
}

/// This program, to do a part of the work.
fn part(task: &str, python: Option<&Path>, rest: &[String]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "gpu".into()));
    command.arg(task).arg(python.unwrap_or(Path::new(""))).args(rest);
    command
}

fn all(arguments: &Arguments) -> ExitCode {
    let begun = Instant::now();
    let left = || arguments.patience.saturating_sub(begun.elapsed());
    let python = arguments.python.as_deref();
    let device = open(0, PATIENCE).map(|device| device.info().clone());
    match &device {
        Ok(info) => println!("{}, sm_{}\n", info.name, info.architecture()),
        Err(failure) => {
            println!("There is no device here ({failure}): nothing is measured, and this is what the compiler says.\n");
        }
    }
    let others = match &device {
        Ok(_) => {
            eprintln!("asking others ...");
            let mut work: Vec<&str> = arguments.kernels.iter().map(|kernel| kernel.work).collect();
            work.dedup();
            peers(python, &work, arguments.patience.mul_f64(OTHERS))
        }
        Err(_) => Default::default(),
    };
    println!("{}", table::HEAD);
    let mut found = BTreeMap::new();
    for kernel in &arguments.kernels {
        eprintln!("{} ...", kernel.name);
        let mut facts = table::Facts::new();
        let command = part("measure", python, &[kernel.name.to_string()]);
        let ended = listen(command, KERNEL.min(left().max(LEAST)), &mut |line| {
            if let Some((key, value)) = line.split_once('\t') {
                facts.insert(key.to_string(), value.to_string());
            }
        });
        let why = match ended {
            Ended::Well => None,
            Ended::Late => Some("it took too long, and was ended".to_string()),
            Ended::Failed(how) => Some(format!("the process ended, {how}")),
            Ended::NotStarted(why) => Some(why),
        };
        if let Some(why) = why {
            let way = if facts.contains_key("simt") { "tileir why" } else { "simt why" };
            facts.entry(way.to_string()).or_insert(why);
        }
        print!("{}", table::rows(kernel, &facts, &others));
        // Whatever happens next, this was seen.
        let _ = std::io::stdout().flush();
        found.insert(kernel.name, facts);
    }
    if let Some((_, facts)) = found.iter().find(|(_, facts)| facts.contains_key("ceiling copy")) {
        let rates = facts.iter().filter_map(|(key, rate)| Some((key.strip_prefix("ceiling ")?, rate.parse().ok()?)));
        let rate = |(name, rate): (&str, f64)| match name {
            "copy" => format!("a copy of 256 MiB moves {:.0} GB/s", rate / 1e9),
            name => format!("{name} {:.0} T/s", rate / 1e12),
        };
        println!("\nThe device's own ceilings: {}.", rates.map(rate).collect::<Vec<_>>().join(", "));
    }
    for why in &others.absent {
        println!("\nNot compared: {why}.");
    }
    let failed = |facts: &table::Facts| facts.contains_key("simt why");
    if device.is_err() {
        return if found.values().any(failed) { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let tally = (arguments.corpus && left() >= LEAST).then(|| {
        eprintln!("the samples and the conformance programs ...");
        let start = |(program, launch): equal::Start| part("equal", python, &[program.to_string(), launch.to_string()]);
        equal::tally(&start, left())
    });
    match &tally {
        Some(tally) => {
            let equal::Tally { equal, without, known, wrong, unfinished } = tally;
            println!(
                "\n{equal} launches give what interpret mode gives, {} do not; {known} differ as they are known to, and {without} \
                 are not lowered or have nothing to compare with.",
                wrong.len()
            );
            for line in wrong {
                println!("- {line}");
            }
            if let Some(why) = unfinished {
                println!("Not all had their turn: {why}.");
            }
        }
        None => println!("\nThe samples and the conformance programs were not run."),
    }
    println!("\n{}", table::claims(tally.as_ref(), &found, &others));
    println!("{} seconds.", begun.elapsed().as_secs());
    let wrong = tally.is_some_and(|tally| !tally.wrong.is_empty());
    if wrong || found.values().any(failed) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A line of this process.
fn line(key: &str, value: &str) {
    println!("{key}\t{}", value.lines().next().unwrap_or_default());
    // Somebody listens, and this process may not live to its end.
    let _ = std::io::stdout().flush();
}

fn measure_here(python: Option<&Path>, names: &[&str]) -> ExitCode {
    let Some(kernel) = KERNELS.iter().find(|kernel| names.contains(&kernel.name)) else { return ExitCode::from(2) };
    let places = places(python);
    let compiler = match compiler(&places) {
        Ok(compiler) => compiler,
        Err(why) => {
            line("simt why", &why);
            return ExitCode::SUCCESS;
        }
    };
    let Ok(device) = open(0, PATIENCE) else {
        if let Err(why) = measure::compiled(kernel, &compiler, &mut line) {
            line("simt why", &why);
        }
        return ExitCode::SUCCESS;
    };
    let gpu = Gpu::with(device, Box::new(compiler), None);
    let tiles = tiles(&places).map(|tiles| Box::new(tiles) as Box<dyn CompileTiles>);
    match kernel.launches() {
        Ok(launches) => measure::measured(&launches, gpu, tiles, &mut line),
        Err(why) => line("simt why", &why),
    }
    ExitCode::SUCCESS
}

fn equal_here(python: Option<&Path>, start: &[&str]) -> ExitCode {
    let number = |at: usize| start.get(at).and_then(|text| text.parse().ok());
    let Some(start) = number(0).zip(number(1)) else { return ExitCode::from(2) };
    let opened = compiler(&places(python)).and_then(|compiler| {
        let device = open(0, PATIENCE).map_err(|failure| failure.to_string())?;
        Ok(Gpu::with(device, Box::new(compiler), None))
    });
    match opened {
        Ok(mut gpu) => {
            equal::compare(&equal::corpus(), start, &mut gpu, &mut line);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
