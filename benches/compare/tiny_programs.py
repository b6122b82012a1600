"""A million programs that add one to eight numbers each."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from harness import main, values


def inputs(small):
  return (values((1000 if small else 1_000_000, 8)),)


def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1.0


def launch(x):
  block = pl.BlockSpec((1, 8), lambda i: (i, 0))
  return pl.pallas_call(
      kernel, grid=(x.shape[0],), in_specs=[block], out_specs=block,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


main(inputs, launch, lambda x: x + 1.0, lambda x: x + 1)
