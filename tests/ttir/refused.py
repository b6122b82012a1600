"""Kernels that have no Triton IR: JAX refuses each of them, too."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

S = jax.ShapeDtypeStruct
params = plt.CompilerParams(num_warps=4)


def call(kernel, *args, out=(8, 32), **named):
  return pl.pallas_call(kernel, out_shape=S(out, jnp.float32), compiler_params=params, **named)(*args)


def odd_size(x_ref, o_ref):
  o_ref[...] = x_ref[0:3, :] * 2.0


def sorts(x_ref, o_ref):
  o_ref[...] = jnp.sort(x_ref[...], axis=1)


def batched(x_ref, o_ref):
  o_ref[...] = jax.lax.dot_general(x_ref[...], x_ref[...], (((2,), (2,)), ((0,), (0,))))


def unsigned_product(x_ref, o_ref):
  x = x_ref[...].astype(jnp.uint8)
  o_ref[...] = jnp.dot(x, x.T).astype(jnp.float32)


def placeholders(x_ref, o_ref):
  pl.debug_print("{}", jnp.sum(x_ref[...]))
  o_ref[...] = x_ref[...]


def gathers(x_ref, i_ref, o_ref):
  o_ref[...] = jnp.take_along_axis(x_ref[...], i_ref[...], axis=1)


x = jnp.ones((8, 32), jnp.float32)
call(odd_size, x, out=(3, 32))
call(sorts, x)
call(batched, jnp.ones((4, 16, 16)), out=(4, 16, 16))
call(unsigned_product, jnp.ones((16, 16)), out=(16, 16))
call(placeholders, x)
call(gathers, x, jnp.zeros((8, 32), jnp.int32))
