//! Our tree against CPython's: structure, spans, scopes and messages, for every case that CPython 3.11 can read.
//! The goldens are written by tests/goldens/syntax.py.

use crate::common::cases::{cases, folder};
use crate::common::module;
use pallas_syntax::dump;

#[test]
fn trees_spans_and_scopes_are_those_of_cpython() {
    for (name, text) in cases() {
        if name.starts_with("new_") || name.starts_with("bad_") {
            continue;
        }
        let golden = folder().join("goldens").join(format!("{name}.txt"));
        let golden = std::fs::read_to_string(&golden)
            .unwrap_or_else(|_| panic!("no golden for {name}: run tests/goldens/syntax.py"));
        let ours = dump::module(&module(&text));
        for (number, (ours, theirs)) in ours.lines().zip(golden.lines()).enumerate() {
            assert_eq!(ours, theirs, "{name}.txt, line {}", number + 1);
        }
        assert_eq!(ours.lines().count(), golden.lines().count(), "{name}.txt");
    }
}

/// The first error of each broken snippet has CPython's line and words.
#[test]
fn errors_are_worded_as_cpython_words_them() {
    let read = |path: &str| std::fs::read_to_string(folder().join(path)).expect("the file is in the repository");
    let snippets = read("cases/errors.txt");
    let golden = read("goldens/errors.txt");
    let snippets: Vec<&str> = snippets.split("---\n").collect();
    assert_eq!(snippets.len(), golden.lines().count());
    assert!(snippets.len() > 100);
    for (snippet, expected) in snippets.into_iter().zip(golden.lines()) {
        let module = module(snippet);
        let found = module.errors.first().map(|error| {
            let line = module.source.line_of(error.span.start);
            format!("{line}: {}", error.message)
        });
        assert_eq!(found.as_deref(), Some(expected), "{snippet}");
    }
}
