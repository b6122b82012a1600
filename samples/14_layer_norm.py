"""Layer norm, with the statistics kept for the backward pass.

Two outputs of different shapes from one kernel: the normalised rows, and the
mean and the reciprocal standard deviation of each row.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

EPSILON = 1e-5


def layer_norm_kernel(x_ref, weight_ref, bias_ref, o_ref, mean_ref, rstd_ref, *, eps):
  x = x_ref[...].astype(jnp.float32)
  mean = jnp.mean(x, axis=-1)
  centred = x - mean[:, None]
  variance = jnp.mean(centred * centred, axis=-1)
  rstd = jax.lax.rsqrt(variance + eps)
  o_ref[...] = (centred * rstd[:, None] * weight_ref[...] + bias_ref[...]).astype(o_ref.dtype)
  mean_ref[...] = mean
  rstd_ref[...] = rstd


@functools.partial(jax.jit, static_argnames=("eps", "block_rows"))
def layer_norm(x, weight, bias, *, eps: float = EPSILON, block_rows: int = 4):
  rows, columns = x.shape
  band = pl.BlockSpec((block_rows, columns), lambda i: (i, 0))
  vector = pl.BlockSpec((columns,), lambda i: (0,))
  per_row = pl.BlockSpec((block_rows,), lambda i: (i,))
  return pl.pallas_call(
      functools.partial(layer_norm_kernel, eps=eps),
      grid=(pl.cdiv(rows, block_rows),),
      in_specs=[band, vector, vector],
      out_specs=(band, per_row, per_row),
      out_shape=(
          jax.ShapeDtypeStruct(x.shape, x.dtype),
          jax.ShapeDtypeStruct((rows,), jnp.float32),
          jax.ShapeDtypeStruct((rows,), jnp.float32),
      ),
      interpret=True,
  )(x, weight, bias)


def reference(x, weight, bias, eps=EPSILON):
  mean = x.mean(axis=-1, keepdims=True)
  variance = jnp.var(x, axis=-1, keepdims=True)
  return (x - mean) / jnp.sqrt(variance + eps) * weight + bias


x = jnp.arange(10 * 8, dtype=jnp.float32).reshape(10, 8) ** 2 / 100
weight = jnp.linspace(0.5, 1.5, 8)
bias = jnp.zeros(8).at[::2].set(0.125)

y, mean, rstd = layer_norm(x, weight, bias)
np.testing.assert_allclose(y, reference(x, weight, bias), rtol=1e-4, atol=1e-5)
print("row     mean    rstd  first and last of the row")
for i in range(0, 10, 3):
  print(f"{i:3} {mean[i]:8.3f} {rstd[i]:7.4f}  {y[i, 0]:7.4f} {y[i, -1]:7.4f}")
print("shapes:", y.shape, mean.shape, rstd.shape)

plain, _, _ = layer_norm(x, jnp.ones(8), jnp.zeros(8))
print("rows of mean 0 and deviation 1:",
      bool(jnp.allclose(plain.mean(axis=-1), 0, atol=1e-5)),
      bool(jnp.allclose(plain.std(axis=-1), 1, atol=1e-3)))
