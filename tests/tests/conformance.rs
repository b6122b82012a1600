//! Programs against what JAX 0.10.2 printed for them (recorded by tests/goldens/conformance.py): samples, conformance
//! programs, and the documents' own programs. Standard output and exit code must agree, and for programs that end with
//! an exception the last line of standard error.

use pallas_engine::{Run, RunOptions};
use pallas_tensor::Isa;
use pallas_tensor::ops::fused::Compilation;
use pallas_tests::{Recorder, run_options};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in a folder of the workspace").to_path_buf()
}

/// What differs, if anything does.
fn differences(program: &Path) -> Option<String> {
    let read = |extension: &str| std::fs::read_to_string(program.with_extension(extension)).ok();
    let expected = read("stdout")?;
    let text = std::fs::read_to_string(program).expect("a program");
    let recorder = Recorder::default();
    let name = program.file_name().expect("a file").to_string_lossy().into_owned();
    let folder = program.parent().expect("a folder").display().to_string();
    let options = RunOptions { import_paths: vec![folder], ..run_options(recorder.clone()) };
    let run = Run::new(&name, &text, options);
    let (stdout, mut stderr) = recorder.written();
    stderr.push_str(&run.stderr);
    let mut report = String::new();
    let code = read("code").map_or(0, |code| code.trim().parse().expect("an exit code"));
    if run.exit != code {
        writeln!(report, "exit code {}, should be {code}\n{}", run.exit, tail(&stderr)).expect("writing to a string");
    }
    if let Some(last) = read("stderr_last") {
        let found = stderr.trim_end().lines().last().unwrap_or_default();
        if found != last.trim_end() {
            writeln!(report, "last line of stderr\n  found:  {found}\n  should: {}", last.trim_end()).expect("writing");
        }
    }
    if stdout != expected {
        let line = stdout.lines().zip(expected.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or_else(|| stdout.lines().count().min(expected.lines().count()));
        let show = |text: &str| text.lines().nth(line).unwrap_or("(end)").to_string();
        writeln!(report, "stdout line {}\n  found:  {}\n  should: {}", line + 1, show(&stdout), show(&expected))
            .expect("writing to a string");
    }
    (!report.is_empty()).then(|| format!("--- {}\n{report}", program.display()))
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(6)..].join("\n")
}

/// Programs of a folder that have a recording.
fn programs(folder: &str) -> Vec<PathBuf> {
    let mut programs: Vec<PathBuf> = std::fs::read_dir(root().join(folder))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "py") && path.with_extension("stdout").exists())
        .collect();
    programs.sort();
    programs
}

fn check(folder: &str, at_least: usize) {
    // Chains of programs as small as these are left to the loops otherwise.
    Compilation::Always.set();
    // Everything with less than this processor has: `ISA=avx2`.
    let isa = std::env::var("ISA").unwrap_or_default();
    Isa::all().filter(|known| format!("{known:?}").eq_ignore_ascii_case(&isa)).for_each(Isa::take);
    let wanted = std::env::var("PROGRAM").unwrap_or_default();
    let programs = programs(folder);
    assert!(programs.len() >= at_least, "only {} programs in {folder}", programs.len());
    let selected: Vec<&PathBuf> = programs.iter().filter(|p| p.display().to_string().contains(&wanted)).collect();
    let failures: Vec<String> = selected.iter().filter_map(|program| differences(program)).collect();
    assert!(failures.is_empty(), "{} of {} programs differ\n{}", failures.len(), selected.len(), failures.join("\n"));
}

#[test]
fn samples_print_what_jax_prints() {
    check("samples", 14);
}

/// Programs beside it run with less, too: they print the same.
#[test]
fn samples_print_what_jax_prints_with_each_instruction_set() {
    let isas: Vec<Isa> = Isa::all().collect();
    for isa in isas {
        isa.take();
        check("samples", 14);
    }
}

#[test]
fn conformance_programs_print_what_jax_prints() {
    check("tests/conformance", 70);
}

#[test]
fn programs_of_the_documents_print_what_they_document() {
    check("tests/conformance/seeds", 13);
}

/// JAX has these operations for TPUs only, so nothing is recorded: the programs say themselves what it documents.
#[test]
fn sparse_core_programs_find_what_jax_documents() {
    check("tests/conformance/sparse_core", 1);
}
