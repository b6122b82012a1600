"""Sums, comparisons, choices, casts and bits of tiles, as Triton IR."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

SPEC = pl.BlockSpec((64,), lambda i: (i,))


def call(kernel, *args, out=jnp.float32):
  return pl.pallas_call(
      kernel,
      out_shape=jax.ShapeDtypeStruct((256,), out),
      grid=(4,),
      in_specs=[SPEC] * len(args),
      out_specs=SPEC,
      compiler_params=plt.CompilerParams(num_warps=4),
  )(*args)


def arithmetic(x_ref, y_ref, o_ref):
  x, y = x_ref[...], y_ref[...]
  o_ref[...] = (x + y) * x - jax.lax.div(x, y) + jax.lax.rem(x, y) + jnp.maximum(x, y) - jnp.minimum(x, 1.0)


def integers(x_ref, y_ref, o_ref):
  x, y = x_ref[...], y_ref[...]
  o_ref[...] = jax.lax.div(x, y) ^ (x & y) | (x << 2) + jax.lax.shift_right_logical(y, 3) - jnp.abs(-x) * jnp.maximum(x, ~y)


def unsigned(x_ref, y_ref, o_ref):
  x, y = x_ref[...], y_ref[...]
  o_ref[...] = jnp.where(x > y, jax.lax.div(x, y), jax.lax.rem(x, y)) + jnp.minimum(x, y) + (x >> 1)


def choices(x_ref, y_ref, o_ref):
  x, y = x_ref[...], y_ref[...]
  both = (x > 0) & ~(y <= 1.5)
  o_ref[...] = jnp.where(both | (x == y), jnp.sign(x), jnp.clip(y, 0.0, 6.0))


def casts(x_ref, y_ref, o_ref):
  x, y = x_ref[...], y_ref[...]
  i = x.astype(jnp.int32) + x.astype(jnp.uint8).astype(jnp.int32) + y.astype(jnp.bfloat16).astype(jnp.int16).astype(jnp.int32)
  b = jax.lax.bitcast_convert_type(x, jnp.int32) + y.astype(jnp.float16).astype(jnp.int32)
  o_ref[...] = (i + b).astype(jnp.float32) + (x > y).astype(jnp.float32)


def narrow(x_ref, y_ref, o_ref):
  x, y = x_ref[...], y_ref[...]
  o_ref[...] = (x * y + jnp.exp(x) - jnp.abs(y)).astype(jnp.float32)


def powers(x_ref, y_ref, o_ref):
  x, y = x_ref[...], y_ref[...]
  o_ref[...] = x**3 + y**-2 + jnp.square(x) + jax.nn.sigmoid(y) + jnp.isfinite(x).astype(jnp.float32)


f = jnp.ones(256, jnp.float32)
i = jnp.ones(256, jnp.int32)
u = jnp.ones(256, jnp.uint32)
h = jnp.ones(256, jnp.bfloat16)
call(arithmetic, f, f)
call(integers, i, i, out=jnp.int32)
call(unsigned, u, u, out=jnp.uint32)
call(choices, f, f)
call(casts, f, f)
call(narrow, h, h)
call(powers, f, f)
