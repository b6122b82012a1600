//! What runs for an editor, and is stopped before its end, through the built server: in both ways that the protocol has, and with
//! the session. A program of ours is in the place of `pallas-tui`; it runs until it is ended.
#![cfg(unix)]

use crate::client::{Client, editor, is_running, wait_until};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

const TESTS: &str = "\
import jax


def test_first():
  assert 1 == 2


def test_second():
  pass
";

/// A folder with a file of tests, and the program: it says what the first test came to, notes its process, and does what is said.
fn folder(ending: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let test = |name: &str| json!({"id": format!("test_a.py::{name}"), "classes": [], "function": name});
    let events = [
        json!({"event": "collected", "tests": [test("test_first"), test("test_second")], "errors": []}),
        json!({"event": "finished", "id": "test_a.py::test_first", "outcome": "failed", "seconds": 0.1,
            "message": "assert 1 == 2", "file": "test_a.py", "line": 5}),
        json!({"event": "started", "id": "test_a.py::test_second"}),
    ];
    fs::write(folder.path().join("test_a.py"), TESTS).expect("written");
    fs::write(folder.path().join("events"), events.map(|event| format!("{event}\n")).concat()).expect("written");
    program(folder.path(), ending);
    folder
}

fn program(folder: &Path, ending: &str) {
    let path = folder.join("tui");
    let script = format!(
        "#!/bin/sh\ncd \"$(dirname \"$0\")\"\ncat events\necho $$ > process.new\nmv process.new process\n{ending}\n"
    );
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("made executable");
}

fn start(folder: &Path) -> (Client, String) {
    let mut capabilities = editor();
    capabilities["window"] = json!({"workDoneProgress": true});
    capabilities["experimental"] = json!({"pallas": {"presentsResults": true}});
    let root = format!("file://{}", folder.display());
    let mut client = Client::start();
    client.greet(json!({
        "capabilities": capabilities,
        "initializationOptions": {"tui": folder.join("tui")},
        "workspaceFolders": [{"uri": root, "name": "w"}],
    }));
    let file = format!("{root}/test_a.py");
    client.open(&file, TESTS);
    assert_eq!(client.published(&file, 1), Vec::<Value>::new());
    (client, file)
}

/// Starts a command. Its request, the token of its progress, and its process.
fn begin(client: &mut Client, folder: &Path, command: &str, file: &str) -> (i64, Value, String) {
    let id = client.ask("workspace/executeCommand", json!({"command": command, "arguments": [{"uri": file}]}));
    let begun = client.notification("$/progress", |params| params["value"]["kind"] == "begin");
    let note = folder.join("process");
    wait_until("the program runs", || note.is_file());
    let process = fs::read_to_string(&note).expect("noted").trim().to_string();
    fs::remove_file(note).expect("noted once");
    assert!(is_running(&process));
    (id, begun["token"].clone(), process)
}

fn end_of(client: &mut Client, token: &Value) -> Value {
    client.notification("$/progress", |params| params["token"] == *token && params["value"]["kind"] == "end")
}

const COMMANDS: [&str; 3] = ["pallas.run", "pallas.profile", "pallas.test"];
const FOR_EVER: &str = "exec sleep 600";

#[test]
fn progress_stops_what_runs_and_the_answer_says_so() {
    let folder = folder(FOR_EVER);
    let (mut client, file) = start(folder.path());
    for command in COMMANDS {
        let (id, token, process) = begin(&mut client, folder.path(), command, &file);
        client.notify("window/workDoneProgress/cancel", json!({"token": token}));
        let answer = client.answer(id).expect("a result");
        assert_eq!(answer["cancelled"], true, "{command}");
        assert!(!is_running(&process), "{command}");
        assert_eq!(end_of(&mut client, &token)["value"]["message"], "stopped", "{command}");
    }
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn a_request_that_is_taken_back_stops_what_runs_and_its_progress_ends() {
    let folder = folder(FOR_EVER);
    let (mut client, file) = start(folder.path());
    for command in COMMANDS {
        let (id, token, process) = begin(&mut client, folder.path(), command, &file);
        client.notify("$/cancelRequest", json!({"id": id}));
        assert_eq!(client.answer(id).expect_err("taken back")["code"], -32800, "{command}");
        assert_eq!(end_of(&mut client, &token)["value"]["message"], "stopped", "{command}");
        assert!(!is_running(&process), "{command}");
    }
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn tests_that_have_ended_before_the_others_were_stopped_are_shown() {
    let folder = folder(FOR_EVER);
    let (mut client, file) = start(folder.path());
    for by_progress in [true, false] {
        let (id, token, _) = begin(&mut client, folder.path(), "pallas.test", &file);
        if by_progress {
            client.notify("window/workDoneProgress/cancel", json!({"token": token}));
            let answer = client.answer(id).expect("a result");
            assert_eq!((&answer["tests"][0]["test"], &answer["tests"][1]), (&json!("test_first"), &Value::Null));
        } else {
            client.notify("$/cancelRequest", json!({"id": id}));
            client.answer(id).expect_err("taken back");
        }
        assert_eq!(client.published(&file, 1)[0]["message"], "assert 1 == 2\ntest_first");
    }
    // The session goes on: the file is answered for, and the tests can be run again, to their end this time.
    let symbols = client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": file}}));
    assert!(symbols.is_ok());
    program(folder.path(), "exit 0");
    let arguments = json!({"command": "pallas.test", "arguments": [{"uri": file}]});
    let answer = client.request("workspace/executeCommand", arguments).expect("a result");
    assert_eq!((&answer["cancelled"], &answer["tests"][0]["outcome"]), (&json!(false), &json!("failed")));
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn one_of_two_that_run_is_stopped() {
    let folder = folder(FOR_EVER);
    let (mut client, file) = start(folder.path());
    let (first, token, process) = begin(&mut client, folder.path(), "pallas.run", &file);
    let (second, other, still) = begin(&mut client, folder.path(), "pallas.profile", &file);
    client.notify("window/workDoneProgress/cancel", json!({"token": token}));
    assert_eq!(client.answer(first).expect("a result")["cancelled"], true);
    assert!(!is_running(&process) && is_running(&still));
    client.notify("window/workDoneProgress/cancel", json!({"token": other}));
    assert_eq!(client.answer(second).expect("a result")["cancelled"], true);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn what_the_program_has_started_holds_nothing_up() {
    // A child that keeps the streams of the program open, as a compiler that it starts does.
    let folder = folder("sleep 20 & wait");
    let (mut client, file) = start(folder.path());
    let (id, token, process) = begin(&mut client, folder.path(), "pallas.run", &file);
    let before = std::time::Instant::now();
    client.notify("window/workDoneProgress/cancel", json!({"token": token}));
    assert_eq!(client.answer(id).expect("a result")["cancelled"], true);
    assert!(!is_running(&process));
    assert!(before.elapsed().as_secs() < 19, "the child was waited for");
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn what_runs_ends_with_the_session() {
    let folder = folder(FOR_EVER);
    let (mut client, file) = start(folder.path());
    let (_, _, process) = begin(&mut client, folder.path(), "pallas.test", &file);
    assert_eq!(client.finish(), Some(0));
    assert!(!is_running(&process), "after exit");

    let (mut client, file) = start(folder.path());
    let (_, _, process) = begin(&mut client, folder.path(), "pallas.run", &file);
    client.hang_up();
    assert_eq!(client.exit_status(), Some(0));
    assert!(!is_running(&process), "after the editor has gone");
}
