"""The sum of (8, 1024, 1024) over its first axis, which is the last axis of the grid."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from harness import main, values


def inputs(small):
  n = 256 if small else 1024
  return (values((8, n, n)),)


def kernel(x_ref, o_ref):
  @pl.when(pl.program_id(2) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)

  o_ref[...] += x_ref[...]


def launch(x):
  n = x.shape[1]
  return pl.pallas_call(
      kernel, grid=(n // 256, n // 256, 8),
      in_specs=[pl.BlockSpec((None, 256, 256), lambda i, j, k: (k, i, j))],
      out_specs=pl.BlockSpec((256, 256), lambda i, j, k: (i, j)),
      out_shape=jax.ShapeDtypeStruct((n, n), x.dtype), interpret=True)(x)


main(inputs, launch, lambda x: x.sum(axis=0), lambda x: x.sum(axis=0))
