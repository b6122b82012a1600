//! How much memory a run takes at most: inputs, outputs and 64 MB, however many programs the grid has. Measured on the built
//! program, as the operating system counts it.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// What may be taken beside inputs and outputs, in megabytes.
const BESIDE: usize = 64;

/// The most memory that a program had, in megabytes, when it has printed a line and waits for input.
fn peak(program: &str) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.py");
    fs::write(&path, format!("{program}\nprint('done')\ninput()\n")).expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .arg("run")
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let said = lines.next().and_then(Result::ok);
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    drop(child.stdin.take());
    child.wait().expect("ended");
    assert_eq!(said.as_deref(), Some("done"));
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the most memory");
    let kilobytes: usize = line.trim().trim_end_matches("kB").trim().parse().expect("a number");
    kilobytes / 1024
}

/// A launch that makes something of `x`, `rows` x `columns` numbers, a block at a time.
fn making(body: &str, rows: usize, columns: usize, block: (usize, usize)) -> String {
    let (height, width) = block;
    format!(
        "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = {body}


x = jnp.arange({rows} * {columns}, dtype=jnp.float32).reshape({rows}, {columns})
block = pl.BlockSpec(({height}, {width}), lambda i, j: (i, j))
y = pl.pallas_call(kernel, grid=(pl.cdiv({rows}, {height}), pl.cdiv({columns}, {width})), in_specs=[block], out_specs=block,
                   out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)
y.block_until_ready()
"
    )
}

#[test]
fn a_launch_takes_its_arrays_and_little_more() {
    let cases = [
        ("256 programs", 1 << 12, 1 << 12, (1 << 8, 1 << 8)),
        ("60 thousand programs", 1 << 16, 1 << 6, (1, 1 << 6)),
        ("a million programs", 1 << 20, 8, (1, 8)),
        // JAX pads both arrays to whole blocks, and cuts the padding off a copy at the end.
        ("blocks that do not divide the array", 1 << 12, 1 << 12, (250, 250)),
        ("blocks that are wider than the array", 160_000, 100, (256, 128)),
        ("blocks of 4 MB", 1 << 12, 1 << 12, (1 << 10, 1 << 10)),
        // Small programs are taken together, which wants whole blocks.
        ("small blocks that do not divide the array", 160_000, 100, (16, 128)),
        ("blocks of two rows of an odd number", 1_600_001, 8, (2, 8)),
    ];
    for (name, rows, columns, block) in cases {
        let arrays = 2 * rows * columns * 4 / (1 << 20);
        let peak = peak(&making("x + 1.0", rows, columns, block));
        assert!(peak <= arrays + BESIDE, "{name}: {peak} MB for arrays of {arrays} MB");
    }
}

/// What a launch reads once is computed as it reads it, and so is not there.
#[test]
fn an_input_that_nobody_looks_at_takes_no_memory() {
    let arrays = 2 * 128;
    let peak = peak(&making("x + 1.0", 1 << 13, 1 << 12, (1 << 8, 1 << 8)));
    assert!(peak < arrays, "{peak} MB, as if an input of 128 MB was there beside the output");
}

/// Kernels whose operations go over their tiles one by one: each core has some of them.
#[test]
fn tiles_of_kernels_come_back() {
    let bodies = ["jnp.cumsum(x, axis=1)", "(x.T + 1.0).T", "jnp.cumsum(x.T, axis=0).T * 2.0", "jnp.flip(x, 0)"];
    for body in bodies {
        let peak = peak(&making(body, 1 << 12, 1 << 12, (1 << 9, 1 << 9)));
        assert!(peak <= 128 + BESIDE, "{body}: {peak} MB for arrays of 128 MB");
    }
}

/// Tiles of 4 and of 8 MB: as few threads as there is memory for their tiles, and none that nobody reads any more.
#[test]
fn large_tiles_of_kernels_go_when_their_readers_are_done() {
    // What a program takes that does nothing, where it is compiled for speed. Others have larger pages of their own.
    const OWN: usize = 25;
    let own = peak("import jax").saturating_sub(OWN);
    // Of the last two, several tiles are there at a time: with 8 MB, they come to a little more.
    let bodies = [
        "jnp.cumsum(x, axis=1)",
        "(x.T + 1.0).T",
        "jnp.flip(x, 0)",
        "jax.nn.softmax(x, axis=0)",
        "jnp.cumsum(x.T, axis=0).T * 2.0",
        "jnp.where(x > x.sum(axis=0), x, -x).T.T * x.max()",
    ];
    let large = bodies[..4].iter().map(|body| (body, (1 << 10, 1 << 11)));
    for (body, block) in bodies.iter().map(|body| (body, (1 << 10, 1 << 10))).chain(large) {
        let peak = peak(&making(body, 1 << 12, 1 << 12, block));
        assert!(peak <= 128 + BESIDE + own, "{body} in blocks of {block:?}: {peak} MB for arrays of 128 MB");
    }
}

#[test]
fn expressions_outside_of_kernels_take_their_results_and_little_more() {
    let program = "\
import jax.numpy as jnp
x = jnp.sin(jnp.arange(1 << 23, dtype=jnp.float32) * 0.37 % 5.0 - 2.5) * 2.0 + 1.0
x.block_until_ready()
";
    let peak = peak(program);
    assert!(peak <= 32 + BESIDE, "{peak} MB for an array of 32 MB");
}

/// Expressions that are put off have their memory when they are written down, where Python can still say that there is none.
#[test]
fn a_result_that_no_memory_is_left_for_is_an_error_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.py");
    let program = "\
import jax.numpy as jnp
x = jnp.zeros((400_000_000,), jnp.float32)
kept = []
try:
  for number in range(8):
    kept.append(x + number)
except MemoryError as error:
  print(len(kept) < 8, 'emory' in str(error))
";
    fs::write(&path, program).expect("written");
    // Eight gigabytes of addresses; none of the arrays is ever touched.
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 8000000; exec \"$0\" run \"$1\"", env!("CARGO_BIN_EXE_pallas-tui")])
        .arg(&path)
        .output()
        .expect("started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "True True\n", "{errors}");
}

/// What a program prints that has as many kilobytes of addresses, whatever arrays it makes.
fn with_little_memory(kilobytes: usize, program: &str) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.py");
    fs::write(&path, program).expect("written");
    let limited = format!("ulimit -v {kilobytes}; exec \"$0\" run \"$1\"");
    let output = Command::new("sh").args(["-c", &limited, env!("CARGO_BIN_EXE_pallas-tui")]).arg(&path).output();
    let output = output.expect("started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Wherever an array is wanted that there is no memory for, the program gets an exception: put off and looked at later, made at
/// once, copied because it is written to, the output of a launch, a tile of a kernel.
#[test]
fn a_lack_of_memory_is_an_exception_wherever_it_comes_up() {
    let program = "\
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

N = 32 << 20  # 128 MB


def twice(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2


def in_a_kernel(x_ref, o_ref):
  wide = jnp.broadcast_to(x_ref[0], (16 * N,))
  o_ref[0] = jnp.sort(wide)[3]


def launch(x):
  block = pl.BlockSpec((1 << 20,), lambda i: (i,))
  return pl.pallas_call(twice, grid=(N >> 20,), in_specs=[block], out_specs=block,
                        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


def write():
  copy = np.array(x)
  copy[0] = 2
  return copy


def attempt(name, action):
  kept = []
  try:
    for _ in range(16):
      kept.append(action())
  except MemoryError as error:
    print(name, len(kept), str(error)[:60])


x = np.ones((N,), np.float32)
y = jnp.asarray(x)
attempt('put off', lambda: (y + 1).block_until_ready())
attempt('sorted', lambda: jnp.sort(y))
attempt('copied', write)
attempt('launched', lambda: launch(y).block_until_ready())
attempt('in a kernel', lambda: pl.pallas_call(in_a_kernel, out_shape=jax.ShapeDtypeStruct((1,), jnp.float32),
                                              interpret=True)(y[:1]))
print('done', float(y[5]))
";
    let (said, errors) = with_little_memory(2_500_000, program);
    let name = |line: &str| line.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().trim().to_string();
    let names: Vec<String> = said.lines().map(name).collect();
    assert_eq!(names, ["put off", "sorted", "copied", "launched", "in a kernel", "done"], "{said}{errors}");
    assert!(said.contains("memory"), "{said}");
}

#[test]
fn without_room_for_the_stack_nothing_runs_and_it_is_said_why() {
    let (said, errors) = with_little_memory(900_000, "print('here')\n");
    assert_eq!(said, "");
    assert!(errors.contains("no room for the evaluator's stack") && errors.contains("ulimit -v"), "{errors}");
}
