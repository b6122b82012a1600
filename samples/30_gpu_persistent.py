"""A persistent kernel: as many blocks as the GPU has cores, each with several tiles.

`plgpu.nd_loop` deals the tiles to the blocks in turn. What a block has set
up it keeps: here the weights, which are copied into shared memory once. A
tile is stored while the next one is worked on.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

CORES = 3
TILE_M, TILE_N = 64, 128
SLOTS = 2


def kernel(x_gmem, w_gmem, o_gmem, tiles_gmem, x_smem, w_smem, o_smem, w_arrived, x_arrived):
  core = lax.axis_index("core")
  plgpu.copy_gmem_to_smem(w_gmem, w_smem, w_arrived)
  plgpu.barrier_wait(w_arrived)

  @plgpu.nd_loop(
      (o_gmem.shape[0] // TILE_M, o_gmem.shape[1] // TILE_N), collective_axes="core"
  )
  def _(info):
    m, n = info.index
    slot = lax.rem(info.local_index, SLOTS)
    block = (pl.ds(m * TILE_M, TILE_M), pl.ds(n * TILE_N, TILE_N))
    plgpu.copy_gmem_to_smem(x_gmem.at[block], x_smem, x_arrived)
    plgpu.barrier_wait(x_arrived)
    # All stores but the last have been read: this slot is free.
    plgpu.wait_smem_to_gmem(SLOTS - 1, wait_read_only=True)
    o_smem[slot] = x_smem[...] * w_smem[pl.ds(n * TILE_N, TILE_N)][None, :]
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem.at[slot], o_gmem.at[block])
    tiles_gmem[core] = jnp.full((128,), info.local_index + 1, jnp.int32)

  plgpu.wait_smem_to_gmem(0)


def scale(x, w):
  return plgpu.kernel(
      kernel,
      out_type=[x, jax.ShapeDtypeStruct((CORES, 128), jnp.int32)],
      scratch_types=[
          plgpu.SMEM((TILE_M, TILE_N), x.dtype),
          plgpu.SMEM(w.shape, w.dtype),
          plgpu.SMEM((SLOTS, TILE_M, TILE_N), x.dtype),
          plgpu.Barrier(),
          plgpu.Barrier(),
      ],
      grid=(CORES,),
      grid_names=("core",),
      interpret=InterpretGPUParams(),
  )(x, w)


x = jax.random.normal(jax.random.key(0), (256, 512), jnp.float32)
w = jax.random.normal(jax.random.key(1), (512,), jnp.float32)
result, tiles = scale(x, w)
np.testing.assert_array_equal(result, x * w)
print("tiles of each core:", tiles[:, 0])
