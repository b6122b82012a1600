//! Tests in the editor, through the built server: lenses and actions above them, and what becomes of them.
#![cfg(unix)]

use crate::client::{Client, editor, pulling_editor};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

const TESTS: &str = "\
import jax, pytest
import unittest


@pytest.mark.parametrize('n', [1, 2])
def test_sum(n):
  assert n == 1


class TestShapes:
  def test_rows(self):
    pass

  class TestInner:
    def test_deep(self):
      pass

  def helper(self):
    pass


class Cases(unittest.TestCase):
  def test_case(self):
    pass


class TestWithInit:
  def __init__(self):
    pass

  def test_not_collected(self):
    pass


async def test_not_called():
  pass
";

/// A folder with a file of tests, and a program that takes the place of `pallas-tui`: it notes how it was called, and tells events.
fn folder(events: &[Value]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("test_a.py"), TESTS).expect("written");
    tell(folder.path(), events);
    folder
}

fn tell(folder: &Path, events: &[Value]) {
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    fs::write(folder.join("events"), lines.join("\n") + "\n").expect("written");
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho \"$@\" > called\ncat events\n";
    let program = folder.join("tui");
    fs::write(&program, script).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("made executable");
}

fn events(outcome: &str) -> Vec<Value> {
    let test = |n: u32| {
        json!({"id": format!("test_a.py::test_sum[{n}]"), "file": "test_a.py", "line": 6, "classes": [], "function": "test_sum",
            "name": format!("test_sum[{n}]"), "marks": ["parametrize"]})
    };
    let mut second = json!({"event": "finished", "id": "test_a.py::test_sum[2]", "outcome": outcome, "seconds": 0.1});
    if outcome != "passed" {
        second["message"] = json!("assert 2 == 1");
        second["file"] = json!("test_a.py");
        second["line"] = json!(7);
        second["places"] = json!([{"file": "test_a.py", "line": 7, "function": "test_sum"}]);
    }
    vec![
        json!({"event": "collected", "tests": [test(1), test(2)], "errors": [], "deselected": 0}),
        json!({"event": "started", "id": "test_a.py::test_sum[1]"}),
        json!({"event": "finished", "id": "test_a.py::test_sum[1]", "outcome": "passed", "seconds": 0.1}),
        json!({"event": "started", "id": "test_a.py::test_sum[2]"}),
        second,
        json!({"event": "output", "stream": "stdout", "text": "a report\n"}),
        json!({"event": "ended", "exit": 1, "counts": {"passed": 1}, "findings": [], "stopped": null}),
    ]
}

fn start(folder: &Path, mut capabilities: Value) -> (Client, String) {
    capabilities["experimental"] = json!({"pallas": {"presentsResults": true}});
    capabilities["window"]["workDoneProgress"] = json!(true);
    let mut client = Client::start();
    let root = format!("file://{}", folder.display());
    client.greet(json!({
        "capabilities": capabilities,
        "initializationOptions": {"tui": folder.join("tui")},
        "workspaceFolders": [{"uri": root, "name": "w"}],
    }));
    (client, format!("{root}/test_a.py"))
}

fn lenses(client: &mut Client, file: &str) -> Vec<(u64, String, Value)> {
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": file}})).expect("lenses");
    let lens = |lens: &Value| {
        let line = lens["range"]["start"]["line"].as_u64().unwrap_or(999);
        (
            line,
            lens["command"]["title"].as_str().unwrap_or("?").to_string(),
            lens["command"]["arguments"][0]["test"].clone(),
        )
    };
    lenses.as_array().expect("a list").iter().map(lens).collect()
}

fn run(client: &mut Client, file: &str, test: &str, strict: bool) -> Value {
    let argument = json!({"uri": file, "test": test, "strict": strict});
    let params = json!({"command": "pallas.test", "arguments": [argument]});
    client.request("workspace/executeCommand", params).expect("an answer")
}

#[test]
fn lenses_stand_above_what_pytest_finds() {
    let folder = folder(&[]);
    let (mut client, file) = start(folder.path(), editor());
    client.open(&file, TESTS);
    let all = lenses(&mut client, &file);
    let runs: Vec<(u64, &str)> = all
        .iter()
        .filter(|(_, title, _)| title.starts_with("Run"))
        .map(|(line, _, test)| (*line, test.as_str().unwrap_or("?")))
        .collect();
    let expected = [
        (4, "test_sum"),
        (9, "TestShapes"),
        (10, "TestShapes::test_rows"),
        (13, "TestShapes::TestInner"),
        (14, "TestShapes::TestInner::test_deep"),
        (21, "Cases"),
        (22, "Cases::test_case"),
    ];
    assert_eq!(runs, expected);
    assert_eq!((all[0].1.as_str(), all[1].1.as_str()), ("Run test", "Check test (strict)"));
    assert_eq!((all[2].1.as_str(), all[3].1.as_str()), ("Run tests", "Check tests (strict)"));
    let other = file.replace("test_a.py", "kernels.py");
    client.open(&other, TESTS);
    assert!(lenses(&mut client, &other).is_empty(), "a file of another name has no tests");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_test_that_fails_is_a_diagnostic_until_it_passes_or_the_text_changes() {
    let folder = folder(&events("failed"));
    let mut capabilities = editor();
    capabilities["workspace"]["codeLens"] = json!({"refreshSupport": true});
    let (mut client, file) = start(folder.path(), capabilities);
    client.open(&file, TESTS);
    assert_eq!(client.published(&file, 1), Vec::<Value>::new());
    let answer = run(&mut client, &file, "test_sum", false);
    assert_eq!(answer["tests"][1]["message"], "assert 2 == 1");
    assert_eq!((&answer["summary"], &answer["text"]), (&json!("1 passed"), &json!("a report\n")));
    let called = fs::read_to_string(folder.path().join("called")).expect("it was called");
    assert_eq!(called, "test --color never --output-format json test_a.py::test_sum\n");
    let shown = client.published(&file, 1);
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0]["message"], "assert 2 == 1\ntest_sum[2]");
    assert_eq!(shown[0]["range"], json!({"start": {"line": 6, "character": 2}, "end": {"line": 6, "character": 15}}));
    let titles: Vec<String> = lenses(&mut client, &file).into_iter().take(3).map(|(_, title, _)| title).collect();
    assert_eq!(titles, ["Run test", "Check test (strict)", "1 of 2 failed: assert 2 == 1"]);
    assert!(client.asked.contains(&"workspace/codeLens/refresh".to_string()));
    let progress = client.leftover().into_iter().filter(|message| message["method"] == "$/progress");
    let words: Vec<String> = progress.map(|message| message["params"]["value"]["message"].to_string()).collect();
    assert!(words.contains(&"\"2/2 test_sum[2]\"".to_string()), "{words:?}");

    // The same test passes now.
    tell(folder.path(), &events("passed"));
    run(&mut client, &file, "test_sum", true);
    assert!(fs::read_to_string(folder.path().join("called")).is_ok_and(|called| called.contains("--strict")));
    assert_eq!(client.published(&file, 1), Vec::<Value>::new());
    assert_eq!(lenses(&mut client, &file)[2].1, "2 passed in 0.2 s");

    // It fails again, and the text is changed.
    tell(folder.path(), &events("failed"));
    run(&mut client, &file, "", false);
    assert_eq!(client.published(&file, 1).len(), 1);
    client.replace(&file, 2, &TESTS.replace("n == 1", "n == 2"));
    assert_eq!(client.published(&file, 2), Vec::<Value>::new());
    assert_eq!(lenses(&mut client, &file).len(), 14, "what became of them is gone, too");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn the_test_at_a_place_is_run() {
    let folder = folder(&events("passed"));
    let (mut client, file) = start(folder.path(), editor());
    client.open(&file, TESTS);
    let mut at = |line: u32| {
        let argument = json!({"uri": file, "position": {"line": line, "character": 0}});
        let result =
            client.request("workspace/executeCommand", json!({"command": "pallas.test", "arguments": [argument]}));
        result.map(|_| fs::read_to_string(folder.path().join("called")).unwrap_or_default())
    };
    assert!(at(6).is_ok_and(|called| called.ends_with("test_a.py::test_sum\n")));
    assert!(at(7).is_ok_and(|called| called.ends_with("test_a.py::test_sum\n")), "the last one above");
    assert!(at(18).is_ok_and(|called| called.ends_with("test_a.py::TestShapes\n")), "a helper of a class");
    assert!(at(1).is_err_and(|error| error["message"] == "there is no test here, nor above it"));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn clients_that_ask_for_diagnostics_are_told_of_tests_all_the_same() {
    let folder = folder(&events("failed"));
    let (mut client, file) = start(folder.path(), pulling_editor());
    client.open(&file, TESTS);
    assert_eq!(client.pull(&file, None)["items"], json!([]));
    run(&mut client, &file, "test_sum", false);
    assert_eq!(client.published(&file, 1).len(), 1);
    assert_eq!(client.pull(&file, None)["items"], json!([]), "nothing is said twice");
    client.replace(&file, 2, &TESTS.replace("n == 1", "n == 2"));
    assert_eq!(client.published(&file, 2), Vec::<Value>::new());
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn what_is_found_in_kernels_of_a_strict_run_is_shown() {
    let mut told = events("passed");
    let place = |row: u32, column: u32| json!({"row": row, "column": column});
    told.last_mut().expect("events")["findings"] = json!([
        {"code": "PL203", "severity": "error", "message": "read before it is written", "evidence": null, "help": "set it",
            "filename": "test_a.py", "location": place(7, 3), "end_location": place(7, 9)},
        {"code": "PL203", "severity": "error", "message": "elsewhere", "filename": "other.py", "location": place(1, 1),
            "end_location": place(1, 2)},
    ]);
    let folder = folder(&told);
    let (mut client, file) = start(folder.path(), editor());
    client.open(&file, TESTS);
    client.published(&file, 1);
    assert_eq!(run(&mut client, &file, "test_sum", true)["summary"], "1 passed, 1 finding");
    let shown = client.published(&file, 1);
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0]["message"], "read before it is written\nhelp: set it");
    assert_eq!(shown[0]["range"], json!({"start": {"line": 6, "character": 2}, "end": {"line": 6, "character": 8}}));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn clients_without_lenses_get_actions_for_tests() {
    let folder = folder(&events("passed"));
    let (mut client, file) = start(folder.path(), editor());
    client.open(&file, TESTS);
    let titles = |client: &mut Client, line: u32| -> Vec<String> {
        let here = json!({"line": line, "character": 4});
        let params = json!({"textDocument": {"uri": file}, "range": {"start": here, "end": here}, "context": {"diagnostics": []}});
        let actions = client.request("textDocument/codeAction", params).expect("actions");
        let actions = actions.as_array().expect("a list").iter();
        actions.map(|action| action["title"].as_str().unwrap_or("?").to_string()).collect()
    };
    let rows = ["Run `TestShapes::test_rows`", "Check `TestShapes::test_rows` (strict)", "Run this file's tests"];
    assert_eq!(titles(&mut client, 11), rows);
    assert_eq!(titles(&mut client, 18)[0], "Run `TestShapes`");
    assert_eq!(titles(&mut client, 0), ["Run this file's tests"]);
    assert_eq!(client.finish(), Some(0));
}
