"""Grids and BlockSpecs: the slices that each invocation gets."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

def slices_for_invocation(x_shape: tuple[int, ...],
                          x_spec: pl.BlockSpec,
                          grid: tuple[int, ...],
                          invocation_indices: tuple[int, ...]) -> tuple[slice, ...]:
  assert len(invocation_indices) == len(grid)
  assert all(0 <= i < grid_size for i, grid_size in zip(invocation_indices, grid))
  block_indices = x_spec.index_map(*invocation_indices)
  assert len(x_shape) == len(x_spec.block_shape) == len(block_indices)
  elem_indices = []
  for x_size, block_size, block_idx in zip(x_shape, x_spec.block_shape, block_indices):
    start_idx = block_idx * block_size
    # At least one element of the block must be within bounds
    assert start_idx < x_size
    elem_indices.append(slice(start_idx, start_idx + block_size))
  return elem_indices
print(slices_for_invocation(x_shape=(100, 100),
                      x_spec = pl.BlockSpec((10, 20), lambda i, j: (i, j)),
                      grid = (10, 5),
                      invocation_indices = (2, 4)))
# Same shape of the array and blocks, but we iterate over each block 4 times
print(slices_for_invocation(x_shape=(100, 100),
                      x_spec = pl.BlockSpec((10, 20), lambda i, j, k: (i, j)),
                      grid = (10, 5, 4),
                      invocation_indices = (2, 4, 0)))
# An example when the block is partially out-of-bounds in the 2nd axis.
print(slices_for_invocation(x_shape=(100, 90),
                      x_spec = pl.BlockSpec((10, 20), lambda i, j: (i, j)),
                      grid = (10, 5),
                      invocation_indices = (2, 4)))
