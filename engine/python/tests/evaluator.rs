//! The evaluator against CPython 3.11: every file in `cases` runs and must print what CPython printed
//! (`.stdout`, `.stderr`, recorded by tests/goldens/evaluator.py). Then every case is cut off at every line and analysed,
//! which must end without a panic.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{Ended, analyse, run};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of the cases is part of the repository")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    cases.sort();
    cases
}

fn recorded(case: &Path, extension: &str) -> String {
    fs::read_to_string(case.with_extension(extension)).unwrap_or_default()
}

fn difference(what: &str, expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let (mut expected_lines, mut found_lines) = (expected.lines(), found.lines());
    let mut line = 0;
    loop {
        line += 1;
        match (expected_lines.next(), found_lines.next()) {
            (None, None) => return Some(format!("{what}: the line endings differ")),
            (expected, found) if expected == found => {}
            (expected, found) => {
                return Some(format!("{what}, line {line}:\n  CPython: {expected:?}\n  here:    {found:?}"));
            }
        }
    }
}

#[test]
fn cases_print_what_cpython_prints() {
    let only = std::env::var("CASE").ok();
    let mut failures = Vec::new();
    for case in cases() {
        let name = case.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let text = fs::read_to_string(&case).expect("cases are UTF-8");
        let result = run(&format!("{name}.py"), &text);
        let mut stderr = result.stderr.clone();
        if let Ended::Raised(rendered) = &result.ended {
            stderr.push_str(rendered);
        }
        let differences: Vec<String> = [
            difference("stdout", &recorded(&case, "stdout"), &result.stdout),
            difference("stderr", &recorded(&case, "stderr"), &stderr),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !differences.is_empty() {
            failures.push(format!("{name}: {}\n  (ended: {:?})", differences.join("\n"), result.ended));
        }
    }
    assert!(failures.is_empty(), "{} cases differ:\n\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn truncated_cases_are_analysed_without_panic() {
    let only = std::env::var("CASE").ok();
    for case in cases() {
        let name = case.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let text = fs::read_to_string(&case).expect("cases are UTF-8");
        let mut ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        // In the middle of lines, too.
        ends.extend(text.match_indices(' ').map(|(at, _)| at).step_by(7));
        for end in ends {
            if let Ended::Panicked(message) = analyse(&format!("{name}.py"), &text[..end], 2_000) {
                panic!("{name} cut off at {end}: {message}");
            }
        }
    }
}
