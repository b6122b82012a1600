//! Every launch of the samples, of the conformance programs, and of those in `tests/simt/kernels`, which show what only hardware can
//! do in its own way, and a kernel for each expression of `tests/lowering/answers.tsv` and `tests/simt/expressions.tsv`, lowered for
//! a GPU and run in the simulator of the SIMT IR, against interpret mode. Those that are not lowered, or mean to differ, stand in
//! `tests/simt/exceptions.txt` with the reason, and what became of each op of the kernel IR in `tests/simt/ops.txt`;
//! `SIMT_UPDATE=1` writes the tables anew.

use pallas_engine::ir::{Launch, OpKind, ops};
use pallas_engine::{Analysis, AnalysisOptions, Disk};
use pallas_tests::corpus::{check_table, concerns, each, programs, root};
use pallas_tests::simt::{Outcome, compare, expressions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// What the launches of a program came to.
#[derive(Default)]
struct Seen {
    equal: usize,
    /// A line for each launch that is not equal.
    others: Vec<String>,
    /// Ops of launches that are equal, and of all.
    lowered: BTreeSet<&'static str>,
    met: BTreeSet<&'static str>,
    /// What a refusal begins with, if that is an op's name, and the refusal.
    refused: BTreeMap<String, String>,
}

impl Seen {
    fn add(&mut self, other: Seen) {
        self.equal += other.equal;
        self.others.extend(other.others);
        self.lowered.extend(other.lowered);
        self.met.extend(other.met);
        self.refused.extend(other.refused);
    }
}

/// The ops of a launch, those of index maps and of pipelines in it included.
fn ops_of(launch: &Launch) -> BTreeSet<&'static str> {
    let maps = launch.operands.iter().filter_map(|operand| operand.index_map.as_ref());
    let functions = std::iter::once(&launch.kernel).chain(maps);
    functions.flat_map(|function| function.ops.iter().map(|op| op.op.0.name)).collect()
}

fn look(program: &Path) -> Seen {
    let mut options = AnalysisOptions { fuel: 50_000_000, ..AnalysisOptions::new(Arc::new(Disk)) };
    options.import_paths = vec![program.parent().expect("a folder").display().to_string()];
    let name = program.file_name().expect("a file").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(program).expect("a program, or a table");
    let is_table = program.extension().is_some_and(|extension| extension == "tsv");
    let (rows, text) = if is_table { (text.as_str(), expressions(&text)) } else { ("", text.clone()) };
    let analysis = Analysis::new(&program.display().to_string(), &text, &options);
    let mut seen = Seen::default();
    for (number, launch) in analysis.launches.iter().enumerate() {
        let ops = ops_of(launch);
        seen.met.extend(&ops);
        let why = match compare(launch) {
            Outcome::Equal => {
                seen.equal += 1;
                seen.lowered.extend(ops);
                continue;
            }
            Outcome::NotInterpreted(why) => format!("not interpreted: {why}"),
            Outcome::Refused(why) => {
                let op = why.split('`').nth(1).unwrap_or_default();
                seen.refused.insert(op.to_string(), why.clone());
                format!("refused: {why}")
            }
            Outcome::Wrong(why) => format!("differs: {why}"),
        };
        let expression = launch.kernel.name.strip_prefix("expression_").and_then(|n| n.parse::<usize>().ok());
        let what = match expression.and_then(|number| rows.lines().nth(number - 1)) {
            Some(row) => row.split('\t').take(2).collect::<Vec<_>>().join(" of "),
            None => format!("launch {number} {}", launch.kernel.name),
        };
        seen.others.push(format!("{name} {what}: {}", why.lines().next().unwrap_or_default()));
    }
    seen
}

/// What became of each op: a line for each that no equal launch has.
fn ops_without(seen: &Seen) -> Vec<String> {
    let wanting = ops::ALL.iter().filter(|def| !seen.lowered.contains(def.name));
    let line = |def: &&'static pallas_engine::ir::OpDef| match seen.refused.get(def.name) {
        Some(why) => format!("{}: {why}", def.name),
        None if matches!(def.kind, OpKind::Launch) => format!("{}: only outside of kernels", def.name),
        None if seen.met.contains(def.name) => {
            format!("{}: only in launches that are refused for something else", def.name)
        }
        None => format!("{}: in no kernel", def.name),
    };
    wanting.map(line).collect()
}

#[test]
fn launches_in_the_simulator_equal_interpret_mode() {
    let wanted = std::env::var("PROGRAM").unwrap_or_default();
    let mut all = programs("samples");
    all.extend(programs("tests/conformance"));
    all.extend(programs("tests/simt/kernels"));
    all.extend(["tests/lowering/answers.tsv", "tests/simt/expressions.tsv"].map(|table| root().join(table)));
    all.retain(|program| program.display().to_string().contains(&wanted));
    let mut seen = Seen::default();
    for part in each(&all, |program| look(program)) {
        seen.add(part);
    }
    let update = std::env::var("SIMT_UPDATE").is_ok() && wanted.is_empty();
    let launches = check_table("tests/simt/exceptions.txt", &seen.others, |line| concerns(&all, line), update);
    let ops = match wanted.is_empty() {
        true => check_table("tests/simt/ops.txt", &ops_without(&seen), |_| true, update),
        false => Ok(()),
    };
    let wrong: Vec<String> = [launches, ops].into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{} launches are equal. {}", seen.equal, wrong.join("\n"));
    assert!(!wanted.is_empty() || seen.equal >= 700, "only {} launches are equal", seen.equal);
}
