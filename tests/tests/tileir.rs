//! Every launch of the samples and the conformance programs as Tile IR, computed by what the IR means, against interpret mode.
//! Those that have no Tile IR, or mean to differ, stand in `tests/tileir/exceptions.txt` with the reason; `TILEIR_UPDATE=1` writes
//! the table anew.

use pallas_engine::{Analysis, AnalysisOptions, Disk};
use pallas_tests::simt::Outcome;
use pallas_tests::tileir::compare;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in a folder of the workspace").to_path_buf()
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder");
    let mut programs: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    programs.sort();
    programs
}

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
    all.retain(|program| program.display().to_string().contains(&wanted));
    // Programs differ much in length: whoever is free takes the next.
    let next = AtomicUsize::new(0);
    let work = || {
        let mut seen: Vec<(usize, (usize, Vec<String>))> = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(program) = all.get(number) else { return seen };
            seen.push((number, look(program)));
        }
    };
    let mut seen = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    seen.sort_by_key(|(number, _)| *number);
    let equal: usize = seen.iter().map(|(_, (equal, _))| equal).sum();
    let found: Vec<String> = seen.into_iter().flat_map(|(_, (_, others))| others).collect();
    let table = root().join("tests/tileir/exceptions.txt");
    if std::env::var("TILEIR_UPDATE").is_ok() && wanted.is_empty() {
        let text = found.iter().map(|line| format!("{line}\n")).collect::<String>();
        std::fs::write(&table, text).expect("the table is written");
    }
    let expected = std::fs::read_to_string(&table).expect("the table");
    let expected: Vec<&str> = expected
        .lines()
        .filter(|line| {
            all.iter().any(|program| line.starts_with(&*program.file_name().unwrap_or_default().to_string_lossy()))
        })
        .collect();
    let new: Vec<&String> = found.iter().filter(|line| !expected.contains(&line.as_str())).collect();
    let gone: Vec<&&str> = expected.iter().filter(|line| !found.iter().any(|found| found == **line)).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "{equal} launches are equal. Not in the table:\n{new:#?}\nno longer so:\n{gone:#?}"
    );
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
