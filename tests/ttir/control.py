"""Loops, branches, prints, and grids of four axes."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt


def call(kernel, x, grid=()):
  return pl.pallas_call(
      kernel,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      grid=grid,
      compiler_params=plt.CompilerParams(num_warps=4),
  )(x)


def counted(x_ref, o_ref):
  def body(i, carry):
    total, largest = carry
    x = x_ref[i, :]
    return total + x, jnp.maximum(largest, x)

  total, largest = jax.lax.fori_loop(0, 8, body, (jnp.zeros(32), jnp.full(32, -1.0)))
  o_ref[0, :] = total
  o_ref[1, :] = largest


def computed(x_ref, o_ref):
  def body(i, total):
    return total + x_ref[i, :] * i

  o_ref[0, :] = jax.lax.fori_loop(pl.program_id(0), 8, body, jnp.zeros(32))


def repeated(x_ref, o_ref):
  x = x_ref[0, :]
  o_ref[0, :] = jax.lax.while_loop(lambda x: jnp.sum(x) < 100.0, lambda x: x * 2.0, x)


def branches(x_ref, o_ref):
  x = x_ref[...]
  i = pl.program_id(0)
  y = jax.lax.cond(i == 0, lambda: x + 1.0, lambda: x * 2.0)
  z = jax.lax.switch(i, [lambda: y, lambda: y - 1.0, lambda: y * y])
  o_ref[...] = z

  @pl.when(i == 2)
  def _():
    o_ref[0, :] = jnp.zeros(32)


def axes(x_ref, o_ref):
  i = pl.program_id(0) + pl.program_id(1) * pl.program_id(2) + pl.program_id(3)
  o_ref[i, :] = x_ref[i, :]


def prints(x_ref, o_ref):
  pl.debug_print("the sum", jnp.sum(x_ref[...]))
  o_ref[...] = x_ref[...]


x = jnp.ones((8, 32), jnp.float32)
call(counted, x)
call(computed, x, (4,))
call(repeated, x)
call(branches, x, (4,))
call(axes, x, (2, 3, 1, 5))
call(prints, x)
