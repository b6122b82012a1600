"""Indices that depend on data: a histogram, a gather and a prefix sum.

Refs are indexed with scalars that were loaded from other Refs, with slices
that start at one (`pl.ds`), and with arrays of integers.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl


def histogram_kernel(x_ref, count_ref):
  count_ref[...] = jnp.zeros_like(count_ref)

  @pl.loop(0, x_ref.shape[0])
  def _(i):
    bin_index = x_ref[i]
    count_ref[bin_index] += 1


def histogram(x: jax.Array, bins: int) -> jax.Array:
  return pl.pallas_call(
      histogram_kernel,
      out_shape=jax.ShapeDtypeStruct((bins,), jnp.int32),
      interpret=True,
  )(x)


x = jax.random.randint(jax.random.key(3), (200,), 0, 8)
counts = histogram(x, 8)
for value, count in enumerate(counts):
  print(f"{value} {'#' * int(count)} {count}")
np.testing.assert_array_equal(counts, jnp.bincount(x, length=8))


# Rows of a table, chosen by number: one program for each row.
def gather_kernel(index_ref, table_ref, o_ref):
  row = index_ref[pl.program_id(0)]
  o_ref[...] = table_ref[pl.ds(row, 1), :]


table = jnp.arange(6 * 4).reshape(6, 4) * 10
index = jnp.array([5, 0, 0, 3])
rows = pl.pallas_call(
    gather_kernel,
    grid=(index.shape[0],),
    in_specs=[pl.BlockSpec(), pl.BlockSpec()],
    out_specs=pl.BlockSpec((1, 4), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((4, 4), table.dtype),
    interpret=True,
)(index, table)
print("rows 5, 0, 0, 3:")
print(rows)
np.testing.assert_array_equal(rows, table[index])


# A prefix sum that carries the total from block to block.
def scan_kernel(x_ref, o_ref, total_ref):
  @pl.when(pl.program_id(0) == 0)
  def _():
    total_ref[0] = 0

  sums = jnp.cumsum(x_ref[...]) + total_ref[0]
  o_ref[...] = sums
  total_ref[0] = sums[-1]


spec = pl.BlockSpec((8,), lambda i: (i,))
values = jnp.arange(32) % 5
sums, total = pl.pallas_call(
    scan_kernel,
    grid=(4,),
    in_specs=[spec],
    out_specs=[spec, pl.BlockSpec((1,), lambda i: (0,))],
    out_shape=[jax.ShapeDtypeStruct((32,), jnp.int32), jax.ShapeDtypeStruct((1,), jnp.int32)],
    interpret=True,
)(values)
print("prefix sums:", sums)
print("total:", total)
np.testing.assert_array_equal(sums, jnp.cumsum(values))


# A number of rounds that is only known at run time.
def collatz_kernel(x_ref, o_ref):
  def step(carry):
    n, count = carry
    return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), count + 1

  i = pl.program_id(0)
  _, o_ref[i] = lax.while_loop(lambda carry: carry[0] != 1, step, (x_ref[i], 0))


starts = jnp.array([1, 6, 7, 27, 97])
steps = pl.pallas_call(
    collatz_kernel,
    grid=starts.shape,
    out_shape=jax.ShapeDtypeStruct(starts.shape, jnp.int32),
    interpret=True,
)(starts)
print("Collatz steps:", dict(zip(starts.tolist(), steps.tolist())))
