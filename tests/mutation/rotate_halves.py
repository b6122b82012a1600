"""Rotary embedding: the two halves of each row turn by an angle."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def rotate_kernel(x_ref, cos_ref, sin_ref, o_ref):
  half = x_ref.shape[1] // 2
  x1, x2 = x_ref[:, :half], x_ref[:, half:]
  cos, sin = cos_ref[...], sin_ref[...]
  o_ref[:, :half] = x1 * cos - x2 * sin
  o_ref[:, half:] = x2 * cos + x1 * sin


def rotate(x, cos, sin):
  rows, width = x.shape
  return pl.pallas_call(
      rotate_kernel,
      grid=(rows // 8,),
      in_specs=[
          pl.BlockSpec((8, width), lambda i: (i, 0)),
          pl.BlockSpec((8, width // 2), lambda i: (i, 0)),
          pl.BlockSpec((8, width // 2), lambda i: (i, 0)),
      ],
      out_specs=pl.BlockSpec((8, width), lambda i: (i, 0)),
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      interpret=True,
  )(x, cos, sin)


angle = jnp.arange(32 * 16.0).reshape(32, 16) / 7
result = rotate(jnp.sin(jnp.arange(32 * 32.0)).reshape(32, 32), jnp.cos(angle), jnp.sin(angle))
