"""Grids and BlockSpecs, the first example."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

def iota_kernel(o_ref):
  i = pl.program_id(0)
  o_ref[i] = i
def iota(size: int):
  return pl.pallas_call(iota_kernel,
                        out_shape=jax.ShapeDtypeStruct((size,), jnp.int32),
                        grid=(size,), interpret=True)()

print(repr(iota(8)))
