//! `pallas-tui test`: which tests there are and what becomes of them is what pytest has recorded (tests/goldens/pytest_outcomes.py);
//! what is found in their kernels fails them.

use super::{Case, run_in, shown};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Tests of a kernel that adds up without a beginning: right on memory that happens to be zero. Rules know integers that a kernel reads one
/// by one, and would say it of every run; of floats they know nothing.
const SUMS: &str = "\
import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl


def kernel(flag_ref, x_ref, o_ref):
  @pl.when(flag_ref[0] > 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += x_ref[...]


@pytest.mark.parametrize('flag', [0, 1])
def test_shape(flag):
  x = jnp.ones((8, 8))
  print(pl.pallas_call(kernel, out_shape=x, interpret=True)(jnp.array([flag], jnp.float32), x).shape)
";

#[test]
fn tests_end_as_under_pytest() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pytest");
    let output = run_in(&folder, &["test", "-v", "--no-traceback", "."]);
    let text = String::from_utf8_lossy(&output.stdout);
    let is_result = |line: &&str| line.contains("::") && line.ends_with("%]");
    let result = |line: &str| {
        let (line, _) = line.rsplit_once('[').unwrap_or((line, ""));
        line.split_once(" (").map_or(line, |(line, _)| line).trim_end().to_string()
    };
    let found: Vec<String> = text.lines().filter(is_result).map(result).collect();
    let recorded = fs::read_to_string(folder.join("outcomes.txt")).expect("the outcomes are part of the repository");
    assert_eq!(found, recorded.lines().collect::<Vec<_>>(), "{}", shown(&output));
    let last = text.lines().last().unwrap_or_default();
    assert!(
        last.contains("22 failed, 79 passed, 20 skipped, 4 xfailed, 1 xpassed, 5 errors, 8 subtests passed"),
        "{last}"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn tests_are_chosen_by_place_name_and_mark() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pytest");
    let chosen = |arguments: &[&str]| {
        let output = run_in(&folder, &[&["test", "--collect-only"], arguments].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().filter(|line| line.contains("::")).map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(chosen(&["inner", "-k", "nearest"]).len(), 1);
    assert_eq!(chosen(&["test_outcomes.py::TestPlain", "-k", "not three"]).len(), 2);
    assert_eq!(chosen(&["test_parameters.py::test_stacked[f32-big]"]), ["test_parameters.py::test_stacked[f32-big]"]);
    assert_eq!(
        chosen(&["-m", "slow"]),
        ["asked/test_asked.py::test_marked_by_a_hook", "test_outcomes.py::test_marked_slow"]
    );
    assert_eq!(chosen(&["-k", "indirect or (stacked and big)"]).len(), 5);
    let wrong = run_in(&folder, &["test", "-k", "a and"]);
    assert_eq!(wrong.status.code(), Some(4));
    assert_eq!(chosen(&["asked/test_absl.py::SumTest::test_pairs"]).len(), 2, "by the name that stands in the file");
    let both = ["test_order.py::test_second", "test_order.py::test_first"];
    assert_eq!(chosen(&both), both, "in the order in which they are named");
    assert_eq!(chosen(&["inner", "--deselect", "inner/test_inner.py"]).len(), 0);
    let unknown = run_in(&folder, &["test", "test_order.py::test_none"]);
    assert!(shown(&unknown).contains("not found: test_order.py::test_none"), "{}", shown(&unknown));
    let absent = run_in(&folder, &["test", "nothing.py"]);
    assert!(absent.status.code() == Some(4) && shown(&absent).contains("file or directory not found: nothing.py"));
}

#[test]
fn strict_tests_fail_for_what_is_found_in_their_kernels() {
    let case = Case::with("test_sums.py", SUMS);
    let plain = case.run(&["test"]);
    assert_eq!(plain.status.code(), Some(0), "{}", shown(&plain));
    let strict = case.run(&["test", "--strict"]);
    let errors = String::from_utf8_lossy(&strict.stderr);
    assert!(errors.contains("test_sums.py:11"), "{errors}");
    assert_eq!(strict.status.code(), Some(1));
    // It belongs to the test whose memory was not written, and to no other of the same kernel.
    let found: Vec<&str> = errors.lines().filter(|line| line.starts_with("FOUND ")).collect();
    assert!(found.len() == 1 && found[0].starts_with("FOUND test_sums.py::test_shape[0] - PL203: "), "{errors}");
    let cache = case.folder.path().join(".cache");
    for expected in [2, 1] {
        let told = events(&case, &["--strict", "--lf"]);
        assert_eq!(named(&told, "finished").len(), expected, "the test that it was found in has failed: {cache:?}");
        let ended = told.last().expect("events");
        assert_eq!(ended["findings"][0]["tests"], json!(["test_sums.py::test_shape[0]"]), "{ended}");
    }
}

#[test]
fn what_was_skipped_is_listed_as_by_pytest() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pytest");
    let output = run_in(&folder, &["test", "-ra", "--tb", "no", "."]);
    let text = String::from_utf8_lossy(&output.stdout);
    let listed = text.lines().filter(|line| ["SKIPPED", "XFAIL", "XPASS"].iter().any(|word| line.starts_with(word)));
    let recorded = fs::read_to_string(folder.join("summary.txt")).expect("part of the repository");
    assert_eq!(listed.collect::<Vec<_>>(), recorded.lines().collect::<Vec<_>>(), "{text}");
}

/// The events of a run.
fn events(case: &Case, arguments: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .args(["test", "--output-format", "json"])
        .args(arguments)
        .current_dir(case.folder.path())
        // What failed last is kept there.
        .env("XDG_CACHE_HOME", case.folder.path().join(".cache"))
        .env_remove("PYTEST_ADDOPTS")
        .output()
        .expect("the binary starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}

/// A failure two calls away, a fixture that cannot be made, and what tests print.
const MIXED: &str = "\
import pytest


def check(value):
  assert value == 4, 'no four'


class TestNumbers:
  @pytest.mark.parametrize('n', [4, 5])
  def test_four(self, n):
    print('looking at', n)
    check(n)


def test_compares():
  assert [1, 2] == [1, 3]


def test_skips():
  pytest.skip('not now')
";

#[test]
fn programs_are_told_what_happens() {
    let case = Case::with("test_mixed.py", MIXED);
    let told = events(&case, &["test_mixed.py"]);
    let collected = named(&told, "collected")[0];
    let tests = collected["tests"].as_array().expect("tests");
    let expected = json!({
        "id": "test_mixed.py::TestNumbers::test_four[4]", "file": "test_mixed.py", "line": 10, "classes": ["TestNumbers"],
        "class_line": 8,
        "function": "test_four", "name": "test_four[4]", "marks": ["parametrize"],
    });
    assert_eq!((tests.len(), &tests[0]), (4, &expected));
    let finished = named(&told, "finished");
    let outcomes: Vec<&Value> = finished.iter().map(|event| &event["outcome"]).collect();
    assert_eq!(outcomes, ["passed", "failed", "failed", "skipped"]);
    assert_eq!(finished[1]["line"], 5, "{}", finished[1]);
    assert_eq!(finished[1]["message"], "AssertionError: no four");
    assert_eq!(finished[1]["printed"], "looking at 5\n");
    let lines: Vec<&Value> =
        finished[1]["places"].as_array().expect("places").iter().map(|place| &place["line"]).collect();
    assert_eq!(lines, [12, 5]);
    assert_eq!(finished[2]["line"], 16);
    assert_eq!(finished[2]["message"], "assert [1, 2] == [1, 3]");
    assert_eq!(finished[3]["message"], "not now");
    let ended = told.last().expect("events");
    assert_eq!((&ended["event"], &ended["exit"]), (&json!("ended"), &json!(1)));
    assert_eq!(ended["counts"], json!({"failed": 2, "passed": 1, "skipped": 1}));
    assert!(
        named(&told, "output").iter().any(|event| event["text"].as_str().is_some_and(|text| text.contains("FAILURES")))
    );

    let listed = events(&case, &["--collect-only", "test_mixed.py"]);
    assert_eq!(named(&listed, "collected")[0], collected);
    assert!(named(&listed, "finished").is_empty());
    let broken = Case::with("test_broken.py", "import pytest\nx = (\n");
    let told = events(&broken, &["--collect-only", "test_broken.py"]);
    let error = &named(&told, "collected")[0]["errors"][0];
    assert_eq!((&error["file"], &error["line"]), (&json!("test_broken.py"), &json!(2)), "{error}");
    assert!(shown(&broken.run(&["test", "test_broken.py"])).contains("\nERROR test_broken.py - SyntaxError"));
    let nothing = events(&case, &["none.py"]);
    assert!(nothing.last().is_some_and(|event| event["exit"] == 4), "{nothing:?}");
    let sums = Case::with("test_sums.py", SUMS);
    let strict = events(&sums, &["--strict", "test_sums.py"]);
    let ended = strict.last().expect("events");
    let finding = &ended["findings"][0];
    assert_eq!((&ended["exit"], &finding["location"]["row"]), (&json!(1), &json!(11)), "{ended}");
    assert_eq!(finding["filename"], "test_sums.py");
}

#[test]
fn tests_that_failed_last_run_again() {
    let case = Case::with("test_mixed.py", MIXED);
    assert_eq!(named(&events(&case, &[]), "finished").len(), 4);
    let again = events(&case, &["--lf"]);
    let names: Vec<&Value> = named(&again, "finished").iter().map(|event| &event["id"]).collect();
    assert_eq!(names, ["test_mixed.py::TestNumbers::test_four[5]", "test_mixed.py::test_compares"]);
    fs::write(case.folder.path().join("test_mixed.py"), MIXED.replace("[1, 3]", "[1, 2]")).expect("written");
    assert_eq!(named(&events(&case, &["--lf"]), "finished").len(), 2);
    assert_eq!(named(&events(&case, &["--lf"]), "finished").len(), 1, "what passes is not run again");
}

#[test]
fn a_save_runs_tests_again() {
    let case = Case::with("test_saved.py", "import helper\n\n\ndef test_it():\n  assert helper.X == 1\n");
    let helper = case.folder.path().join("helper.py");
    fs::write(&helper, "X = 2\n").expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .args(["test", "--watch", "--tb=no", "test_saved.py"])
        .current_dir(case.folder.path())
        .env("XDG_CACHE_HOME", case.folder.path().join(".cache"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let (sender, told) = channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    // Longer than anything may take on a busy machine.
    let next = || told.recv_timeout(Duration::from_secs(60)).ok();
    let until = |words: &str| std::iter::from_fn(next).any(|line| line.contains(words));
    assert!(until("1 failed in"), "it fails at first");
    // A module that the tests import.
    fs::write(&helper, "X = 1\n").expect("written");
    assert!(until("saved: helper.py"), "the save is noticed");
    assert!(until("1 passed in"), "and it passes then");
    child.kill().expect("it runs on");
    child.wait().expect("our own child");
}

#[test]
fn projects_say_how_their_tests_are_run() {
    let case = Case::with("test_other.py", "def test_it():\n  pass\n");
    fs::create_dir(case.folder.path().join("checks")).expect("made");
    let text = "def check_one():\n  pass\n\n\ndef test_two():\n  pass\n";
    fs::write(case.folder.path().join("checks/check_a.py"), text).expect("written");
    let settings = "[pytest]\ntestpaths = checks\npython_files = check_*.py\npython_functions = check\naddopts = -v --no-cov -k 'one'\n\
        asyncio_mode = auto\n";
    fs::write(case.folder.path().join("pytest.ini"), settings).expect("written");
    let output = case.run(&["test"]);
    let text = shown(&output);
    assert!(text.contains("checks/check_a.py::check_one PASSED") && text.contains("1 passed"), "{text}");
    assert!(
        text.contains("addopts: --no-cov is not known here") && text.contains("`asyncio_mode` is not known"),
        "{text}"
    );
    let slow = case.run(&["test", "--durations", "0", "-vv", "checks/check_a.py"]);
    assert!(shown(&slow).contains("s call     checks/check_a.py::check_one"), "{}", shown(&slow));
}

#[test]
fn files_that_cannot_have_tests_are_named() {
    let case = Case::with("test_latin.py", b"# caf\xe9\n");
    fs::write(case.folder.path().join("data.json"), "{}").expect("written");
    for (path, expected) in [
        ("test_latin.py", "test_latin.py:1: not UTF-8 (byte 5); save the file as UTF-8"),
        ("test_latin.py::test_it", "test_latin.py:1: not UTF-8 (byte 5); save the file as UTF-8"),
        ("data.json", "data.json: not a Python file; tests are in files that end in .py"),
    ] {
        let output = case.run(&["test", path]);
        assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        assert_eq!(String::from_utf8_lossy(&output.stderr).trim_end(), format!("pallas-tui: {expected}"));
    }
}
