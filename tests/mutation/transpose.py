"""A transposition, block by block."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def transpose_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...].T


def transpose(x):
  rows, columns = x.shape
  return pl.pallas_call(
      transpose_kernel,
      grid=(columns // 32, rows // 16),
      in_specs=[pl.BlockSpec((16, 32), lambda i, j: (j, i))],
      out_specs=pl.BlockSpec((32, 16), lambda i, j: (i, j)),
      out_shape=jax.ShapeDtypeStruct((columns, rows), x.dtype),
      interpret=True,
  )(x)


result = transpose(jnp.arange(64 * 128.0).reshape(64, 128))
