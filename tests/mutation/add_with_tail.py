"""Adds vectors whose length no block divides."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

BLOCK = 32


def add_kernel(x_ref, y_ref, o_ref):
  o_ref[...] = x_ref[...] + y_ref[...]


def add(x, y):
  n = x.shape[0]
  return pl.pallas_call(
      add_kernel,
      grid=(pl.cdiv(n, BLOCK),),
      in_specs=[
          pl.BlockSpec((BLOCK,), lambda i: (i,)),
          pl.BlockSpec((BLOCK,), lambda i: (i,)),
      ],
      out_specs=pl.BlockSpec((BLOCK,), lambda i: (i,)),
      out_shape=jax.ShapeDtypeStruct((n,), jnp.float32),
      interpret=True,
  )(x, y)


result = add(jnp.arange(100.0) ** 2, jnp.arange(100.0) * 3 + 1)
