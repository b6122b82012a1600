"""Tiles in other shapes: broadcasts, transposes, iotas, joins and halves."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt


def call(kernel, shape, *args):
  return pl.pallas_call(
      kernel,
      out_shape=jax.ShapeDtypeStruct(shape, jnp.float32),
      compiler_params=plt.CompilerParams(num_warps=2),
  )(*args)


def moves(x_ref, v_ref, o_ref):
  x, v = x_ref[...], v_ref[...]
  o_ref[...] = x.T + v[:, None]


def iotas(x_ref, o_ref):
  rows = jax.lax.broadcasted_iota(jnp.int32, (16, 32), 0)
  columns = jax.lax.broadcasted_iota(jnp.float32, (16, 32), 1)
  o_ref[...] = jnp.where(rows > 3, x_ref[...], columns) + jnp.arange(32, dtype=jnp.float32)


def reshapes(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = x.reshape(4, 4, 32).transpose(1, 0, 2).reshape(16, 32) + jnp.full((16, 32), 2.5)


def halves(x_ref, o_ref):
  a, b, c, d = jnp.split(x_ref[...], 4, axis=1)
  o_ref[...] = a * b + c * d


def joins(x_ref, v_ref, o_ref):
  v = v_ref[...]
  o_ref[...] = jnp.stack([v, v + 1.0], axis=-1)


x = jnp.ones((16, 32), jnp.float32)
v = jnp.ones((32,), jnp.float32)
call(moves, (32, 16), x, v)
call(iotas, (16, 32), x)
call(reshapes, (16, 32), x)
call(halves, (16, 8), x)
call(joins, (32, 2), x, v)
