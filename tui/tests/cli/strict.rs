//! Strict runs: what the data of a run leaves unwritten is told, and nothing else.

use super::{Case, shown};

/// The sums of blocks of columns, where a number that only the data knows says whether it begins at zero.
const UNDEFINED: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(flag_ref, x_ref, o_ref):
  @pl.when((pl.program_id(1) == 0) & (flag_ref[pl.program_id(0)] > 0))
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += x_ref[...]


def sums(flags, x):
  return pl.pallas_call(
      kernel,
      grid=(2, 4),
      in_specs=[pl.BlockSpec((2,), lambda i, j: (0,)), pl.BlockSpec((8, 8), lambda i, j: (i, j))],
      out_specs=pl.BlockSpec((8, 8), lambda i, j: (i, 0)),
      out_shape=jax.ShapeDtypeStruct((16, 8), x.dtype),
      interpret=True,
  )(flags, x)


print(int(jnp.isnan(sums(jnp.array([1.0, FLAG]), jnp.ones((16, 32)))).sum()))
";

#[test]
fn a_strict_run_tells_of_memory_that_the_data_left_unwritten() {
    let case = Case::with("sums.py", UNDEFINED.replace("FLAG", "0"));
    let plain = case.run(&["run", "sums.py"]);
    assert_eq!((plain.status.code(), &plain.stdout[..], plain.stderr.is_empty()), (Some(0), &b"64\n"[..], true));
    insta::assert_snapshot!(shown(&case.run(&["run", "--strict", "sums.py"])));
    let fine = Case::with("sums.py", UNDEFINED.replace("FLAG", "1"));
    let strict = fine.run(&["run", "--strict", "sums.py"]);
    assert_eq!((strict.status.code(), &strict.stdout[..], strict.stderr.is_empty()), (Some(0), &b"0\n"[..], true));
}
