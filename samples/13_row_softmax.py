"""Softmax over rows: one program for each band of rows.

A row has to be seen whole before it can be divided by its sum, so the block is
a band of complete rows. Rows that are padded are filled with -inf first: they
add nothing to the sum.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def softmax_kernel(x_ref, o_ref, *, columns):
  x = x_ref[...].astype(jnp.float32)
  column = jax.lax.broadcasted_iota(jnp.int32, x.shape, 1)
  x = jnp.where(column < columns, x, -jnp.inf)
  numerator = jnp.exp(x - x.max(axis=-1, keepdims=True))
  o_ref[...] = (numerator / numerator.sum(axis=-1, keepdims=True)).astype(o_ref.dtype)


def softmax(x: jax.Array, *, block_rows: int = 4) -> jax.Array:
  rows, columns = x.shape
  # A block that is a power of two, as the GPU wants it.
  spec = pl.BlockSpec((block_rows, pl.next_power_of_2(columns)), lambda i: (i, 0))

  def kernel(x_ref, o_ref):
    softmax_kernel(x_ref, o_ref, columns=columns)

  return pl.pallas_call(
      kernel,
      grid=(pl.cdiv(rows, block_rows),),
      in_specs=[spec],
      out_specs=spec,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      interpret=True,
  )(x)


x = jnp.array([[0.0, 0.0, 0.0, 0.0, 0.0],
               [1.0, 2.0, 3.0, 4.0, 5.0],
               [1000.0, 1000.0, 0.0, 0.0, 0.0],   # would overflow without the maximum
               [-1.0, -1.0, -1.0, -1.0, 1.0],
               [0.5, -0.5, 0.25, -0.25, 0.0]])
result = softmax(x)
for row in result:
  print("  ".join(f"{value:.4f}" for value in row), "| sum", f"{row.sum():.4f}")
np.testing.assert_allclose(result, jax.nn.softmax(x, axis=-1), rtol=1e-6)

x = jax.random.normal(jax.random.key(0), (33, 100))
result = softmax(x, block_rows=8)
np.testing.assert_allclose(result, jax.nn.softmax(x), rtol=1e-5, atol=1e-7)
print("33 rows of 100:", result.shape, "close to jax.nn.softmax:", bool(jnp.allclose(result, jax.nn.softmax(x))))
print("where the largest probabilities are:", jnp.argmax(result, axis=-1)[:8])
