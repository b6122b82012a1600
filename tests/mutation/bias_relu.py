"""A bias for each column, then the positive part, of a square."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def bias_kernel(x_ref, b_ref, o_ref):
  o_ref[...] = jnp.maximum(x_ref[...] + b_ref[...], 0.0)


def bias_relu(x, b):
  return pl.pallas_call(
      bias_kernel,
      grid=(4, 4),
      in_specs=[
          pl.BlockSpec((32, 32), lambda i, j: (i, j)),
          pl.BlockSpec((1, 32), lambda i, j: (0, j)),
      ],
      out_specs=pl.BlockSpec((32, 32), lambda i, j: (i, j)),
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      interpret=True,
  )(x, b)


result = bias_relu(jnp.sin(jnp.arange(128 * 128.0)).reshape(128, 128), jnp.arange(128.0).reshape(1, 128) / 64 - 1)
