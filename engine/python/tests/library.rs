//! The standard modules against CPython 3.11: every file in `library_cases` runs and must print what CPython printed
//! (`.stdout`, recorded by tests/goldens/library.py); analysed, it must end without a panic. Then every row of every
//! native module is called with no arguments, with one and with several, of every kind: none may panic.

use crate::support::{Ended, analyse, run};
use std::fs;
use std::path::{Path, PathBuf};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library_cases");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of the cases is part of the repository")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    cases.sort();
    cases
}

fn name(case: &Path) -> String {
    case.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The lines that differ, the first few.
fn difference(expected: &str, found: &str) -> Vec<String> {
    let (expected, found): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    (0..expected.len().max(found.len()))
        .filter(|&at| expected.get(at) != found.get(at))
        .take(6)
        .map(|at| format!("  line {}:\n    CPython: {:?}\n    here:    {:?}", at + 1, expected.get(at), found.get(at)))
        .collect()
}

#[test]
fn cases_print_what_cpython_prints() {
    let only = std::env::var("CASE").ok();
    let mut failures = Vec::new();
    for case in cases() {
        let name = name(&case);
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let text = fs::read_to_string(&case).expect("cases are UTF-8");
        let expected = fs::read_to_string(case.with_extension("stdout")).expect("every case is recorded");
        let result = run(&format!("{name}.py"), &text);
        let mut lines = difference(&expected, &result.stdout);
        if !matches!(result.ended, Ended::Finished) {
            lines.push(format!("  ended: {:?}", result.ended));
        }
        if !result.stderr.is_empty() {
            lines.push(format!("  stderr: {}", result.stderr));
        }
        if !lines.is_empty() {
            failures.push(format!("{name}:\n{}", lines.join("\n")));
        }
    }
    assert!(failures.is_empty(), "{} cases differ:\n\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn cases_are_analysed_without_panic() {
    for case in cases() {
        let name = name(&case);
        let text = fs::read_to_string(&case).expect("cases are UTF-8");
        if let Ended::Panicked(message) = analyse(&format!("{name}.py"), &text, 200_000).ended {
            panic!("{name}: {message}");
        }
    }
}

#[test]
fn unknown_values_make_no_errors() {
    for name in ["unknown", "unknown_base", "command_line"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/library_analysis/{name}.py"));
        let text = fs::read_to_string(path).expect("the program is part of the repository");
        let result = analyse(&format!("{name}.py"), &text, 1_000_000);
        let raised: Vec<&str> = result.stdout.lines().filter(|line| line.contains("RAISED")).collect();
        assert!(raised.is_empty(), "{name}:\n{}", raised.join("\n"));
        assert!(!result.stdout.is_empty() && matches!(result.ended, Ended::Finished), "{name}: {:?}", result.ended);
    }
}

/// Calls everything that every module has with arguments of every kind, and every method of what comes back.
const CALL_EVERYTHING: &str = r#"
class Plain:
    pass

def function(*args, **kwargs):
    return args[0] if args else None

values = [None, True, -1, 3, 2.5, "a", "", b"x", [2, 1], (1, "b"), {"k": 1}, {3}, Plain(), function, int, Plain, ..., range(3)]

def calls(callable):
    results = []
    tried = [()] + [(value,) for value in values]
    tried += [(values[at], values[(at * 7 + 3) % len(values)]) for at in range(len(values))]
    tried += [(values[(at * 5) % len(values)], values[(at * 7 + 3) % len(values)], values[(at * 11 + 6) % len(values)]) for at in range(len(values))]
    for args in tried:
        try:
            results.append(callable(*args))
        except BaseException:
            pass
    return results

def explore(value, depth):
    for name in dir(value):
        if name in ("timeit", "repeat", "input", "sleep"):
            continue
        try:
            attribute = getattr(value, name)
        except BaseException:
            continue
        if not callable(attribute):
            continue
        for result in calls(attribute)[:5]:
            try:
                repr(result), str(result), f"{result}", bool(result), hash(result)
            except BaseException:
                pass
            try:
                for step, item in enumerate(result):
                    if step > 5:
                        break
            except BaseException:
                pass
            if depth > 0 and type(result) not in (int, str, float, bool, list, dict, tuple, type(None), set, bytes, type):
                explore(result, depth - 1)

for module in modules:
    explore(module, 1)
"#;

#[test]
fn no_row_panics() {
    for module in pallas_python::library::MODULES {
        let text = format!("import {0}\nimport sys\nmodules = [sys.modules['{0}']]\n{CALL_EVERYTHING}", module.name);
        let ended = run("everything.py", &text).ended;
        assert!(matches!(ended, Ended::Finished), "{}: {ended:?}", module.name);
    }
}
