//! Every launch of the samples, the conformance programs and some grids as Tile IR, computed by what the IR means, against interpret mode.
//! Those that have no Tile IR, or mean to differ, stand in `tests/tileir/exceptions.txt` with the reason; `TILEIR_UPDATE=1` writes
//! the table anew.

use pallas_engine::{Analysis, AnalysisOptions, Disk};
use pallas_tests::corpus::{check_table, concerns, each, programs, root};
use pallas_tests::simt::Outcome;
use pallas_tests::tileir::compare;
use std::path::Path;
use std::sync::Arc;

/// How many launches of a program are equal, and a line for each of the others.
fn look(program: &Path) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(program).expect("a program");
    let mut options = AnalysisOptions::new(Arc::new(Disk));
    options.import_paths = vec![program.parent().expect("a folder").display().to_string()];
    let name = program.file_name().expect("a file").to_string_lossy().into_owned();
    let analysis = Analysis::new(&program.display().to_string(), &text, &options);
    let mut equal = 0;
    let mut others = Vec::new();
    for (number, launch) in analysis.launches.iter().enumerate() {
        let why = match compare(launch) {
            Outcome::Equal => {
                equal += 1;
                continue;
            }
            Outcome::NotInterpreted(why) => format!("not interpreted: {why}"),
            Outcome::Refused(why) => format!("refused: {why}"),
            Outcome::Wrong(why) => format!("differs: {why}"),
        };
        others.push(format!(
            "{name} launch {number} {}: {}",
            launch.kernel.name,
            why.lines().next().unwrap_or_default()
        ));
    }
    (equal, others)
}

#[test]
fn launches_as_tile_ir_equal_interpret_mode() {
    let wanted = std::env::var("PROGRAM").unwrap_or_default();
    let mut all = programs("samples");
    all.extend(programs("tests/conformance"));
    // Grids whose blocks are in bands.
    all.push(root().join("tests/simt/kernels/grid_products.py"));
    all.retain(|program| program.display().to_string().contains(&wanted));
    let seen = each(&all, |program| look(program));
    let equal: usize = seen.iter().map(|(equal, _)| equal).sum();
    let found: Vec<String> = seen.into_iter().flat_map(|(_, others)| others).collect();
    let update = std::env::var("TILEIR_UPDATE").is_ok() && wanted.is_empty();
    let table = check_table("tests/tileir/exceptions.txt", &found, |line| concerns(&all, line), update);
    assert!(table.is_ok(), "{equal} launches are equal. {}", table.err().unwrap_or_default());
    assert!(!wanted.is_empty() || equal >= 150, "only {equal} launches are equal");
}

/// The launches of the kernels whose text is recorded, and how places in them are written.
fn kernels() -> Analysis {
    let text = std::fs::read_to_string(root().join("tests/tileir/kernels.py")).expect("the kernels");
    Analysis::new("kernels.py", &text, &AnalysisOptions::new(Arc::new(Disk)))
}

#[test]
fn kernels_have_the_recorded_tile_ir() {
    let analysis = kernels();
    let mut text = String::new();
    for launch in &analysis.launches {
        let place = |span| pallas_engine::generated::place(&analysis, span);
        match pallas_tileir::compile(launch) {
            Ok(program) => text.push_str(&program.text(&place)),
            Err(refusal) => text.push_str(&format!("refused: {refusal}")),
        }
        text.push('\n');
    }
    insta::assert_snapshot!(text);
}

#[test]
fn recorded_kernels_equal_interpret_mode() {
    let analysis = kernels();
    assert_eq!(analysis.launches.len(), 4);
    for launch in &analysis.launches {
        assert_eq!(compare(launch), Outcome::Equal, "{}", launch.kernel.name);
    }
}

#[test]
fn bytecode_is_the_same_every_time() {
    let analysis = kernels();
    for launch in &analysis.launches {
        let bytes = || pallas_tileir::compile(launch).and_then(|program| program.bytecode()).expect("bytecode");
        assert_eq!(bytes(), bytes());
        assert!(bytes().starts_with(b"\x7fTileIR\0"));
    }
}
