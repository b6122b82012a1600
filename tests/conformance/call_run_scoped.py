"""pl.run_scoped: a buffer for the length of one function, with a result."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_ref, o_ref):
  def body(scratch_ref, total_ref):
    scratch_ref[...] = x_ref[...] * 2
    total_ref[0] = 0
    for i in range(4):
      total_ref[0] += scratch_ref[i]
    return total_ref[0]

  total = pl.run_scoped(body, pltpu.VMEM((4,), jnp.int32), pltpu.SMEM((1,), jnp.int32))
  o_ref[...] = x_ref[...] + total


x = jnp.arange(4)
print(pl.pallas_call(kernel, out_shape=x, interpret=True)(x))


def keywords(x_ref, o_ref):
  def body(buffer):
    buffer[...] = jnp.flip(x_ref[...])
    o_ref[...] = buffer[...]
  pl.run_scoped(body, buffer=pltpu.VMEM((4,), jnp.int32))


print(pl.pallas_call(keywords, out_shape=x, interpret=True)(x))
