"""Which program sees which block: every table of the grid documentation.

`show_program_ids` fills the block that a program is handed with that program's
id, written as one decimal digit per grid axis, so the printed array is a map
of the grid. The last part replaces block indices with element offsets.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def slices_for_invocation(
    x_shape: tuple[int, ...],
    x_spec: pl.BlockSpec,
    grid: tuple[int, ...],
    invocation_indices: tuple[int, ...],
) -> list[slice]:
  """The slices of an array of shape `x_shape` that one program is handed."""
  assert len(invocation_indices) == len(grid)
  assert all(0 <= i < grid_size for i, grid_size in zip(invocation_indices, grid))
  block_indices = x_spec.index_map(*invocation_indices)
  assert len(x_shape) == len(x_spec.block_shape) == len(block_indices)
  elem_indices = []
  for x_size, block_size, block_idx in zip(x_shape, x_spec.block_shape, block_indices):
    start_idx = block_idx * block_size
    # At least one element of the block must be within bounds.
    assert start_idx < x_size, f"block {block_idx} starts at {start_idx}, the axis has {x_size}"
    elem_indices.append(slice(start_idx, start_idx + block_size))
  return elem_indices


print("A block of (10, 20) in (100, 100), program (2, 4) of (10, 5):")
print(slices_for_invocation(x_shape=(100, 100),
                            x_spec=pl.BlockSpec((10, 20), lambda i, j: (i, j)),
                            grid=(10, 5),
                            invocation_indices=(2, 4)))
print("The same array and blocks, each visited four times:")
print(slices_for_invocation(x_shape=(100, 100),
                            x_spec=pl.BlockSpec((10, 20), lambda i, j, k: (i, j)),
                            grid=(10, 5, 4),
                            invocation_indices=(2, 4, 0)))
print("Partly outside the array on the second axis:")
print(slices_for_invocation(x_shape=(100, 90),
                            x_spec=pl.BlockSpec((10, 20), lambda i, j: (i, j)),
                            grid=(10, 5),
                            invocation_indices=(2, 4)))
print("Wholly outside is an error:")
try:
  slices_for_invocation(x_shape=(100, 80),
                        x_spec=pl.BlockSpec((10, 20), lambda i, j: (i, j)),
                        grid=(10, 5),
                        invocation_indices=(2, 4))
except AssertionError as error:
  print("AssertionError:", error)


def show_program_ids(x_shape, block_shape, grid, index_map=lambda i, j: (i, j)):
  def program_ids_kernel(o_ref):  # Fill the output block with the program id.
    axes = 0
    for axis in range(len(grid)):
      axes += pl.program_id(axis) * 10**(len(grid) - 1 - axis)
    o_ref[...] = jnp.full(o_ref.shape, axes)

  res = pl.pallas_call(program_ids_kernel,
                       out_shape=jax.ShapeDtypeStruct(x_shape, dtype=np.int32),
                       grid=grid,
                       in_specs=[],
                       out_specs=pl.BlockSpec(block_shape, index_map),
                       interpret=True)()
  print(res)


print("\nblocks of (2, 3) tile (8, 6) exactly:")
show_program_ids(x_shape=(8, 6), block_shape=(2, 3), grid=(4, 2),
                 index_map=lambda i, j: (i, j))

print("\nthe last blocks stand out of (7, 5) and are cut:")
show_program_ids(x_shape=(7, 5), block_shape=(2, 3), grid=(4, 2),
                 index_map=lambda i, j: (i, j))

print("\nan array smaller than its block:")
show_program_ids(x_shape=(1, 2), block_shape=(2, 3), grid=(1, 1),
                 index_map=lambda i, j: (i, j))

print("\nthe last grid axis chooses no block: its last program wins:")
show_program_ids(x_shape=(8, 6), block_shape=(2, 3), grid=(4, 2, 10),
                 index_map=lambda i, j, k: (i, j))


def squeezed_kernel(o_ref):
  assert o_ref.shape == (2,)
  o_ref[...] = jnp.full((2,), 10 * pl.program_id(1) + pl.program_id(0))


print("\nNone in a block shape squeezes the axis away; o_ref.shape is (2,):")
print(repr(pl.pallas_call(squeezed_kernel,
                          jax.ShapeDtypeStruct((3, 4), dtype=np.int32),
                          out_specs=pl.BlockSpec((None, 2), lambda i, j: (i, j)),
                          grid=(3, 2),
                          interpret=True)()))

print("\nno block shape: every program sees the whole array:")
show_program_ids(x_shape=(4, 4), block_shape=None, grid=(2, 3), index_map=None)

print("\nno index map: every program sees block (0, 0):")
show_program_ids(x_shape=(4, 4), block_shape=(4, 4), grid=(2, 3), index_map=None)

print("\npl.Element: the index map returns element offsets, not block indices:")
show_program_ids(x_shape=(8, 6), block_shape=(pl.Element(2), pl.Element(3)), grid=(4, 2),
                 index_map=lambda i, j: (2 * i, 3 * j))

print("\npl.Element with one row and two columns of padding in front:")
show_program_ids(x_shape=(7, 7), block_shape=(pl.Element(2, (1, 0)), pl.Element(3, (2, 0))),
                 grid=(4, 3),
                 index_map=lambda i, j: (2 * i, 3 * j))
