"""Products of a batch of matrices, one program for each tile."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def product_kernel(x_ref, y_ref, o_ref):
  o_ref[...] = x_ref[...] @ y_ref[...]


def batched_matmul(x, y):
  batch, m, k = x.shape
  n = y.shape[2]
  return pl.pallas_call(
      product_kernel,
      grid=(batch, m // 16, n // 16),
      in_specs=[
          pl.BlockSpec((None, 16, k), lambda b, i, j: (b, i, 0)),
          pl.BlockSpec((None, k, 16), lambda b, i, j: (b, 0, j)),
      ],
      out_specs=pl.BlockSpec((None, 16, 16), lambda b, i, j: (b, i, j)),
      out_shape=jax.ShapeDtypeStruct((batch, m, n), jnp.float32),
      interpret=True,
  )(x, y)


x = jnp.sin(jnp.arange(3 * 48 * 20.0)).reshape(3, 48, 20)
y = jnp.cos(jnp.arange(3 * 20 * 48.0)).reshape(3, 20, 48)
result = batched_matmul(x, y)
