//! The evaluator against CPython 3.11: every file in `cases` runs and must print what CPython printed
//! (`.stdout`, `.stderr`, recorded by tests/goldens/evaluator.py). Then every case is cut off at every line and analysed,
//! which must end without a panic.

use crate::support::{Ended, analyse, run};
use std::fs;
use std::path::{Path, PathBuf};

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

/// What analysis prints and reports for each program; CPython has no such mode, so the expectation is the design's.
#[test]
fn analysis_goes_on_where_values_are_not_known() {
    let cases = [
        // A missing module is a note, and its values spread.
        (
            "import torch\nx = torch.zeros(3).shape[0] + 1\nprint(len([x]))",
            "1\n",
            "ModuleNotFoundError: No module named 'torch'\n",
        ),
        // Both branches run; what they agree on stays, exceptions inside are dropped.
        (
            "import torch\nif torch.x > 3:\n    a = 1\n    same = 5\n    raise ValueError('no')\nelse:\n    a = 2\n    same = 5\nprint(a, same)",
            "2 5\n",
            "ModuleNotFoundError: No module named 'torch'\n",
        ),
        (
            "import torch\nif torch.x:\n    a = 1\nelse:\n    a = 2\nprint(type(a).__name__)\nb = 1\nif torch.x:\n    b = 3\nprint(b)",
            "<unknown: 'a' depends on a condition that is not known>\n3\n",
            "ModuleNotFoundError: No module named 'torch'\n",
        ),
        // A `return` under an unknown test, and code behind it that may not be reached.
        (
            "import torch\ndef f(a):\n    if a:\n        return 1\n    raise ValueError('no')\nprint(f(torch.x))\ndef g(a):\n    if a:\n        return 1\n    else:\n        return 2\nprint(g(torch.x))",
            "1\n<unknown: depends on a condition that is not known>\n",
            "ModuleNotFoundError: No module named 'torch'\n",
        ),
        // An unknown loop runs once.
        (
            "import torch\nn = 0\nwhile torch.more():\n    n += 1\nprint(n)\nwhile True:\n    n += 1\n    if torch.done():\n        break\nprint(n)",
            "1\n2\n",
            "ModuleNotFoundError: No module named 'torch'\n",
        ),
        // A statement that fails is reported, its names are unknown, the rest goes on.
        ("a = 1 / 0\nprint('next')\nb = a + 1\nprint(len([b]))", "next\n1\n", "ZeroDivisionError: division by zero\n"),
        // Fuel and memory are per top-level statement.
        (
            "while True:\n    pass\nprint('after')\nx = 'x' * 10**12\nprint('then')\ny = [0] * 10**9\nz = list(range(10**9))\nprint('end')",
            "after\nthen\nend\n",
            "out of fuel\nout of memory\nout of memory\nout of memory\n",
        ),
        // What does not parse is skipped.
        ("x = 1\ny = = 2\nprint(x)", "1\n", ""),
        // A class whose base is unknown still has its own methods.
        (
            "import flax\nclass M(flax.Module):\n    def f(self):\n        return 3\nprint(M().f())",
            "3\n",
            "ModuleNotFoundError: No module named 'flax'\n",
        ),
    ];
    for (text, stdout, stderr) in cases {
        let found = analyse("case.py", text, 20_000);
        assert_eq!(found.stdout, stdout, "stdout of {text}");
        assert_eq!(found.stderr, stderr, "notes of {text}");
    }
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
            let analysed = analyse(&format!("{name}.py"), &text[..end], 2_000);
            if let Ended::Panicked(message) = analysed.ended {
                panic!("{name} cut off at {end}: {message}");
            }
        }
    }
}

/// PEP 695, which CPython 3.11 does not read yet.
#[test]
fn type_parameters_are_seen_inside() {
    let text = "\
from typing import Any
class Op[C, K]:
  def f(self, x: C) -> K:
    def g(y: C): return y
    return g(x)
  class Inner:
    z: C
class Sub[T](Op[Any, T]):
  pass
def same[T](x: T) -> T:
  def inner(z: T): return z
  return inner(x)
type Alias = int | str
print(Sub().f(3), same(4), issubclass(Sub, Op), Alias.__value__)
try:
  C
except NameError as e:
  print(e)
";
    for result in [run("case.py", text), analyse("case.py", text, 10_000)] {
        assert_eq!(result.stderr, "", "{result:?}");
        assert_eq!(result.stdout, "3 4 True int | str\nname 'C' is not defined\n", "{result:?}");
    }
}

/// The value of a type alias is computed when it is asked for: it may name what comes later, and type parameters of its own.
#[test]
fn type_aliases_are_computed_when_asked_for() {
    let text = "\
import typing
type Tree = Leaf | list[Tree]
type Pair[T] = tuple[T, T]
class Leaf: pass
print(Tree, Tree.__name__, Tree.__value__.__args__[0] is Leaf, isinstance(Tree, typing.TypeAliasType))
print(typing.get_origin(Pair[int]), len(Pair.__type_params__), Pair.__value__.__origin__, Tree.__type_params__)
def f(x: Tree | None = None): return typing.get_args(f.__annotations__['x'])[0] is Tree
print(f(), typing.TypeAliasType('N', int).__value__)
type Missing = Nothing
try:
  Missing.__value__
except NameError as e:
  print(e)
try:
  Tree[int]
except TypeError as e:
  print(e)
";
    let expected = "Tree Tree True True\nPair 1 <class 'tuple'> ()\nTrue <class 'int'>\nname 'Nothing' is not defined\n\
                    Only generic type aliases are subscriptable\n";
    for result in [run("case.py", text), analyse("case.py", text, 10_000)] {
        assert_eq!(result.stderr, "", "{result:?}");
        assert_eq!(result.stdout, expected, "{result:?}");
    }
}

/// In analysis an imported module has steps of its own: an endless one costs its importer nothing, and what comes after
/// the endless part is unknown.
#[test]
fn imported_modules_have_steps_of_their_own() {
    let text = "\
import shapes.endless as endless
print(endless.early)
print('late' in vars(endless))
for _ in range(500):
  pass
print('done')
";
    let result = analyse("case.py", text, 4_000);
    assert_eq!(result.stdout, "1\nTrue\ndone\n", "{result:?}");
}
