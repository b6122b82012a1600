//! Kernels with checks on a device tell what a strict run tells in interpret mode. The device is the simulator of one.

use super::{Case, shown};

/// What stands before each kernel.
const HEAD: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


";

/// Sums of blocks of columns, of which only the data says whether they begin at zero.
const BEGINS: &str = "\
def kernel(flag_ref, x_ref, o_ref):
  @pl.when((pl.program_id(1) == 0) & (flag_ref[pl.program_id(0)] > 0))
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += x_ref[...]


pl.pallas_call(
    kernel,
    grid=(2, 4),
    in_specs=[pl.BlockSpec((2,), lambda i, j: (0,)), pl.BlockSpec((8, 8), lambda i, j: (i, j))],
    out_specs=pl.BlockSpec((8, 8), lambda i, j: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((16, 8), jnp.float32),
)(jnp.array([1.0, FLAG]), jnp.ones((16, 32)))
";

/// Sums of rows, the last block of which reaches past the end of the array; the data says how many there are.
const PADDED: &str = "\
def kernel(limit_ref, x_ref, o_ref):
  rows = pl.program_id(0) * 8 + jax.lax.broadcasted_iota(jnp.int32, (8, 4), 0)
  o_ref[...] = jnp.sum(jnp.where(rows < limit_ref[0], x_ref[...], 0.0), axis=0, keepdims=True)


pl.pallas_call(
    kernel,
    grid=(2,),
    in_specs=[pl.BlockSpec((1,), lambda i: (0,)), pl.BlockSpec((8, 4), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((1, 4), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((2, 4), jnp.float32),
)(jnp.array([LIMIT], jnp.float32), jnp.ones((12, 4)))
";

/// A number in scratch memory that only some programs write before it is read.
const SCRATCH: &str = "\
def kernel(x_ref, o_ref, acc_ref):
  @pl.when(x_ref[0, 0] > LIMIT)
  def _():
    acc_ref[...] = jnp.zeros_like(acc_ref)
  acc_ref[...] += x_ref[...]
  o_ref[...] = acc_ref[...] * 2


pl.pallas_call(
    kernel,
    grid=(4,),
    in_specs=[pl.BlockSpec((1, 8), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((1, 8), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((4, 8), jnp.int32),
    scratch_shapes=[pltpu.VMEM((1, 8), jnp.int32)],
)(jnp.arange(32).reshape(4, 8))
";

/// Rows of an output that the data leaves out.
const LEFT_OUT: &str = "\
def kernel(x_ref, o_ref):
  @pl.when(x_ref[0, 0] != LIMIT)
  def _():
    o_ref[...] = x_ref[...]


pl.pallas_call(
    kernel,
    grid=(4,),
    in_specs=[pl.BlockSpec((1, 8), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((1, 8), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((4, 8), jnp.bfloat16),
)(jnp.arange(32.0).reshape(4, 8).astype(jnp.bfloat16))
";

/// Garbage behind a mask that lets some of it through, or none.
const MASKED: &str = "\
def kernel(x_ref, o_ref, acc_ref):
  garbage = acc_ref[...]
  o_ref[...] = jnp.where(x_ref[...] >= LIMIT, x_ref[...], garbage)


pl.pallas_call(
    kernel,
    out_shape=jax.ShapeDtypeStruct((4, 8), jnp.int8),
    scratch_shapes=[pltpu.VMEM((4, 8), jnp.int8)],
)(jnp.arange(32, dtype=jnp.int8).reshape(4, 8))
";

/// Findings, as they are printed: what was said of devices is left out.
fn findings(case: &Case, arguments: &[&str]) -> String {
    let output = case.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().filter(|line| !line.contains("the simulator")).map(|line| format!("{line}\n")).collect()
}

/// What `--strict` finds is found on a device, to the word; nothing is where there is nothing.
fn told(kernel: &str, wrong: &str, right: &str) -> String {
    let text = |limit: &str| format!("{HEAD}{}", kernel.replace("LIMIT", limit).replace("FLAG", limit));
    let case = Case::with("kernels.py", text(wrong));
    let strict = findings(&case, &["run", "--strict", "kernels.py"]);
    assert_eq!(findings(&case, &["run", "--device", "simulator", "--checked", "kernels.py"]), strict);
    assert_eq!(findings(&case, &["run", "--device", "simulator", "kernels.py"]), "");
    let case = Case::with("kernels.py", text(right));
    assert_eq!(findings(&case, &["run", "--device", "simulator", "--checked", "kernels.py"]), "");
    strict
}

#[test]
fn an_output_that_begins_with_what_was_in_memory() {
    insta::assert_snapshot!(told(BEGINS, "0", "1"));
}

#[test]
fn padding_that_reaches_an_output() {
    insta::assert_snapshot!(told(PADDED, "16", "12"));
}

#[test]
fn scratch_memory_that_is_read_before_it_is_written() {
    insta::assert_snapshot!(told(SCRATCH, "7", "-1"));
}

#[test]
fn an_output_that_is_left_out_in_part() {
    insta::assert_snapshot!(told(LEFT_OUT, "16", "1"));
}

#[test]
fn garbage_that_a_mask_lets_through() {
    insta::assert_snapshot!(told(MASKED, "1", "0"));
}

/// Programs that run at the same time, and write to one block.
const RACE: &str = "\
def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


pl.pallas_call(
    kernel,
    grid=(4,),
    in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((8, 128), lambda i: (i // 2, 0)),
    out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32),
    compiler_params=pltpu.CompilerParams(dimension_semantics=('parallel',)),
)(jnp.ones((32, 128)))
";

#[test]
fn programs_that_write_to_one_block_at_the_same_time() {
    let case = Case::with("kernels.py", format!("{HEAD}{RACE}"));
    insta::assert_snapshot!(findings(&case, &["run", "--device", "simulator", "--checked", "kernels.py"]));
    let strict = findings(&case, &["run", "--strict", "kernels.py"]);
    assert!(strict.contains("PL410"), "{strict}");
}
