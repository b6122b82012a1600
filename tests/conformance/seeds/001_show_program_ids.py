"""Grids and BlockSpecs: every table of program ids, with indexing_mode."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

def show_program_ids(x_shape, block_shape, grid,
                     index_map=lambda i, j: (i, j),
                     indexing_mode=pl.Blocked()):
  def program_ids_kernel(o_ref):  # Fill the output block with 10*program_id(1) + program_id(0)
    axes = 0
    for axis in range(len(grid)):
      axes += pl.program_id(axis) * 10**(len(grid) - 1 - axis)
    o_ref[...] = jnp.full(o_ref.shape, axes)
  res = pl.pallas_call(program_ids_kernel,
                       out_shape=jax.ShapeDtypeStruct(x_shape, dtype=np.int32),
                       grid=grid,
                       in_specs=[],
                       out_specs=pl.BlockSpec(block_shape, index_map, indexing_mode=indexing_mode),
                       interpret=True)()
  print(res)
show_program_ids(x_shape=(8, 6), block_shape=(2, 3), grid=(4, 2),
                 index_map=lambda i, j: (i, j))
# An example with out-of-bounds accesses
show_program_ids(x_shape=(7, 5), block_shape=(2, 3), grid=(4, 2),
                 index_map=lambda i, j: (i, j))
# It is allowed for the shape to be smaller than block_shape
show_program_ids(x_shape=(1, 2), block_shape=(2, 3), grid=(1, 1),
                 index_map=lambda i, j: (i, j))
show_program_ids(x_shape=(8, 6), block_shape=(2, 3), grid=(4, 2, 10),
                 index_map=lambda i, j, k: (i, j))
show_program_ids(x_shape=(4, 4), block_shape=None, grid=(2, 3),
                 index_map=None)
show_program_ids(x_shape=(4, 4), block_shape=(4, 4), grid=(2, 3),
                 index_map=None)
# unblocked without padding
show_program_ids(x_shape=(8, 6), block_shape=(2, 3), grid=(4, 2),
                 index_map=lambda i, j: (2*i, 3*j),
                 indexing_mode=pl.Unblocked())
# unblocked, first pad the array with 1 row and 2 columns.
show_program_ids(x_shape=(7, 7), block_shape=(2, 3), grid=(4, 3),
                 index_map=lambda i, j: (2*i, 3*j),
                 indexing_mode=pl.Unblocked(((1, 0), (2, 0))))
