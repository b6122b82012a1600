"""How often each of 256 numbers comes among 4M: each program counts one block into the same bins."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

from harness import main

BINS = 256


def inputs(small):
  n = 1 << (12 if small else 22)
  return (jnp.asarray((np.arange(n, dtype=np.uint32) * np.uint32(2654435761) >> np.uint32(24)).astype(np.int32)),)


def kernel(x_ref, o_ref):
  @pl.when(pl.program_id(0) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)

  o_ref[...] += jnp.zeros((BINS,), jnp.int32).at[x_ref[...]].add(1)


def launch(x):
  return pl.pallas_call(
      kernel, grid=(x.size // 4096,), in_specs=[pl.BlockSpec((4096,), lambda i: (i,))],
      out_specs=pl.BlockSpec((BINS,), lambda i: (0,)), out_shape=jax.ShapeDtypeStruct((BINS,), jnp.int32),
      interpret=True)(x)


main(inputs, launch, lambda x: jnp.bincount(x, length=BINS), lambda x: np.bincount(x, minlength=BINS))
