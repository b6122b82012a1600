"""Grids and BlockSpecs: None in a block shape."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

def kernel(o_ref):
  assert o_ref.shape == (2,)
  o_ref[...] = jnp.full((2,), 10 * pl.program_id(1) + pl.program_id(0))
print(repr(pl.pallas_call(kernel,
               jax.ShapeDtypeStruct((3, 4), dtype=np.int32),
               out_specs=pl.BlockSpec((None, 2), lambda i, j: (i, j)),
               grid=(3, 2), interpret=True)()))
