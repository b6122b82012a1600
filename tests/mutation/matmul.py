"""A tiled matrix product that adds to its output along the last grid axis."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def matmul_kernel(x_ref, y_ref, o_ref):
  @pl.when(pl.program_id(2) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)

  o_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)


def matmul(x, y, bm=16, bn=32, bk=32):
  m, k = x.shape
  n = y.shape[1]
  return pl.pallas_call(
      matmul_kernel,
      grid=(m // bm, n // bn, k // bk),
      in_specs=[
          pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)),
          pl.BlockSpec((bk, bn), lambda i, j, k: (k, j)),
      ],
      out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
      out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
      interpret=True,
  )(x, y)


x = jnp.sin(jnp.arange(64 * 96.0).reshape(64, 96))
y = jnp.cos(jnp.arange(96 * 128.0).reshape(96, 128))
result = matmul(x, y)
