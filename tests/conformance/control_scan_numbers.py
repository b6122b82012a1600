"""lax.scan in a kernel whose carry begins as a number of Python's, or comes back as one."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def run(kernel):
  x = jnp.arange(16.0).reshape(4, 4)
  print(pl.pallas_call(kernel, out_shape=x, interpret=True)(x))


def running_sum(x_ref, o_ref):
  total, before = jax.lax.scan(lambda c, i: (c + x_ref[i, 0], c), 0.0, jnp.arange(4))
  o_ref[...] = jnp.broadcast_to(before, (4, 4)) + total


def counted(x_ref, o_ref):
  count, twice = jax.lax.scan(lambda c, _: (c + 1, c * 2), 0, None, length=4)
  o_ref[...] = x_ref[...] + count + twice.astype(jnp.float32)


def begins_again(x_ref, o_ref):
  last, rows = jax.lax.scan(lambda c, i: (0.5, c + x_ref[i]), 0.25, jnp.arange(4))
  o_ref[...] = rows + last


run(running_sum)
run(counted)
run(begins_again)
