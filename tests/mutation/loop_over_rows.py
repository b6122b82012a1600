"""Largest element of each row, found in a loop over blocks of columns."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def largest_kernel(x_ref, o_ref):
  def step(k, largest):
    block = x_ref[:, pl.ds(k * 32, 32)]
    return jnp.maximum(largest, block.max(axis=1))

  o_ref[...] = jax.lax.fori_loop(0, 4, step, jnp.full((8,), -jnp.inf, jnp.float32))


def largest(x):
  return pl.pallas_call(
      largest_kernel,
      grid=(4,),
      in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
      out_specs=pl.BlockSpec((8,), lambda i: (i,)),
      out_shape=jax.ShapeDtypeStruct((32,), jnp.float32),
      interpret=True,
  )(x)


result = largest(jnp.sin(jnp.arange(32 * 128.0) ** 2).reshape(32, 128))
