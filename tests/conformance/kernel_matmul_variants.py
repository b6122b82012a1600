"""Small matmul kernels: k in the grid, a transposed operand, a batch axis, a bias and a dtype."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, b_ref, o_ref, *, steps):
  @pl.when(pl.program_id(2) == 0)
  def _():
    o_ref[...] = jnp.broadcast_to(b_ref[...], o_ref.shape)
  o_ref[...] += jnp.dot(x_ref[...], y_ref[...])
  @pl.when(pl.program_id(2) == steps - 1)
  def _():
    o_ref[...] = jnp.maximum(o_ref[...], 0)


x = (jnp.arange(48) % 7 - 3).reshape(8, 6).astype(jnp.float32)
y = (jnp.arange(24) % 5 - 2).reshape(6, 4).astype(jnp.float32)
bias = jnp.array([[1.0, -1.0, 0.5, 2.0]])
result = pl.pallas_call(
    functools.partial(kernel, steps=3),
    grid=(2, 2, 3),
    in_specs=[pl.BlockSpec((4, 2), lambda i, j, k: (i, k)), pl.BlockSpec((2, 2), lambda i, j, k: (k, j)),
              pl.BlockSpec((1, 2), lambda i, j, k: (0, j))],
    out_specs=pl.BlockSpec((4, 2), lambda i, j, k: (i, j)),
    out_shape=jax.ShapeDtypeStruct((8, 4), jnp.float32),
    interpret=True,
)(x, y, bias)
np.testing.assert_array_equal(result, jax.nn.relu(x @ y + bias))
print(result)


def batched(x_ref, y_ref, o_ref):
  o_ref[...] = jax.lax.dot_general(x_ref[...], y_ref[...], (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32)


xb = (jnp.arange(24) % 5).reshape(2, 4, 3).astype(jnp.int8)
yb = (jnp.arange(12) % 4).reshape(2, 2, 3).astype(jnp.int8)
print(pl.pallas_call(
    batched,
    grid=(2,),
    in_specs=[pl.BlockSpec((None, 4, 3), lambda b: (b, 0, 0)), pl.BlockSpec((None, 2, 3), lambda b: (b, 0, 0))],
    out_specs=pl.BlockSpec((None, 4, 2), lambda b: (b, 0, 0)),
    out_shape=jax.ShapeDtypeStruct((2, 4, 2), jnp.int32),
    interpret=True,
)(xb, yb))
