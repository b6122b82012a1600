//! Every launch of the samples, of the conformance programs and of those for the simulator, and a kernel for each expression of its
//! tables, compiled by NVRTC to PTX, and run on the machine of `tests/ptx` by the host side that a GPU gets, against interpret mode: for
//! Ampere and for Hopper, the samples for Hopper with checks and with notes of time, too. No GPU is needed, NVRTC is, and without it the test says
//! that it is skipped. Those that mean to differ, or that the machine cannot run, stand in `tests/ptx/exceptions.txt` with the reason;
//! `PTX_UPDATE=1` writes it anew. PROGRAM, a part of a path, says which programs alone; PTX_KEEP names a folder for the PTX.

use pallas_engine::simt::{Architecture, Options, compile_with};
use pallas_engine::{Analysis, AnalysisOptions, Disk};
use pallas_tests::corpus::{check_table, concerns, each, programs, root};
use pallas_tests::cuda::{compiler, say};
use pallas_tests::ptx::{Ran, compare, expected};
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

/// Ways to compile a launch: for what, and with what in it.
fn ways() -> [(&'static str, Options); 4] {
    let ampere = Options::new(Architecture::new(80));
    let hopper = Options::new(Architecture::HOPPER);
    let checked = Options { checked: true, traps_nan: true, ..hopper };
    let timed = Options { timed: true, ..hopper };
    [("sm_80", ampere), ("sm_90a", hopper), ("sm_90a checked", checked), ("sm_90a timed", timed)]
}

fn look(compiler: &pallas_engine::cuda::Compiler, program: &Path) -> Seen {
    let mut options = AnalysisOptions { fuel: 50_000_000, ..AnalysisOptions::new(Arc::new(Disk)) };
    options.import_paths = vec![program.parent().expect("a folder").display().to_string()];
    let name = program.file_name().expect("a file").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(program).expect("a program, or a table");
    let is_sample = program.parent() == Some(&*root().join("samples"));
    let is_table = program.extension().is_some_and(|extension| extension == "tsv");
    let (rows, text) = if is_table { (text.as_str(), expressions(&text)) } else { ("", text.clone()) };
    let analysis = Analysis::new(&program.display().to_string(), &text, &options);
    let mut seen = Seen::default();
    let mut looked_at = HashSet::new();
    for (number, launch) in analysis.launches.iter().enumerate() {
        let mut launch = (**launch).clone();
        for axis in std::mem::take(&mut launch.dynamic) {
            launch.grid[axis] = 2;
        }
        // What a tensor core of Blackwell does has no machine here.
        if Architecture::meant_by(&launch) != Architecture::HOPPER || !looked_at.insert(launch.to_string()) {
            continue;
        }
        let Some(arrays) = expected(&launch) else { continue };
        // What is printed alike is compiled once. Most of the time is NVRTC's, so what checks and notes add is looked at in the samples alone.
        let mut printed = HashSet::new();
        for (way, options) in ways().into_iter().filter(|(_, options)| is_sample || !(options.timed || options.checked))
        {
            let Ok(lowered) = compile_with(&launch, options) else { continue };
            if !printed.insert(lowered.source.clone()) {
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
            seen.others.push(line);
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
    for part in each(&all, |program| look(&compiler, program)) {
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
