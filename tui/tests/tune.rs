//! `tune`, through the built binary, and its progress in a pseudo-terminal.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A scale in blocks of `bm` rows, which have to divide the array's.
const FILE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

ROWS = 64


def scale_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2


def scale(x, *, bm=8):
  if x.shape[0] % bm:
    raise ValueError(f'{bm} rows do not divide {x.shape[0]}')
  block = pl.BlockSpec((bm, 128), lambda i: (i, 0))
  return pl.pallas_call(
      scale_kernel, grid=(x.shape[0] // bm,), in_specs=[block], out_specs=block, out_shape=x)(x)


print(scale(jnp.ones((ROWS, 128)))[0, 0])
";

struct Case(TempDir);

impl Case {
    fn new(text: &str) -> Case {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("k.py"), text).expect("written");
        Case(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("k.py")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pallas-tui"));
        command.arg("tune").args(arguments).current_dir(self.0.path());
        command.env_remove("PYTHONPATH").env_remove("VIRTUAL_ENV");
        command.env("XDG_CACHE_HOME", self.0.path().join("cache")).output().expect("the binary starts")
    }
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn points_are_measured_and_those_that_fail_say_why() {
    let case = Case::new(FILE);
    let (code, out, err) = said(&case.run(&["k.py", "--param", "bm=8,64,24,16", "--rounds", "2", "--json", "t.json"]));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("k.py by interpret mode on the CPU"), "{out}");
    assert!(out.contains("ValueError: 24 rows do not divide 64"), "{out}");
    assert!(out.contains("\nbest: bm="), "{out}");
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(case.0.path().join("t.json")).expect("it is written")).expect("JSON");
    assert_eq!(json["points"].as_array().map(Vec::len), Some(4));
    assert_eq!(json["points"][0]["times"].as_array().map(Vec::len), Some(2));
    assert_eq!(fs::read_to_string(case.file()).expect("the file"), FILE, "nothing is written that was not asked for");
}

#[test]
fn the_best_is_written_where_that_is_asked_for() {
    let case = Case::new(FILE);
    let (code, out, err) = said(&case.run(&["k.py", "scale", "--param", "bm=32", "--write"]));
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(err.contains("written, line 12: 32"), "{err}");
    assert_eq!(fs::read_to_string(case.file()).expect("the file"), FILE.replace("bm=8", "bm=32"));
}

#[test]
fn a_parameter_that_is_not_there_is_told_with_those_that_are() {
    let case = Case::new(FILE);
    let (code, _, err) = said(&case.run(&["k.py", "--param", "bn=1,2"]));
    assert_eq!(code, Some(2));
    assert!(err.contains("nothing is called `bn`") && err.contains("there are: ROWS, bm"), "{err}");
    let (code, _, err) = said(&case.run(&["k.py"]));
    assert_eq!(code, Some(2));
    assert!(err.contains("name what to try") && err.contains("ROWS, bm"), "{err}");
    let (code, _, err) = said(&case.run(&["k.py", "--warps", "4"]));
    assert_eq!(code, Some(2));
    assert!(err.contains("--device"), "{err}");
}

#[test]
fn a_program_that_prints_something_else_is_no_choice() {
    let case = Case::new(&FILE.replace("[0, 0]", ".sum()"));
    let (code, out, err) = said(&case.run(&["k.py", "--param", "ROWS=64,128"]));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("prints something else than the file as it is") && out.contains("best: ROWS=64"), "{out}");
}

#[test]
fn a_file_that_fails_as_it_is_is_told() {
    let case = Case::new(&FILE.replace("bm=8", "bm=7"));
    let (code, _, err) = said(&case.run(&["k.py", "--param", "bm=7,5"]));
    assert_eq!(code, Some(2));
    assert!(err.contains("ValueError: 7 rows do not divide 64"), "{err}");
}

#[test]
fn warps_and_block_sizes_are_tried_on_a_device() {
    let case = Case::new(FILE);
    let arguments = ["k.py", "--param", "bm=8,64", "--warps", "1,4,3", "--device", "simulator"];
    let (code, out, err) = said(&case.run(&arguments));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("by the simulator") && out.contains("warps"), "{out}");
    assert!(out.contains("a block has 1, 2, 4, 8, 16 or 32 warps"), "{out}");
    assert_eq!(out.matches("(leave").count(), 2, "two points fail, with what to do: {out}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_measured() {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    use std::io::{Read, Write};
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};
    // Longer than any machine needs.
    const PATIENCE: Duration = Duration::from_secs(60);
    let case = Case::new(&FILE.replace("ROWS = 64", "ROWS = 2048"));
    let size = PtySize { rows: 40, cols: 140, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_pallas-tui"));
    let values: Vec<String> = (1..=1000).map(|number| number.to_string()).collect();
    command.args(["tune", "k.py", "--rounds", "50", "--param"]);
    command.arg(format!("bm=8,{}", values.join(",")));
    command.cwd(case.0.path());
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    let mut child = pair.slave.spawn_command(command).expect("the binary starts");
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let mut keys = pair.master.take_writer().expect("a writer");
    let text = Arc::new(Mutex::new(String::new()));
    let read = text.clone();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut bytes) {
            read.lock().expect("no test panics while it reads").push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    });
    let wait = |what: &str| {
        let begun = Instant::now();
        while !text.lock().expect("the reader does not panic").contains(what) {
            assert!(begun.elapsed() < PATIENCE, "no {what} in {:?}", text.lock().expect("the reader does not panic"));
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    // The first point is done when the second is told of.
    wait("of 1001 points");
    wait("bm=1 ");
    keys.write_all(b"\x03").and_then(|()| keys.flush()).expect("the terminal takes keys");
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a status") {
            break status;
        }
        assert!(begun.elapsed() < PATIENCE, "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.exit_code(), 130);
    wait("points were measured");
    let text = text.lock().expect("the reader does not panic");
    assert!(text.contains("best: bm=8 "), "{text}");
}

#[test]
fn a_way_to_machine_code_is_about_a_cuda_device() {
    let case = Case::new(FILE);
    let (code, _, err) = said(&case.run(&["k.py", "--param", "bm=8", "--backend", "tileir"]));
    assert_eq!(code, Some(2));
    assert!(err.contains("--backend is about a CUDA device: it needs `--device cuda` or `auto`"), "{err}");
    let arguments = ["k.py", "--warps", "4", "--backend", "tileir", "--device", "cuda"];
    let (code, _, err) = said(&case.run(&arguments));
    assert_eq!(code, Some(2));
    assert!(err.contains("tileiras decides itself"), "{err}");
}

#[test]
fn what_there_is_to_try_is_said_and_what_has_to_be_mended_first() {
    for (text, expected) in [
        (FILE, "name what to try, as `--param ROWS=64,128,256`; k.py has: ROWS, bm"),
        ("print('nothing here')\n", "k.py: nothing to try: no name is given a whole number, as `bm=128` would be"),
        ("x = 1\ndef f(:\n", "k.py:2: '(' was never closed; mend it first, then tune"),
    ] {
        let (exit, _, stderr) = said(&Case::new(text).run(&["k.py"]));
        assert_eq!((exit, stderr.trim_end()), (Some(2), format!("pallas-tui: {expected}").as_str()));
    }
}
