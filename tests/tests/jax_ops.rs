//! The kernels that JAX itself carries (`jax.experimental.pallas.ops`), unmodified, evaluated from the Python source of an
//! installed JAX 0.10.2: their values against those that JAX computes (`ops/*.txt`, recorded by tests/goldens/ops.py), and
//! neither error nor warning in their launches.
//!
//! They run only where `PALLAS_PYTHON` names an environment with that JAX; elsewhere the test says that it did not run.
//! What they need of the workbench is also in programs of our own: `conformance/ops_*.py`.

#![expect(clippy::print_stdout, reason = "a test that did not run says so")]

use pallas_engine::accelerator::{Acceleration, End, Simulator};
use pallas_engine::{Analysis, AnalysisOptions, Disk, Environment, Run, RunOptions, Severity};
use pallas_tests::jax::environment;
use pallas_tests::{Recorder, run_options};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How far a number may be off, absolutely and by its size, per dtype: as JAX's own tests have it.
const TOLERANCES: [(&str, f64); 3] = [("float32", 1e-5), ("float16", 1e-2), ("bfloat16", 1e-2)];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ops")
}

/// Programs with what JAX printed for them.
fn programs() -> Vec<(PathBuf, String)> {
    let mut programs: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "py") && path.with_extension("txt").exists())
        .collect();
    programs.sort();
    let recording = |path: PathBuf| {
        let text = std::fs::read_to_string(path.with_extension("txt")).expect("a recording");
        (path, text)
    };
    programs.into_iter().map(recording).collect()
}

/// The dtype of a line `name dtype[shape] numbers...`, and its numbers; `None` for other lines.
fn numbers(line: &str) -> Option<(&str, Vec<&str>)> {
    let (before, rest) = line.split_once(']')?;
    let dtype = before.split_once('[')?.0.rsplit(' ').next()?;
    Some((dtype, rest.split_whitespace().collect()))
}

/// Whether a line says what JAX's line says.
fn agrees(found: &str, expected: &str) -> bool {
    let (Some((dtype, ours)), Some((_, theirs))) = (numbers(found), numbers(expected)) else {
        return found == expected;
    };
    let head = |line: &str| line.split(']').next().map(str::to_string);
    let tolerance = TOLERANCES.iter().find(|(name, _)| *name == dtype).map_or(0.0, |(_, tolerance)| *tolerance);
    let close = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= tolerance * (1.0 + b.abs()),
        _ => false,
    };
    head(found) == head(expected)
        && ours.len() == theirs.len()
        && ours.iter().zip(&theirs).all(|(a, b)| a == b || close(a, b))
}

/// Runs a program, in interpret mode or as said, and compares what it prints.
fn run(
    program: &Path,
    expected: &str,
    environment: &Environment,
    acceleration: Option<Acceleration>,
) -> Result<Run, String> {
    let text = std::fs::read_to_string(program).map_err(|error| error.to_string())?;
    let recorder = Recorder::default();
    let options = RunOptions {
        import_paths: vec![folder().display().to_string()],
        environment: environment.clone(),
        acceleration,
        ..run_options(recorder.clone())
    };
    let run = Run::new(&program.display().to_string(), &text, options);
    let (stdout, stderr) = recorder.written();
    if run.exit != 0 {
        return Err(format!("exit code {}\n{stderr}{}", run.exit, run.stderr));
    }
    let (found, expected): (Vec<&str>, Vec<&str>) = (stdout.lines().collect(), expected.lines().collect());
    if found.len() != expected.len() {
        return Err(format!("{} lines, JAX has {}", found.len(), expected.len()));
    }
    match found.iter().zip(&expected).find(|(found, expected)| !agrees(found, expected)) {
        Some((found, expected)) => Err(format!("  found:  {found}\n  should: {expected}")),
        None => Ok(run),
    }
}

/// A device that is the simulator, for every launch.
fn simulator() -> Acceleration {
    let open = || Ok(Box::new(Simulator::default()) as Box<_>);
    Acceleration { open: Box::new(open), falls_back: false, verifies: false }
}

/// What the simulator of the SIMT IR saw in a run.
fn seen(run: &Run) -> Vec<&str> {
    let ends = run.accelerated.iter().map(|launch| &launch.end);
    let seen = ends.filter_map(|end| match end {
        End::Ran { seen, .. } => Some(seen),
        End::FellBack(_) => None,
    });
    seen.flatten().map(|(what, _)| what.as_str()).collect()
}

/// The same as in interpret mode in the simulator, which has to run every launch, and to see nothing wrong.
fn simulate(program: &Path, expected: &str, environment: &Environment) -> Result<(), String> {
    let run = run(program, expected, environment, Some(simulator()))?;
    let mut seen = seen(&run);
    if program.ends_with(format!("{}.py", SEEN.0)) {
        let all = seen.len();
        seen.retain(|what| !what.contains(SEEN.1));
        if seen.len() == all {
            return Err(format!("the simulator sees no more {}", SEEN.1));
        }
    }
    match seen.first() {
        Some(what) => Err(format!("the simulator saw {what}")),
        None if run.accelerated.is_empty() => Err("no launch ran in the simulator".to_string()),
        None => Ok(()),
    }
}

/// What is wrong in JAX's kernels, by program; `docs/findings-on-real-code.md` says why.
const TRUE: [(&str, &str); 1] = [("mosaic_gpu_blackwell_matmul", "PL402")];

fn check(program: &Path, environment: &Environment) -> Result<(), String> {
    let text = std::fs::read_to_string(program).map_err(|error| error.to_string())?;
    let options = AnalysisOptions {
        import_paths: vec![folder().display().to_string()],
        environment: environment.clone(),
        ..AnalysisOptions::new(Arc::new(Disk))
    };
    let analysis = Analysis::new(&program.display().to_string(), &text, &options);
    // That some of them take operands which nothing reads is true, and no mistake.
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    let is_true = |code: &str| TRUE.contains(&(&name, code));
    let mut findings = analysis.findings.iter();
    let finding = findings.find(|finding| finding.severity != Severity::Info && !is_true(finding.code));
    if let Some(finding) = finding {
        return Err(format!("a finding: {} {}", finding.code, finding.message));
    }
    match analysis.launches.is_empty() {
        true => Err("no launch was traced".to_string()),
        false => Ok(()),
    }
}

#[test]
fn jax_kernels_compute_what_jax_computes() {
    let environment = match environment() {
        Ok(environment) => environment,
        Err(why) => return println!("not run: {why}"),
    };
    let programs = programs();
    assert!(programs.len() >= 10, "only {} programs", programs.len());
    let mut failures = Vec::new();
    for (program, expected) in &programs {
        let run = run(program, expected, &environment, None).map(drop);
        let checks = [run, check(program, &environment)];
        failures.extend(checks.into_iter().filter_map(Result::err).map(|e| format!("{}\n{e}", program.display())));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Programs that do not compute the same there: kernels that reach into other devices, which a simulator of one does not have, and
/// some that wait for too little.
const OTHERWISE: [&str; 2] = ["mosaic_gpu_collectives", "mosaic_gpu_ragged_dot_unawaited"];

/// What the simulator rightly says of one that computes the same, too.
const SEEN: (&str, &str) = ("mosaic_gpu_blackwell_ragged_dot", "a race between blocks: tensor_");

#[test]
fn jax_kernels_for_gpus_compute_the_same_in_the_simulator() {
    let environment = match environment() {
        Ok(environment) => environment,
        Err(why) => return println!("not run: {why}"),
    };
    let mut failures = Vec::new();
    let mut simulated = 0;
    for (program, expected) in &programs() {
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        if !name.contains("gpu") || OTHERWISE.contains(&&*name) {
            continue;
        }
        simulated += 1;
        failures.extend(simulate(program, expected, &environment).err().map(|e| format!("{name}\n{e}")));
    }
    assert!(simulated >= 11, "only {simulated} programs");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The interpreter does products when they are started, the simulator as late as may be: JAX's ragged products, which wait for
/// none, differ there, and both say why.
#[test]
fn products_that_jax_does_not_wait_for_are_seen() {
    let environment = match environment() {
        Ok(environment) => environment,
        Err(why) => return println!("not run: {why}"),
    };
    let program = folder().join("mosaic_gpu_ragged_dot_unawaited.py");
    let expected = std::fs::read_to_string(program.with_extension("txt")).expect("a recording");
    let interpreted = run(&program, &expected, &environment, None).unwrap_or_else(|error| panic!("{error}"));
    assert!(interpreted.findings.iter().any(|finding| finding.code == "PL415"), "{:?}", interpreted.findings);
    let simulated = run(&program, &expected, &environment, Some(simulator()));
    assert!(simulated.is_err_and(|error| error.contains("should: ")), "the simulator waits");
}

#[test]
fn jax_kernels_are_traced_with_sizes_of_real_models() {
    let environment = match environment() {
        Ok(environment) => environment,
        Err(why) => return println!("not run: {why}"),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("coverage/jax");
    let paths = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let mut failures = Vec::new();
    let mut checked = 0;
    for program in paths.filter(|path| path.extension().is_some_and(|e| e == "py")) {
        checked += 1;
        failures.extend(check(&program, &environment).err().map(|error| format!("{}\n{error}", program.display())));
    }
    assert!(checked >= 11, "only {checked} programs");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn numbers_are_compared_by_their_dtype() {
    assert!(agrees("a float32[2] 1.00001 2 sum 3 3", "a float32[2] 1 2 sum 3 3"));
    assert!(!agrees("a float32[2] 1.001 2 sum 3 3", "a float32[2] 1 2 sum 3 3"));
    assert!(agrees("a float16[2] 1.001 2 sum 3 3", "a float16[2] 1 2 sum 3 3"));
    assert!(!agrees("a uint32[2] 1 2 sum 3", "a uint32[2] 1 3 sum 3"));
    assert!(!agrees("a float32[2] 1 2", "a float16[2] 1 2"));
    assert!(!agrees("a float32[2] 1 nan", "a float32[2] 1 2"));
    assert!(!agrees("refused", "Refused"));
}
