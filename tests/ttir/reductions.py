"""Reductions over one and several axes, running sums, places of extremes, and softmax."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt


def call(kernel, shape, dtype, x):
  return pl.pallas_call(
      kernel,
      out_shape=jax.ShapeDtypeStruct(shape, dtype),
      grid=(2,),
      in_specs=[pl.BlockSpec((8, 64), lambda i: (i, 0))],
      out_specs=pl.BlockSpec((8, *shape[1:]), lambda i: (i,) + (0,) * (len(shape) - 1)),
      compiler_params=plt.CompilerParams(num_warps=4),
  )(x)


def rows(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = jnp.sum(x, axis=1) + jnp.max(x, axis=1) - jnp.min(x, axis=1)


def everything(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = x * jnp.sum(x) + jnp.max(x)


def integers(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = jnp.sum(x, axis=1) + jnp.max(x, axis=1)


def places(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = jnp.argmax(x, axis=1).astype(jnp.int32) + jnp.argmin(x, axis=1).astype(jnp.int32)


def running(x_ref, o_ref):
  o_ref[...] = jnp.cumsum(x_ref[...], axis=1)


def softmax(x_ref, o_ref):
  x = x_ref[...]
  e = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
  o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def layer_norm(x_ref, o_ref):
  x = x_ref[...]
  mean = jnp.mean(x, axis=1, keepdims=True)
  centred = x - mean
  variance = jnp.mean(centred * centred, axis=1, keepdims=True)
  o_ref[...] = centred * jax.lax.rsqrt(variance + 1e-6)


x = jnp.ones((16, 64), jnp.float32)
call(rows, (16,), jnp.float32, x)
call(everything, (16, 64), jnp.float32, x)
call(integers, (16,), jnp.int32, x.astype(jnp.int32))
call(places, (16,), jnp.int32, x)
call(running, (16, 64), jnp.float32, x)
call(softmax, (16, 64), jnp.float32, x)
call(layer_norm, (16, 64), jnp.float32, x)
