//! The CUDA C++ of every launch of the conformance programs, compiled to machine code by NVRTC for three generations of GPUs, and for
//! Hopper as it is with checks and with notes of time too: no GPU is needed, NVRTC is, and without it the test says that it is
//! skipped. PROGRAM, a part of a path, says which programs alone, and CUDA_WAY, `sm_90a` or `sm_90a checked`, which way; CUDA_TABLE, the
//! path of a file, wants a table there of what they weigh, the heaviest first.
//!
//! None of them spills but those in [`SPILLS`]. What is not lowered at all stands in `tests/simt/exceptions.txt`.

use pallas_engine::cuda::{Compiled, Compiler, disassemble, find};
use pallas_engine::environment::Wanted;
use pallas_engine::simt::{Architecture, Garbage, Options, Program, compile_with};
use pallas_engine::{Analysis, AnalysisOptions, Disk, Environment};
use pallas_tests::corpus::{each, programs};
use pallas_tests::cuda::{CAPABILITIES, compile_all, compiler, places, say};
use pallas_tests::machine_code::Weight;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Launches that spill, and why that is right.
const SPILLS: [(&str, &str); 0] = [];

/// Ways to compile a launch: for what, and with what in it.
fn ways() -> Vec<(String, Options)> {
    let plain = |capability| Options::new(Architecture::new(capability));
    let named = |capability| (Architecture::new(capability).name(), plain(capability));
    let hopper = plain(Architecture::HOPPER.capability);
    let checked = Options { checked: true, traps_nan: true, garbage: Some(Garbage::default()), ..hopper };
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

/// An installed JAX that `PALLAS_PYTHON` names.
fn jax(skipped: &str) -> Option<Environment> {
    let named = std::env::var("PALLAS_PYTHON").unwrap_or_default();
    let wanted = Wanted { python: Some(&named), virtual_env: None, script: "" };
    let environment = Environment::find(&Disk, &wanted);
    let found = !named.is_empty() && environment.problem.is_none();
    if !found {
        say(&format!("SKIPPED {skipped}: PALLAS_PYTHON names no Python environment"));
    }
    found.then_some(environment)
}

/// The launches of JAX's own kernels, from programs of a folder.
fn jax_launches(environment: &Environment, folder: &str, named: &str) -> Vec<(String, Vec<Option<Program>>)> {
    let mut paths = programs(folder);
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(named)));
    each(&paths, |path| lowered(path, environment)).into_iter().flatten().collect()
}

/// What does not compile for a generation, spills, or waits for each product at once, by launch.
fn spilling<'a>(
    compiler: &Compiler,
    options: &Options,
    launches: impl IntoIterator<Item = (&'a String, &'a Program)>,
) -> Vec<String> {
    let (names, programs): (Vec<_>, Vec<_>) = launches.into_iter().unzip();
    let way = options.architecture.name();
    let answers = compile_all(compiler, options.architecture, programs);
    let wrong = names.iter().zip(answers).filter_map(|(name, answer)| match answer {
        Ok(compiled) if compiled.log.contains("serialized") => {
            Some(format!("{name} {way} waits for each product at once: {}", compiled.log))
        }
        Ok(compiled) if !compiled.resources.unwrap_or_default().spills() => None,
        Ok(compiled) => Some(format!("{name} {way} spills: {:?}", compiled.resources)),
        Err(error) => Some(format!("{name} {way}: {error}")),
    });
    wrong.collect()
}

/// JAX's own kernels with sizes of real models: attention with its backward kernels, decoding from pages, normalisations, softmax.
/// None of them spills.
#[test]
fn jax_kernels_for_triton_compile_without_a_spill() {
    let Some(environment) = jax("JAX's own kernels") else { return };
    let Some(compiler) = compiler("JAX's own kernels") else { return };
    let launches = jax_launches(&environment, "tests/coverage/jax", "triton_");
    assert!(launches.len() >= 20, "only {} launches", launches.len());
    let mut wrong = Vec::new();
    for (number, (_, options)) in ways().iter().enumerate().take(CAPABILITIES.len()) {
        let all = launches
            .iter()
            .map(|(name, programs)| (name, programs[number].as_ref().expect("every device has what they ask for")));
        wrong.extend(spilling(&compiler, options, all));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// JAX's own kernels for warpgroups, each for the generation that it is meant for: products, attention with its backward kernels, ragged
/// products. None of them spills, and each multiplies by warpgroups.
#[test]
fn jax_kernels_for_warpgroups_compile_without_a_spill() {
    let Some(environment) = jax("JAX's own kernels for warpgroups") else { return };
    let Some(compiler) = compiler("JAX's own kernels for warpgroups") else { return };
    let launches = jax_launches(&environment, "tests/ops", "mosaic_gpu_");
    let mut wrong = Vec::new();
    for (number, (way, options)) in ways().iter().enumerate().take(CAPABILITIES.len()) {
        let all: Vec<_> =
            launches.iter().filter_map(|(name, programs)| Some((name, programs[number].as_ref()?))).collect();
        let multiply = all.iter().filter(|(_, program)| {
            program.source.contains("wgmma.mma_async") || program.source.contains("tcgen05.mma")
        });
        // Those that reduce what others have computed do not.
        say(&format!("{way}: {} kernels, {} multiply by warpgroups", all.len(), multiply.clone().count()));
        assert_eq!(multiply.count() > 0, options.architecture.capability >= 90, "{way}");
        wrong.extend(spilling(&compiler, options, all));
    }
    assert!(launches.len() >= 20, "only {} launches", launches.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What kernels weigh, where somebody wants to know.
struct Table {
    file: PathBuf,
    disassembler: PathBuf,
    rows: Vec<(Weight, String)>,
}

impl Table {
    fn wanted() -> Option<Table> {
        let file = PathBuf::from(std::env::var_os("CUDA_TABLE")?);
        let disassembler = find(&places()).nvdisasm.expect("CUDA_TABLE needs nvdisasm");
        Some(Table { file, disassembler, rows: Vec::new() })
    }

    fn row(&mut self, name: &str, compiled: &Compiled) {
        let listing = disassemble(&self.disassembler, &compiled.cubin, &std::env::temp_dir()).expect("machine code");
        let weight = Weight::of(&listing);
        let Weight { instructions, local, inner, inner_local } = weight;
        let used = compiled.resources.unwrap_or_default();
        let spilled = used.spill_stores + used.spill_loads;
        let columns = [spilled as usize, local, inner_local, inner, instructions, used.registers as usize];
        let columns = columns.map(|column| format!("{column:>12}"));
        self.rows.push((weight, format!("{} {name}", columns.join(" "))));
    }

    fn write(mut self) {
        self.rows.sort_by_key(|(weight, _)| std::cmp::Reverse((weight.inner_local, weight.local, weight.inner)));
        let head = ["spilled", "local", "local inside", "inner loop", "instructions", "registers"];
        let mut text = format!("{} kernel\n", head.map(|name| format!("{name:>12}")).join(" "));
        self.rows.iter().for_each(|(_, row)| text.extend([row, "\n"]));
        std::fs::write(&self.file, text).expect("the table is written");
    }
}

#[test]
fn the_conformance_programs_compile() {
    let Some(compiler) = compiler("the CUDA C++ of the conformance programs") else { return };
    let wanted = std::env::var("PROGRAM").unwrap_or_default();
    let mut paths = programs("tests/conformance");
    paths.retain(|path| path.display().to_string().contains(&wanted));
    let launches: Vec<_> = each(&paths, |path| lowered(path, &Environment::default())).into_iter().flatten().collect();
    let (mut wrong, mut spills) = (Vec::new(), Vec::new());
    let mut table = Table::wanted();
    let one_way = std::env::var("CUDA_WAY").ok();
    let taken = |way: &str| one_way.as_ref().is_none_or(|one| one == way);
    for (number, (way, options)) in ways().iter().enumerate().filter(|(_, (way, _))| taken(way)) {
        let mine = launches.iter().filter_map(|(name, programs)| Some((name, programs[number].as_ref()?)));
        let (names, mine): (Vec<_>, Vec<_>) = mine.unzip();
        say(&format!("{way}: {} kernels", mine.len()));
        for (name, answer) in names.iter().zip(compile_all(&compiler, options.architecture, mine)) {
            if let (Some(table), Ok(compiled)) = (&mut table, &answer) {
                table.row(&format!("{name} {way}"), compiled);
            }
            match answer {
                Ok(compiled) if compiled.resources.unwrap_or_default().spills() => {
                    say(&format!("  {name} spills: {:?}", compiled.resources));
                    spills.push(format!("{name} {way}"));
                }
                Ok(compiled) if compiled.log.contains("serialized") => {
                    wrong.push(format!("{name} {way} waits for each product at once: {}", compiled.log));
                }
                Ok(_) => {}
                Err(error) => wrong.push(format!("{name} {way}: {error}\n{}", error.source_text)),
            }
        }
    }
    if let Some(table) = table {
        table.write();
    }
    assert!(!wanted.is_empty() || launches.len() > 300, "only {} launches are lowered", launches.len());
    let known = |launch: &str| SPILLS.iter().any(|(known, _)| *known == launch);
    wrong.extend(spills.iter().filter(|launch| !known(launch)).map(|launch| format!("{launch} spills")));
    let looked_at =
        |launch: &str| launch.contains(&wanted) && ways().iter().any(|(way, _)| taken(way) && launch.ends_with(way));
    let gone = SPILLS.iter().filter(|(launch, _)| looked_at(launch) && !spills.iter().any(|s| s == launch));
    wrong.extend(gone.map(|(launch, _)| format!("{launch} spills no longer")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
