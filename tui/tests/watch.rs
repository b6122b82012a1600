//! `watch --headless`, through the built binary: a line for each run, saves of every kind, stale runs, commands.

#![cfg(unix)]

use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const FILE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
import sizes


def add_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


x = jnp.zeros((sizes.PROGRAMS * 8, 128))
spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
pl.pallas_call(add_kernel, grid=(sizes.PROGRAMS,), in_specs=[spec], out_specs=spec, out_shape=x, interpret=True)(x)
";

/// Longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longer than a second run for the same save would take to begin and end.
const SILENCE: Duration = Duration::from_millis(1500);

struct Session {
    folder: TempDir,
    child: Child,
    lines: Receiver<String>,
}

impl Session {
    fn start(arguments: &[&str]) -> Session {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("kernel.py"), FILE).expect("written");
        fs::write(folder.path().join("sizes.py"), "PROGRAMS = 4\n").expect("written");
        let mut child = Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
            .args(["watch", "--headless", "kernel.py"])
            .args(arguments)
            .current_dir(folder.path())
            .env_remove("PYTHONPATH")
            .env_remove("VIRTUAL_ENV")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let out = child.stdout.take().expect("it is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Session { folder, child, lines }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    fn line(&self, what: &str) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    fn json(&self, what: &str) -> Value {
        serde_json::from_str(&self.line(what)).expect("a line is an object")
    }

    fn silent(&self, what: &str) {
        assert_eq!(self.lines.recv_timeout(SILENCE), Err(RecvTimeoutError::Timeout), "{what}");
    }

    /// Ends it with a signal; gives its exit code.
    fn end(mut self, signal: &str) -> Option<i32> {
        let sent = Command::new("kill").args(["-s", signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                return status.code();
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_line_for_each_run_with_what_changed() {
    let session = Session::start(&["--timing", "off"]);
    let settle = |line: String| {
        // How long it took is the machine's business.
        let (before, after) = line.split_once(" s; ").expect("a time");
        let (before, _) = before.rsplit_once(' ').expect("a time");
        format!("{before} (time); {after}")
    };
    let mut lines = vec![settle(session.line("the first run"))];
    session.write("sizes.py", "PROGRAMS = 8\n");
    lines.push(settle(session.line("a module that it imports")));
    session.write("kernel.py", &FILE.replace("+ 1", "+ 2"));
    lines.push(settle(session.line("the file itself")));
    session.write("kernel.py", &FILE.replace("add_kernel", "plus_kernel"));
    lines.push(settle(session.line("another kernel")));
    session.write("kernel.py", "raise ValueError('not today')\n");
    let failed = session.line("a failure");
    assert!(
        failed.starts_with("#5 kernel.py: failed with exit code 1, ValueError: not today; 0 launches, "),
        "{failed}"
    );
    session.write("kernel.py", FILE);
    lines.push(settle(session.line("mended")));
    insta::assert_snapshot!(lines.join("\n"));
    assert_eq!(session.end("INT"), Some(0));
}

#[test]
fn json_lines_hold_what_changed_per_launch_and_stage() {
    let session = Session::start(&["--json", "--machine", "h100"]);
    let first = session.json("the first run");
    assert_eq!((&first["run"], &first["exit"], &first["machine"]), (&1.into(), &0.into(), &"h100".into()));
    assert!(first["changes"].is_null() && first["problem"].is_null());
    assert_eq!(first["launches"][0]["programs"], 4);
    assert!(first["launches"][0]["measured"].as_f64().is_some_and(|time| time > 0.0));
    assert_eq!(first["counts"], serde_json::json!({ "error": 0, "warning": 0, "info": 0 }));
    session.write("sizes.py", "PROGRAMS = 1024\n");
    let second = session.json("a module");
    let changed = second["changed"][0].as_str().expect("a path");
    assert!(
        changed.ends_with("sizes.py") && second["changed"].as_array().is_some_and(|all| all.len() == 1),
        "{second}"
    );
    let changes = second["changes"].as_array().expect("changes");
    let stages = |kind: &str| -> Vec<&str> {
        changes.iter().filter(|change| change["kind"] == kind).filter_map(|change| change["stage"].as_str()).collect()
    };
    assert_eq!(stages("modelled"), ["time", "compute", "wait"]);
    assert_eq!(stages("measured"), ["time", "copy_in", "compute", "copy_out"]);
    assert!(changes[0]["share"].as_f64().is_some_and(|share| share > 0.0), "more programs take longer: {second}");
    session.write("kernel.py", &FILE.replace("lambda i: (i, 0)", "lambda i: (i + 1, 0)"));
    let third = session.json("a block out of bounds");
    let finding = &third["findings"][0];
    assert!(finding["severity"] == "error" && third["counts"]["error"].as_u64() >= Some(1), "{third}");
    assert!(finding["place"].as_str().is_some_and(|place| place.starts_with("kernel.py:12:")), "{third}");
    assert_eq!(session.end("TERM"), Some(0));
}

/// The seven kinds of save: each runs the file once, and `touch` not at all.
#[test]
fn every_kind_of_save_runs_once() {
    use std::io::Write;
    let session = Session::start(&["--timing", "off", "--json"]);
    let file = session.path("kernel.py");
    session.line("the first run");
    let mut number = 0;
    let mut text = || {
        number += 1;
        format!("{FILE}# {number}\n")
    };
    let once = |what: &str| {
        session.line(what);
        session.silent(what);
    };
    fs::write(&file, text()).expect("written");
    once("in place");
    let beside = session.path(".kernel.py.tmp");
    fs::write(&beside, text()).expect("written");
    fs::rename(&beside, &file).expect("renamed");
    once("an atomic rename");
    // Vim tries whether it may create files, keeps a backup while it writes, and has a swap file.
    let (probe, backup, swap) = (session.path("4913"), session.path("kernel.py~"), session.path(".kernel.py.swp"));
    fs::write(&swap, "swap").expect("written");
    fs::write(&probe, "").expect("written");
    fs::remove_file(&probe).expect("removed");
    fs::rename(&file, &backup).expect("renamed");
    std::thread::sleep(Duration::from_millis(5));
    fs::write(&file, text()).expect("written");
    fs::remove_file(&backup).expect("removed");
    fs::remove_file(&swap).expect("removed");
    once("vim with a backup");
    fs::rename(&file, &backup).expect("renamed");
    fs::write(&file, text()).expect("written");
    once("emacs, whose backup stays");
    let sed = Command::new("sed").args(["-i", "s/^# 4$/# four/"]).arg(&file).status().expect("sed runs");
    assert!(sed.success() && fs::read_to_string(&file).expect("read").ends_with("# four\n"));
    once("sed -i");
    if cfg!(target_os = "linux") {
        let whole = text();
        let (first, second) = whole.as_bytes().split_at(whole.len() / 2);
        let mut open = fs::File::create(&file).expect("created");
        open.write_all(first).expect("written");
        std::thread::sleep(Duration::from_millis(150));
        open.write_all(second).expect("written");
        drop(open);
        once("two chunks");
    }
    let touch = Command::new("touch").arg(&file).status().expect("touch runs");
    assert!(touch.success());
    session.silent("touch");
    assert_eq!(session.end("HUP"), Some(0));
}

#[test]
fn a_stale_run_is_stopped_and_says_nothing() {
    let session = Session::start(&["--timing", "off", "--json"]);
    assert_eq!(session.json("the first run")["run"], 1);
    // A run that never ends by itself: the save that follows has to end it.
    session.write("kernel.py", &format!("{FILE}while True:\n  pass\n"));
    session.silent("it does not end");
    session.write("kernel.py", FILE);
    let third = session.json("the run after the endless one");
    assert_eq!((&third["run"], &third["exit"]), (&3.into(), &0.into()));
    session.silent("the endless run says nothing");
    // Signals end a run that does not end, too.
    session.write("kernel.py", &format!("{FILE}while True:\n  pass\n"));
    session.silent("it does not end");
    assert_eq!(session.end("INT"), Some(0));
}

#[test]
fn a_missing_file_is_waited_for() {
    let session = Session::start(&["--timing", "off", "--json"]);
    session.line("the first run");
    fs::remove_file(session.path("kernel.py")).expect("removed");
    session.silent("there is nothing to run");
    session.write("kernel.py", &FILE.replace("+ 1", "+ 2"));
    assert_eq!(session.json("there again")["exit"], 0);
    // So is a module that could not be imported.
    session.write("kernel.py", &FILE.replace("import sizes", "import sizes, tiles"));
    assert_eq!(session.json("a module is missing")["problem"], "ModuleNotFoundError: No module named 'tiles'");
    session.write("tiles.py", "ROWS = 8\n");
    assert_eq!(session.json("the module is written")["exit"], 0);
}

#[test]
fn a_command_runs_after_each_run() {
    let command = "cat > got.part; printf '%s %s %s\\n' \"$PALLAS_RUN\" \"$PALLAS_EXIT\" \"$PALLAS_FILE\" >> got.part; mv got.part got";
    let session = Session::start(&["--timing", "off", "--exec", command]);
    let got = |session: &Session| {
        let begun = Instant::now();
        while !session.path("got").exists() {
            assert!(begun.elapsed() < PATIENCE, "the command does not run");
            std::thread::sleep(Duration::from_millis(10));
        }
        let text = fs::read_to_string(session.path("got")).expect("read");
        fs::remove_file(session.path("got")).expect("removed");
        let (json, rest) = text.split_once('\n').expect("two lines");
        (serde_json::from_str::<Value>(json).expect("the object")["run"].clone(), rest.to_string())
    };
    assert!(session.line("the first run").starts_with("#1 kernel.py: 1 launch, no findings, "));
    assert_eq!(got(&session), (1.into(), "1 0 kernel.py\n".to_string()));
    session.write("kernel.py", "import sys\nsys.exit(3)\n");
    session.line("the second run");
    assert_eq!(got(&session), (2.into(), "2 3 kernel.py\n".to_string()));
}

#[test]
fn what_cannot_be_watched_is_said() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_pallas-tui")).args(arguments).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run(&["watch", "--headless", "missing.py"]).contains("missing.py: no such file"));
    let own = env!("CARGO_MANIFEST_DIR").to_string() + "/../samples/01_add.py";
    assert!(run(&["watch", "--headless", "--machine", "abacus", &own]).contains("no machine is called `abacus`"));
    assert!(run(&["watch", "--json", "missing.py"]).contains("--headless"));
}
