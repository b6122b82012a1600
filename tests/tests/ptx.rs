//! Every launch of the samples, of the conformance programs and of those for the simulator, and a kernel for each expression of its
//! tables, compiled by NVRTC to PTX, and run on the machine of `tests/ptx` by the host side that a GPU gets, against interpret mode: for
//! Ampere and for Hopper, the samples for Hopper with checks and with notes of time, too, and for Blackwell the samples and what is only for
//! it; and some of those without one of their waits or fences. No GPU is needed, NVRTC is, and without it the tests say that they are
//! skipped. Those that mean to differ, or that the machine cannot run, stand in `tests/ptx/exceptions.txt` with the reason;
//! `PTX_UPDATE=1` writes it anew. PROGRAM, a part of a path, says which programs alone; PTX_KEEP names a folder for the PTX.

use pallas_engine::cuda::Compiler;
use pallas_engine::simt::{Architecture, Options, compile_with};
use pallas_engine::{Analysis, AnalysisOptions, Disk, Environment, Launch};
use pallas_tests::corpus::{check_table, concerns, each, programs, root};
use pallas_tests::cuda::{compiler, say};
use pallas_tests::jax::environment;
use pallas_tests::ptx::{Ran, compare, compiled, expected, on_machine, with_slow};
use pallas_tests::simt::expressions;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// What the launches of a program came to.
#[derive(Default)]
struct Seen {
    equal: usize,
    too_long: usize,
    instructions: u64,
    /// A line for each launch that is not equal.
    others: Vec<String>,
}

/// Ways to compile a launch: for what, and with what in it. Most of the time is NVRTC's, so what checks and notes add is looked at in the
/// samples alone, and in what is Blackwell's, which is compiled for nothing else.
fn ways(launch: &Launch, is_sample: bool) -> Vec<(&'static str, Options)> {
    let checked = |options: Options| Options { checked: true, traps_nan: true, ..options };
    let timed = |options: Options| Options { timed: true, ..options };
    let blackwell = Options::new(Architecture::new(100));
    if Architecture::meant_by(launch) != Architecture::HOPPER {
        return vec![
            ("sm_100a", blackwell),
            ("sm_100a checked", checked(blackwell)),
            ("sm_100a timed", timed(blackwell)),
        ];
    }
    let ampere = Options::new(Architecture::new(80));
    let hopper = Options::new(Architecture::HOPPER);
    let mut ways = vec![("sm_80", ampere), ("sm_90a", hopper)];
    if is_sample {
        ways.extend([("sm_100a", blackwell), ("sm_90a checked", checked(hopper)), ("sm_90a timed", timed(hopper))]);
    }
    ways
}

/// A line of the table for what a launch came to. Where blocks race on purpose, values change with whatever changes the code: the table has
/// a line without them, written by hand once.
fn told(line: &str, table: &str) -> String {
    let short = line.split_once(": element ").map(|(launch, _)| format!("{launch} differs"));
    short.filter(|short| table.lines().any(|told| told == short)).unwrap_or_else(|| line.to_string())
}

/// The launches of a program of Python, with its imports from where it stands.
fn analysed(path: &str, text: &str, folder: &Path, environment: &Environment) -> Analysis {
    let mut options = AnalysisOptions { fuel: 50_000_000, ..AnalysisOptions::new(Arc::new(Disk)) };
    options.import_paths = vec![folder.display().to_string()];
    options.environment = environment.clone();
    Analysis::new(path, text, &options)
}

fn look(compiler: &Compiler, program: &Path, table: &str, environment: &Environment) -> Seen {
    let name = program.file_name().expect("a file").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(program).expect("a program, or a table");
    let is_sample = program.parent() == Some(&*root().join("samples"));
    let is_table = program.extension().is_some_and(|extension| extension == "tsv");
    let (rows, text) = if is_table { (text.as_str(), expressions(&text)) } else { ("", text.clone()) };
    let analysis = analysed(&program.display().to_string(), &text, program.parent().expect("a folder"), environment);
    let mut seen = Seen::default();
    let mut looked_at = HashSet::new();
    for (number, launch) in analysis.launches.iter().enumerate() {
        let mut launch = (**launch).clone();
        for axis in std::mem::take(&mut launch.dynamic) {
            launch.grid[axis] = 2;
        }
        if !looked_at.insert(launch.to_string()) {
            continue;
        }
        let Some(arrays) = expected(&launch) else { continue };
        // What is printed alike is compiled once, and for Blackwell once more: NVRTC has instructions for it that others do not have.
        let mut printed = HashSet::new();
        for (way, options) in ways(&launch, is_sample) {
            let Ok(lowered) = compile_with(&launch, options) else { continue };
            if !printed.insert((lowered.source.clone(), options.architecture == Architecture::new(100))) {
                continue;
            }
            let why = match compare(compiler, &launch, options, &lowered, &arrays) {
                Ran::Equal(instructions) => {
                    seen.equal += 1;
                    seen.instructions += instructions;
                    continue;
                }
                Ran::TooLong => {
                    seen.too_long += 1;
                    continue;
                }
                Ran::Wrong(why) => why,
            };
            let expression = launch.kernel.name.strip_prefix("expression_").and_then(|n| n.parse::<usize>().ok());
            let what = match expression.and_then(|number| rows.lines().nth(number - 1)) {
                Some(row) => row.split('\t').take(2).collect::<Vec<_>>().join(" of "),
                None => format!("launch {number} {}", launch.kernel.name),
            };
            let line = format!("{name} {what} {way}: {}", why.lines().next().unwrap_or_default());
            say(&line);
            seen.others.push(told(&line, table));
        }
    }
    seen
}

#[test]
fn launches_on_the_machine_equal_interpret_mode() {
    let Some(compiler) = compiler("PTX on the machine") else { return };
    let wanted = std::env::var("PROGRAM").unwrap_or_default();
    let mut all = programs("samples");
    all.extend(programs("tests/conformance"));
    all.extend(programs("tests/simt/kernels"));
    all.extend(["tests/lowering/answers.tsv", "tests/simt/expressions.tsv"].map(|table| root().join(table)));
    all.retain(|program| program.display().to_string().contains(&wanted));
    let mut seen = Seen::default();
    let table = std::fs::read_to_string(root().join("tests/ptx/exceptions.txt")).expect("the table");
    for part in each(&all, |program| look(&compiler, program, &table, &Environment::default())) {
        seen.equal += part.equal;
        seen.too_long += part.too_long;
        seen.instructions += part.instructions;
        seen.others.extend(part.others);
    }
    let Seen { equal, too_long, instructions, others } = seen;
    say(&format!(
        "{equal} are equal after {instructions} instructions of warps, {too_long} take too long and are left out"
    ));
    let update = std::env::var("PTX_UPDATE").is_ok() && wanted.is_empty();
    let checked = check_table("tests/ptx/exceptions.txt", &others, |line| concerns(&all, line), update);
    assert!(checked.is_ok(), "{equal} are equal. {}", checked.err().unwrap_or_default());
    assert!(!wanted.is_empty() || equal >= 800, "only {equal} are equal");
}

/// JAX's ragged products for Hopper wait for too little (`docs/findings-on-real-code.md`, PL415), and so they are stopped.
const UNAWAITED: (&str, &str) =
    ("mosaic_gpu_ragged_dot", "shared memory was written that a product on its way may still read");

/// The kernels for GPUs that JAX itself carries, where `PALLAS_PYTHON` names an environment with it.
#[test]
fn jax_kernels_on_the_machine_equal_interpret_mode() {
    let Some(compiler) = compiler("JAX's kernels on the machine") else { return };
    let environment = match environment() {
        Ok(environment) => environment,
        Err(why) => return say(&format!("SKIPPED JAX's kernels on the machine: {why}")),
    };
    let wanted = std::env::var("PROGRAM").unwrap_or_default();
    let mut all = programs("tests/ops");
    all.retain(|program| program.display().to_string().contains("gpu_"));
    all.retain(|program| program.display().to_string().contains(&wanted));
    let parts = each(&all, |program| look(&compiler, program, "", &environment));
    let equal: usize = parts.iter().map(|part| part.equal).sum();
    let known = |line: &&String| line.starts_with(UNAWAITED.0) && line.contains(UNAWAITED.1);
    let (unawaited, others): (Vec<&String>, Vec<&String>) = parts.iter().flat_map(|part| &part.others).partition(known);
    say(&format!("{equal} launches of JAX's kernels are equal, {} are stopped", unawaited.len()));
    assert!(others.is_empty(), "{others:#?}");
    assert!(!wanted.is_empty() || equal >= 60 && unawaited.len() == 3, "{equal} are equal, {unawaited:#?} are not");
}

/// What orders accesses to tensor memory is needed, each kind of it: without it a program stops, or comes to something else.
#[test]
fn waits_and_fences_of_tensor_memory_are_missed() {
    let Some(compiler) = compiler("PTX without its waits") else { return };
    let kinds = [
        "tcgen05.wait::ld.sync.aligned;",
        "tcgen05.wait::st.sync.aligned;",
        "tcgen05.fence::before_thread_sync;",
        "tcgen05.fence::after_thread_sync;",
        "tcgen05.commit.",
        "tcgen05.dealloc.",
        "mbarrier.try_wait.",
    ];
    let mut missed = [0; 7];
    for name in ["blackwell_factors.py", "blackwell_scales.py", "blackwell_scopes.py", "blackwell_four_bits.py"] {
        let program = root().join("tests/simt/kernels").join(name);
        let text = std::fs::read_to_string(&program).expect("a program");
        let analysis = analysed(name, &text, program.parent().expect("a folder"), &Environment::default());
        // The last launches are those with a factor in tensor memory, and with scales.
        for launch in analysis.launches.iter().rev().take(2) {
            let options = Options::new(Architecture::meant_by(launch));
            let arrays = expected(launch).expect("interpret mode runs it");
            let lowered = compile_with(launch, options).expect("it is lowered");
            let ptx = compiled(&compiler, options, &lowered).expect("NVRTC compiles it");
            assert!(matches!(on_machine(launch, options, &lowered, &ptx, &arrays), Ran::Equal(_)), "{name}");
            for (kind, missed) in kinds.iter().zip(&mut missed) {
                let kept = |line: &&str| !line.contains(kind);
                let without: String = ptx.lines().filter(kept).flat_map(|line| [line, "\n"]).collect();
                if without.len() < ptx.len() {
                    let ran = on_machine(launch, options, &lowered, &without, &arrays);
                    assert!(!matches!(ran, Ran::Equal(_)), "{name} is right without {kind}");
                    *missed += 1;
                }
            }
        }
    }
    assert!(missed.iter().all(|missed| *missed > 0), "some of {kinds:?} are in no program: {missed:?}");
}

/// Every warp may be the slow one, which goes on only where all others wait for something: it sees every phase that it waits for, although those
/// of others might be two phases ahead, which have the same parity.
#[test]
fn warps_that_are_slow_see_every_phase() {
    let Some(compiler) = compiler("PTX with slow warps") else { return };
    let mut all = programs("tests/simt/kernels");
    all.retain(|program| {
        ["blackwell_", "hopper_", "cluster_"].iter().any(|name| program.display().to_string().contains(name))
    });
    let parts = each(&all, |program| {
        let (name, text) = (program.display().to_string(), std::fs::read_to_string(program).expect("a program"));
        let analysis = analysed(&name, &text, program.parent().expect("a folder"), &Environment::default());
        let (mut ran, mut wrong) = (0, Vec::new());
        for (number, launch) in analysis.launches.iter().enumerate() {
            let options = Options::new(Architecture::meant_by(launch));
            let (Some(arrays), Ok(lowered)) = (expected(launch), compile_with(launch, options)) else { continue };
            let ptx = compiled(&compiler, options, &lowered).expect("NVRTC compiles it");
            let warps = lowered.threads as usize / 32 * lowered.kernel.cluster as usize;
            for slow in (0..warps).map(Some) {
                match with_slow(launch, options, &lowered, &ptx, &arrays, slow) {
                    Ran::Wrong(why) => wrong.push(format!("{name} launch {number}, warp {slow:?}: {why}")),
                    _ => ran += 1,
                }
            }
        }
        (ran, wrong)
    });
    let (ran, wrong): (Vec<usize>, Vec<Vec<String>>) = parts.into_iter().unzip();
    let (ran, wrong) = (ran.into_iter().sum::<usize>(), wrong.concat());
    say(&format!("{ran} launches with a slow warp are equal"));
    assert!(wrong.is_empty(), "{ran} are equal, others not: {wrong:#?}");
    assert!(ran >= 200, "only {ran}");
}

/// A program that reads sums while the next product writes them is stopped, as its finding says.
#[test]
fn sums_that_are_read_too_late_are_missed() {
    let Some(compiler) = compiler("PTX of a race") else { return };
    let program = root().join("tests/findings/gpu_twin_tensor_memory.py");
    let text = std::fs::read_to_string(&program).expect("a program");
    let analysis = analysed("twin.py", &text, program.parent().expect("a folder"), &Environment::default());
    let launch = analysis.launches.first().expect("a launch");
    let options = Options::new(Architecture::meant_by(launch));
    let arrays = expected(launch).expect("interpret mode runs it");
    let lowered = compile_with(launch, options).expect("it is lowered");
    let ran = compare(&compiler, launch, options, &lowered, &arrays);
    assert!(matches!(&ran, Ran::Wrong(why) if why.contains("may still write here")), "{ran:?}");
}
