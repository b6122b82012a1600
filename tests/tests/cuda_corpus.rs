//! The CUDA C++ of every launch of the conformance programs, compiled to machine code by NVRTC for three generations of GPUs, and for
//! Hopper as it is with checks and with notes of time too: no GPU is needed, NVRTC is, and without it the test says that it is
//! skipped. PROGRAM, a part of a path, says which programs alone.
//!
//! None of them spills but those in [`SPILLS`]. What is not lowered at all stands in `tests/simt/exceptions.txt`.

use pallas_engine::environment::Wanted;
use pallas_engine::simt::{Architecture, Options, Program, compile_with};
use pallas_engine::{Analysis, AnalysisOptions, Disk, Environment};
use pallas_tests::corpus::{each, programs};
use pallas_tests::cuda::{CAPABILITIES, compile_all, compiler, say};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// Eight bytes of a kernel with 32 registers, also where it may have more.
const AN_ADDRESS: &str = "the assembler puts an address aside, once";

/// Launches that spill, and why that is right.
const SPILLS: [(&str, &str); 2] = [
    ("tpu_emit_pipeline.py launch 24 inside sm_90a checked", AN_ADDRESS),
    ("tpu_emit_pipeline.py launch 25 inside sm_90a checked", AN_ADDRESS),
];

/// Ways to compile a launch: for what, and with what in it.
fn ways() -> Vec<(String, Options)> {
    let plain = |capability| Options::new(Architecture::new(capability));
    let named = |capability| (Architecture::new(capability).name(), plain(capability));
    let hopper = plain(Architecture::HOPPER.capability);
    let checked = Options { checked: true, traps_nan: true, ..hopper };
    let told = [("checked", checked), ("timed", Options { timed: true, ..hopper })];
    let told = told.map(|(what, options)| (format!("{} {what}", options.architecture.name()), options));
    CAPABILITIES.into_iter().map(named).chain(told).collect()
}

/// The launches of a program, by name, with what each way makes of them.
fn lowered(path: &Path, environment: &Environment) -> Vec<(String, Vec<Option<Program>>)> {
    let mut options = AnalysisOptions { fuel: 50_000_000, ..AnalysisOptions::new(Arc::new(Disk)) };
    options.environment = environment.clone();
    options.import_paths = vec![path.parent().expect("a folder").display().to_string()];
    let text = std::fs::read_to_string(path).expect("a program");
    let analysis = Analysis::new(&path.display().to_string(), &text, &options);
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for (number, launch) in analysis.launches.iter().enumerate() {
        let mut launch = (**launch).clone();
        for axis in std::mem::take(&mut launch.dynamic) {
            launch.grid[axis] = 2;
        }
        let programs: Vec<_> = ways().iter().map(|(_, options)| compile_with(&launch, *options).ok()).collect();
        // Lowered for none, or a launch like another one.
        let Some(first) = programs.iter().flatten().next() else { continue };
        if seen.insert(first.source.clone()) {
            all.push((format!("{file} launch {number} {}", launch.kernel.name), programs));
        }
    }
    all
}

/// JAX's own kernels with sizes of real models, from an installed JAX that `PALLAS_PYTHON` names: attention with its backward kernels,
/// decoding from pages, normalisations, softmax. None of them spills.
#[test]
fn jax_kernels_for_triton_compile_without_a_spill() {
    let named = std::env::var("PALLAS_PYTHON").unwrap_or_default();
    let wanted = Wanted { python: Some(&named), virtual_env: None, script: "" };
    let environment = Environment::find(&Disk, &wanted);
    if named.is_empty() || environment.problem.is_some() {
        return say("SKIPPED JAX's own kernels: PALLAS_PYTHON names no Python environment");
    }
    let Some(compiler) = compiler("JAX's own kernels") else { return };
    let mut paths = programs("tests/coverage/jax");
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("triton_")));
    let launches: Vec<_> = each(&paths, |path| lowered(path, &environment)).into_iter().flatten().collect();
    assert!(launches.len() >= 20, "only {} launches", launches.len());
    let mut wrong = Vec::new();
    for (number, (way, options)) in ways().iter().enumerate().take(CAPABILITIES.len()) {
        let all =
            launches.iter().map(|(_, programs)| programs[number].as_ref().expect("every device has what they ask for"));
        for ((name, _), answer) in launches.iter().zip(compile_all(&compiler, options.architecture, all)) {
            match answer {
                Ok(compiled) if !compiled.resources.unwrap_or_default().spills() => {}
                Ok(compiled) => wrong.push(format!("{name} {way} spills: {:?}", compiled.resources)),
                Err(error) => wrong.push(format!("{name} {way}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_conformance_programs_compile() {
    let Some(compiler) = compiler("the CUDA C++ of the conformance programs") else { return };
    let wanted = std::env::var("PROGRAM").unwrap_or_default();
    let mut paths = programs("tests/conformance");
    paths.retain(|path| path.display().to_string().contains(&wanted));
    let launches: Vec<_> = each(&paths, |path| lowered(path, &Environment::default())).into_iter().flatten().collect();
    let (mut wrong, mut spills) = (Vec::new(), Vec::new());
    for (number, (way, options)) in ways().iter().enumerate() {
        let mine = launches.iter().filter_map(|(name, programs)| Some((name, programs[number].as_ref()?)));
        let (names, mine): (Vec<_>, Vec<_>) = mine.unzip();
        say(&format!("{way}: {} kernels", mine.len()));
        for (name, answer) in names.iter().zip(compile_all(&compiler, options.architecture, mine)) {
            match answer {
                Ok(compiled) if compiled.resources.unwrap_or_default().spills() => {
                    say(&format!("  {name} spills: {:?}", compiled.resources));
                    spills.push(format!("{name} {way}"));
                }
                Ok(_) => {}
                Err(error) => wrong.push(format!("{name} {way}: {error}\n{}", error.source_text)),
            }
        }
    }
    assert!(!wanted.is_empty() || launches.len() > 300, "only {} launches are lowered", launches.len());
    let known = |launch: &str| SPILLS.iter().any(|(known, _)| *known == launch);
    wrong.extend(spills.iter().filter(|launch| !known(launch)).map(|launch| format!("{launch} spills")));
    let gone = SPILLS.iter().filter(|(launch, _)| launch.contains(&wanted) && !spills.iter().any(|s| s == launch));
    wrong.extend(gone.map(|(launch, _)| format!("{launch} spills no longer")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
