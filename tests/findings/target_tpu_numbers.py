# A TPU numbers elements with integers of 32 bits: a range of floats, or of narrow integers, is one that is converted.
# jax: not run
# target: tpu-v6e
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def floats(x_ref, o_ref):
    positions = jnp.arange(128, dtype=jnp.float32)
#               ^ PL504 error "numbers elements with integers of 32 bits only, this is float32"
    o_ref[...] = x_ref[...] * positions[None, :]


def narrow(x_ref, o_ref):
    rows = jax.lax.broadcasted_iota(jnp.int16, (8, 128), 0)
#          ^ PL504 error "this is int16"
    o_ref[...] = x_ref[...] * rows.astype(jnp.float32)


def converted(x_ref, o_ref):
    positions = jnp.arange(128).astype(jnp.float32)
    rows = jax.lax.broadcasted_iota(jnp.int32, (8, 128), 0).astype(jnp.float32)
    o_ref[...] = x_ref[...] * (positions[None, :] + rows)


x = jnp.ones((8, 128))
for kernel in [floats, narrow, converted]:
    pl.pallas_call(kernel, out_shape=x, compiler_params=pltpu.CompilerParams())(x)
