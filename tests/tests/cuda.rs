//! The CUDA C++ of the samples' kernels, compiled by NVRTC for three generations of GPUs: no GPU is needed, NVRTC is, and
//! without it the test says that it is skipped. PALLAS_CUDA_LIBRARIES names its folder; `.ci/run` fetches it. PROGRAM, a part of a
//! path, says which programs alone.

use pallas_engine::cuda::{disassemble, find};
use pallas_engine::simt::ir::{Combine, Op, Share, Space, TensorSource};
use pallas_engine::simt::{Architecture, Garbage, Options, Program, Tuning, Watched, compile, compile_with};
use pallas_engine::{Analysis, AnalysisOptions, Disk};
use pallas_ir::Role;
use pallas_tests::cuda::{CAPABILITIES, compile_all, compiler, places, say};
use pallas_tests::products;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Samples whose kernels have to do with the registers that there are.
const HELD: [&str; 11] = [
    "05_templated_matmul",
    "09_mixed_precision",
    "13_row_softmax",
    "14_layer_norm",
    "15_scratch_accumulator",
    "17_attention",
    "21_gpu_pipelined_matmul",
    "26_gpu_warp_specialized",
    "27_gpu_pipeline_callback",
    "34_gpu_mixed_precision",
    "35_gpu_parity",
];

/// A product whose left factor says beside which terms it has.
const SPARSE: &str = "a sparse product";

/// A product with scales.
const SCALED: &str = "UTCQMMA with scales";

/// The machine instruction that a program's SIMT instructions have to become and have not.
fn missing(program: &Program, sass: &str) -> Option<&'static str> {
    let mut wanted = Vec::new();
    program.kernel.body.walk(&mut |inst| match &inst.op {
        Op::Mma(mma) if mma.dtype.is_float() => wanted.push("HMMA"),
        Op::Mma(_) => wanted.push("IMMA"),
        Op::LoadMatrix { .. } => wanted.push("LDSM"),
        Op::CopyAhead { .. } => wanted.push("LDGSTS"),
        Op::Multiply(_) => wanted.push("HGMMA"),
        Op::CopyTensor(copy) => wanted.push(match copy.from {
            TensorSource::Scales(_) => "4x32dp128bit",
            TensorSource::Rows(_) => "UTCCP",
            TensorSource::Places(_) => "128dp128bit",
        }),
        Op::MultiplyTensor(product) if product.scales.is_some() => wanted.push(SCALED),
        Op::MultiplyTensor(product) if product.places.is_some() => wanted.push(SPARSE),
        Op::MultiplyTensor(product) => wanted.push(match (product.dtype.is_float(), product.dtype.bits()) {
            (true, 8) => "UTCQMMA",
            (false, _) => "UTCIMMA",
            _ if product.pair => "UTCHMMA.2CTA",
            _ => "UTCHMMA",
        }),
        Op::LoadTensor(_) => wanted.push("LDTM"),
        Op::BringBox { share: Share::All, .. } => wanted.push("MULTICAST"),
        Op::BringBox { share: Share::Leader, .. } => wanted.push("UTMALDG.2D.2CTA"),
        Op::BringBox { .. } => wanted.push("UTMALDG"),
        Op::SendBox { combine: Combine::Exchange, .. } => wanted.push("UTMASTG"),
        Op::SendBox { .. } => wanted.push("UTMAREDG"),
        Op::Arrive { .. } | Op::Await { .. } => wanted.push("SYNCS"),
        Op::Claim { .. } => wanted.push("UGETNEXTWORKID"),
        Op::SetRegisters(_) => wanted.push("USETMAXREG"),
        Op::Load { memory, vector, .. } => {
            let memory = program.kernel.memory(*memory);
            let bytes = memory.dtype.size_bytes() * *vector as usize;
            if bytes == 16 && matches!(memory.space, Space::Operand { .. }) {
                wanted.push("LDG.E.128");
            }
        }
        _ => {}
    });
    // Eight-bit factors have an instruction of their own name.
    let has = |what: &str| match what {
        "HMMA" => sass.contains("HMMA") || sass.contains("QMMA"),
        // Beside the sums and what is said of them, the scales are in tensor memory.
        SCALED => sass.lines().any(|line| line.contains("UTCQMMA") && line.matches("tmem[").count() == 3),
        SPARSE => sass.lines().any(|line| line.contains("MMA gdesc") && line.matches("tmem[").count() == 2),
        _ => sass.contains(what),
    };
    wanted.into_iter().find(|what| !has(what))
}

/// The samples' launches as programs for an architecture, each source once; how many launches the lowering refuses.
fn programs(architecture: Architecture) -> (Vec<(String, Program)>, BTreeMap<String, usize>) {
    let folders = ["../samples", "simt/kernels"].map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join(name));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("samples"));
    let mut samples: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    let wanted = std::env::var("PROGRAM").unwrap_or_default();
    samples.retain(|path| path.extension().is_some_and(|e| e == "py") && path.display().to_string().contains(&wanted));
    samples.sort();
    let (mut programs, mut refused): (Vec<(String, Program)>, BTreeMap<String, usize>) = Default::default();
    for sample in samples {
        let name = sample.file_stem().expect("a name").to_string_lossy().to_string();
        let text = fs::read_to_string(&sample).expect("the sample");
        let analysis = Analysis::new(&name, &text, &AnalysisOptions::new(Arc::new(Disk)));
        for launch in analysis.launches.iter().filter(|launch| launch.dynamic.is_empty()) {
            match compile(launch, architecture) {
                Ok(program) if programs.iter().any(|(_, known)| known.source == program.source) => {}
                Ok(program) => programs.push((format!("{name} {}", launch.kernel.name), program)),
                Err(refusal) => *refused.entry(refusal.message).or_default() += 1,
            }
        }
    }
    (programs, refused)
}

/// Products of every dtype, as programs for an architecture, those that the samples have none of.
fn products(architecture: Architecture) -> Vec<(String, Program)> {
    let made = |dtypes, terms_last| {
        let program = compile(&products::launch(dtypes, [64, 32, 64], terms_last), architecture);
        (format!("product of {dtypes:?}, {terms_last:?}"), program.expect("a program"))
    };
    let sides = [[true, false], [false, true]];
    products::DTYPES.iter().flat_map(|&dtypes| sides.map(|terms_last| made(dtypes, terms_last))).collect()
}

#[test]
fn the_samples_compile_for_three_generations() {
    let Some(compiler) = compiler("the samples' CUDA C++") else { return };
    let mut wrong = Vec::new();
    let disassembler = find(&places()).nvdisasm;
    if disassembler.is_none() {
        say("SKIPPED looking at machine code: there is no nvdisasm");
    }
    for capability in CAPABILITIES {
        let architecture = Architecture::new(capability);
        let name = architecture.name();
        let (mut programs, refused) = programs(architecture);
        assert!(!programs.is_empty() || std::env::var_os("PROGRAM").is_some(), "no sample is lowered");
        if std::env::var_os("PROGRAM").is_none() {
            programs.extend(products(architecture));
        }
        let mut spills = 0;
        for ((kernel, program), answer) in
            programs.iter().zip(compile_all(&compiler, architecture, programs.iter().map(|(_, program)| program)))
        {
            match answer {
                Ok(compiled) => {
                    let used = compiled.resources.unwrap_or_default();
                    if used.spills() {
                        spills += 1;
                        say(&format!("  {kernel} spills: {used:?}"));
                    }
                    // So have those that say themselves what is in registers.
                    let held = !program.kernel.maps.is_empty() || HELD.iter().any(|sample| kernel.starts_with(sample));
                    if used.spills() && held {
                        wrong.push(format!("{kernel} for {name} has too few registers: {used:?}"));
                    }
                    if compiled.log.contains("serialized") {
                        wrong.push(format!("{kernel} for {name} waits for each product at once: {}", compiled.log));
                    }
                    if let Some(tool) = &disassembler {
                        let sass = disassemble(tool, &compiled.cubin, &std::env::temp_dir())
                            .unwrap_or_else(|error| panic!("{error}"));
                        if let Some(what) = missing(program, &sass) {
                            wrong.push(format!("{kernel} for {name} has no {what}"));
                        }
                    }
                }
                Err(error) => wrong.push(format!("{kernel} for {name}: {error}")),
            }
        }
        let launches: usize = refused.values().sum();
        say(&format!(
            "{name}: {} kernels compiled, {spills} spill, {launches} launches are not lowered yet",
            programs.len()
        ));
        for (why, count) in refused {
            say(&format!("  {count} x {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn kernels_that_note_times_check_or_are_tuned_compile_too() {
    let Some(compiler) = compiler("the samples' CUDA C++") else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let tuning = Tuning { warps: Some(4), stages: Some(3) };
    for capability in CAPABILITIES {
        let architecture = Architecture::new(capability);
        let plain = Options::new(architecture);
        let checked = ("checked", Options { checked: true, traps_nan: true, ..plain });
        let timed = ("timed", Options { timed: true, ..plain });
        let mut kinds = vec![checked];
        if capability == Architecture::HOPPER.capability {
            kinds.extend([timed, ("tuned", Options { tuning, ..timed.1 })]);
        }
        let mut programs: Vec<(String, Program)> = Vec::new();
        for sample in HELD {
            let text = fs::read_to_string(folder.join(format!("{sample}.py"))).expect("the sample");
            let analysis = Analysis::new(sample, &text, &AnalysisOptions::new(Arc::new(Disk)));
            // Some are for Hopper alone.
            let Some(launch) = analysis.launches.iter().find(|launch| compile_with(launch, plain).is_ok()) else {
                assert_ne!(capability, Architecture::HOPPER.capability, "{sample} has no launch");
                continue;
            };
            let output = launch.with_role(Role::Output).next().map(|(operand, _)| Watched { operand, element: 0 });
            let watched = ("watched", Options { watched: output, garbage: Some(Garbage::EVERYWHERE), ..plain });
            for (kind, options) in kinds.iter().chain([&watched]) {
                programs.push((format!("{sample} {kind}"), compile_with(launch, *options).expect("a program")));
            }
        }
        for ((kernel, _), answer) in
            programs.iter().zip(compile_all(&compiler, architecture, programs.iter().map(|(_, program)| program)))
        {
            let compiled = answer.unwrap_or_else(|error| panic!("{kernel}: {error}\n{}", error.source_text));
            let used = compiled.resources.unwrap_or_default();
            assert!(!used.spills() || !kernel.ends_with("timed"), "{kernel} has too few registers: {used:?}");
        }
    }
}

/// What a program has that C++ could have no words for: scalar ops by dtype, instructions, atomics.
fn words(program: &Program) -> Vec<String> {
    let mut words = Vec::new();
    program.kernel.body.walk(&mut |inst| {
        let types = inst.operands.iter().chain(&inst.results).map(|&value| program.kernel.ty(value).dtype.short_name());
        let types: Vec<&str> = types.collect();
        words.push(match &inst.op {
            Op::Scalar(op, _) => format!("{} {types:?}", op.name),
            Op::Atomic { combine, .. } => format!("{combine:?} {types:?}"),
            Op::Load { .. } => format!("load {types:?}"),
            Op::Store { .. } => format!("store {types:?}"),
            _ => String::new(),
        });
    });
    words
}

/// Kernels of one op or so, which the samples do not have: that each is C++ at all. One for each thing that is to be said in C++.
#[test]
fn the_expressions_compile() {
    let Some(compiler) = compiler("the samples' CUDA C++") else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut programs: Vec<(String, Program)> = Vec::new();
    let mut said: HashSet<String> = HashSet::new();
    for table in [
        "lowering/answers.tsv",
        "simt/expressions.tsv",
        "conformance/triton_atomics.py",
        "simt/kernels/atomic_bits.py",
        "simt/kernels/ref_bitcasts_written.py",
        "conformance/ref_bitcasts.py",
    ] {
        let rows = fs::read_to_string(folder.join(table)).expect("the table");
        let options = AnalysisOptions { fuel: 50_000_000, ..AnalysisOptions::new(Arc::new(Disk)) };
        let text = if table.ends_with(".tsv") { pallas_tests::simt::expressions(&rows) } else { rows.clone() };
        let analysis = Analysis::new(table, &text, &options);
        for launch in &analysis.launches {
            let number = launch.kernel.name.strip_prefix("expression_").and_then(|number| number.parse::<usize>().ok());
            let row = number.and_then(|number| rows.lines().nth(number - 1)).unwrap_or_default();
            if let Ok(program) = compile(launch, Architecture::HOPPER) {
                let known = said.len();
                said.extend(words(&program));
                if said.len() > known {
                    programs.push((row.to_string(), program));
                }
            }
        }
    }
    assert!(programs.len() > 150, "only {} expressions say something new", programs.len());
    let answers = compile_all(&compiler, Architecture::HOPPER, programs.iter().map(|(_, program)| program));
    let wrong: Vec<String> = programs
        .iter()
        .zip(answers)
        .filter_map(|((row, _), answer)| answer.err().map(|error| format!("{row}: {error}")))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}
