"""Mean of three neighbours; the ends are kept as they are."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

BLOCK = 16


def mean_kernel(x_ref, o_ref):
  i = pl.program_id(0)
  start = i * BLOCK
  here = x_ref[pl.ds(start + 1, BLOCK)]
  left = x_ref[pl.ds(start, BLOCK)]
  right = x_ref[pl.ds(start + 2, BLOCK)]
  o_ref[...] = (left + here + right) / 3


def mean(x):
  padded = jnp.pad(x, 1)
  return pl.pallas_call(
      mean_kernel,
      grid=(x.shape[0] // BLOCK,),
      in_specs=[pl.BlockSpec(padded.shape, lambda i: (0,))],
      out_specs=pl.BlockSpec((BLOCK,), lambda i: (i,)),
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      interpret=True,
  )(padded)


result = mean(jnp.arange(64.0) ** 2)
