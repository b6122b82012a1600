"""Adds two vectors block by block: a grid and BlockSpecs.

The grid `(4,)` runs the kernel four times. `BlockSpec((2,), lambda i: (i,))`
hands program i the i-th block of two elements, of each input and of the output.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

BLOCK = 2


def add_kernel(x_ref, y_ref, o_ref):
  # Now the Refs have shape (2,): one block.
  o_ref[...] = x_ref[...] + y_ref[...]


def add(x: jax.Array, y: jax.Array) -> jax.Array:
  spec = pl.BlockSpec((BLOCK,), lambda i: (i,))
  return pl.pallas_call(
      add_kernel,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      in_specs=[spec, spec],
      out_specs=spec,
      grid=(pl.cdiv(x.shape[0], BLOCK),),
      interpret=True,
  )(x, y)


x, y = jnp.arange(8), jnp.arange(8, 16)
z = add(x, y)
print("program  x block   y block   o block")
for i in range(x.shape[0] // BLOCK):
  block = slice(i * BLOCK, (i + 1) * BLOCK)
  print(f"{i:7}  {str(x[block]):8}  {str(y[block]):8}  {z[block]}")

np.testing.assert_array_equal(z, x + y)
print("result:", repr(z))
