"""Counts: `pl.program_id` tells a program where in the grid it is.

The grid `(size,)` runs `size` programs without any block: each sees the whole
output and writes its own element.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def iota_kernel(o_ref):
  i = pl.program_id(0)
  o_ref[i] = i


def iota(size: int) -> jax.Array:
  return pl.pallas_call(
      iota_kernel,
      out_shape=jax.ShapeDtypeStruct((size,), jnp.int32),
      grid=(size,),
      interpret=True,
  )()


def triangle_kernel(o_ref):
  """A two-dimensional grid: program (i, j) writes one element of a matrix."""
  i, j = pl.program_id(0), pl.program_id(1)
  last = pl.num_programs(1) - 1
  o_ref[i, j] = jnp.where(j == last, -1, jnp.where(j <= i, 10 * i + j, 0))


def triangle(rows: int, columns: int) -> jax.Array:
  return pl.pallas_call(
      triangle_kernel,
      out_shape=jax.ShapeDtypeStruct((rows, columns), jnp.int32),
      grid=(rows, columns),
      interpret=True,
  )()


print(repr(iota(8)))
np.testing.assert_array_equal(iota(8), jnp.arange(8))

print("program (i, j) writes 10 * i + j up to the diagonal; the last column is -1:")
print(triangle(4, 6))
