"""The sum of two vectors of 16M numbers."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from harness import main, values


def inputs(small):
  n = 1 << (16 if small else 24)
  return values((n,)), values((n,), step=0.53)


def kernel(x_ref, y_ref, o_ref):
  o_ref[...] = x_ref[...] + y_ref[...]


def launch(x, y):
  block = pl.BlockSpec((1 << 14,), lambda i: (i,))
  return pl.pallas_call(
      kernel, grid=(x.size >> 14,), in_specs=[block, block], out_specs=block,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x, y)


def reference(x, y):
  return x + y


main(inputs, launch, reference, reference)
