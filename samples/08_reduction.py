"""Sums over a grid axis: first wrong, then right.

An output block that several programs share is not zero to begin with, and it
is only kept between consecutive programs. So: reduce over the last axis of the
grid, and let the first program along it write the zeros.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

BLOCK = (2, 4)


# Wrong twice: `o_ref` is never initialised, and the reduced axis comes first.
def incorrect_sum_kernel(x_ref, o_ref):
  o_ref[...] += x_ref[...]  # pallas: ignore[PL203]


def incorrect_sum(x: jax.Array) -> jax.Array:
  reduction_size, *out_shape = x.shape
  grid = (reduction_size, *(out // block for out, block in zip(out_shape, BLOCK)))
  return pl.pallas_call(
      incorrect_sum_kernel,
      grid=grid,
      # None in the block shape: a block of one, squeezed away in the kernel.
      in_specs=[pl.BlockSpec((None, *BLOCK), lambda i, j, k: (i, j, k))],
      out_specs=pl.BlockSpec(BLOCK, lambda i, j, k: (j, k)),  # pallas: ignore[PL124]
      out_shape=jax.ShapeDtypeStruct(out_shape, x.dtype),
      interpret=True,
  )(x)


def correct_sum_kernel(x_ref, o_ref):
  @pl.when(pl.program_id(2) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)

  o_ref[...] += x_ref[...]


def correct_sum(x: jax.Array) -> jax.Array:
  reduction_size, *out_shape = x.shape
  # The reduced axis is the last axis of the grid.
  grid = (*(out // block for out, block in zip(out_shape, BLOCK)), reduction_size)
  return pl.pallas_call(
      correct_sum_kernel,
      grid=grid,
      in_specs=[pl.BlockSpec((None, *BLOCK), lambda i, j, k: (k, i, j))],
      out_specs=pl.BlockSpec(BLOCK, lambda i, j, k: (i, j)),
      out_shape=jax.ShapeDtypeStruct(out_shape, x.dtype),
      interpret=True,
  )(x)


x = jnp.arange(8 * 4 * 8, dtype=jnp.float32).reshape(8, 4, 8)
print("wrong: what an output holds before it is written is unspecified,")
print("and interpret mode fills it with NaN so that the mistake shows:")
print(incorrect_sum(x)[:2])
print("wrong, with integers: it starts from the smallest one:")
print(incorrect_sum(jnp.ones((8, 4, 8), jnp.int32))[0, :4])

result = correct_sum(x)
print("right:")
print(result)
np.testing.assert_array_equal(result, jnp.sum(x, axis=0))
print("equal to jnp.sum(x, axis=0):", bool((result == x.sum(axis=0)).all()))
