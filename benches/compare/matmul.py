"""A matrix product, 1024 x 1024 x 1024, in float32: blocks accumulated in the output."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

from harness import main, values

DTYPE = jnp.float32


def inputs(small):
  n = 256 if small else 1024
  return values((n, n), DTYPE), values((n, n), DTYPE, step=0.53)


def kernel(x_ref, y_ref, o_ref):
  @pl.when(pl.program_id(2) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)

  o_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)


def launch(x, y):
  n, block = x.shape[0], min(x.shape[0], 256)
  tiles = n // block
  return pl.pallas_call(
      kernel, grid=(tiles, tiles, tiles),
      in_specs=[pl.BlockSpec((block, block), lambda i, j, k: (i, k)),
                pl.BlockSpec((block, block), lambda i, j, k: (k, j))],
      out_specs=pl.BlockSpec((block, block), lambda i, j, k: (i, j)),
      out_shape=jax.ShapeDtypeStruct((n, n), jnp.float32), interpret=True)(x, y)


def reference(x, y):
  return jnp.dot(x, y, preferred_element_type=jnp.float32)


def in_numpy(x, y):
  return x.astype(np.float32) @ y.astype(np.float32)


def operations(x, y):
  return 2 * x.shape[0] * x.shape[1] * y.shape[1]


if __name__ == "__main__":
  main(inputs, launch, reference, in_numpy, tolerance=2e-3, operations=operations)
