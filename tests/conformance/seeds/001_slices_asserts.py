"""Grids and BlockSpecs: what the asserts of slices_for_invocation refuse."""
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

def refused(**changes):
  case = dict(x_shape=(100, 100), x_spec=pl.BlockSpec((10, 20), lambda i, j: (i, j)), grid=(10, 5), invocation_indices=(2, 4))
  try:
    return slices_for_invocation(**{**case, **changes})
  except AssertionError as error:
    return f"AssertionError {error}".strip()

print(refused())
print(refused(invocation_indices=(2, 4, 0)))
print(refused(invocation_indices=(2, 5)))
print(refused(invocation_indices=(-1, 0)))
print(refused(x_shape=(100, 100, 1)))
print(refused(x_spec=pl.BlockSpec((10, 20), lambda i, j: (i,))))
print(refused(x_spec=pl.BlockSpec((10,), lambda i, j: (i, j))))
print(refused(x_shape=(100, 81)))
print(refused(x_shape=(100, 80)))
print(refused(x_spec=pl.BlockSpec((10, 20), lambda i, j: (i, j + 1))))
