"""Two accumulators in tensor memory: one is stored while the next is multiplied.

A warp starts the products of a tile and says which barrier to arrive at when
they are done; the other warpgroup takes the tile out of tensor memory and
stores it. Each half of the accumulator has two barriers: `multiplied` says
that it can be read, `stored` that it can be written again.

JAX 0.10.2 runs this kernel on a GPU only; it is compared with a plain
product.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILE = 128
HALVES = 2
TILES = 4


def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, acc_tmem, arrived, multiplied, stored):
  thread = lax.axis_index("wg")

  @pl.when(thread == 0)
  def _multiply():
    plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
    plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
    plgpu.barrier_wait(arrived)

    @pl.loop(0, TILES)
    def _(tile):
      half = lax.rem(tile, HALVES)

      @pl.when(tile >= HALVES)
      def _():
        plgpu.barrier_wait(stored.at[half])

      plgpu.tcgen05_mma(
          acc_tmem.at[:, pl.ds(half * TILE, TILE)],
          a_smem,
          b_smem.at[:, pl.ds(tile * TILE, TILE)],
          accumulate=False,
      )
      plgpu.tcgen05_commit_arrive(multiplied.at[half])

    @pl.loop(TILES - HALVES, TILES)
    def _(tile):
      plgpu.barrier_wait(stored.at[lax.rem(tile, HALVES)])

  @pl.when(thread == 1)
  def _store():
    @pl.loop(0, TILES)
    def _(tile):
      half = lax.rem(tile, HALVES)
      plgpu.barrier_wait(multiplied.at[half])
      result = plgpu.async_load_tmem(acc_tmem.at[:, pl.ds(half * TILE, TILE)])
      plgpu.wait_load_tmem()
      plgpu.barrier_arrive(stored.at[half])
      plgpu.wait_smem_to_gmem(0, wait_read_only=True)
      o_smem[...] = result.astype(o_smem.dtype)
      plgpu.commit_smem()
      plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[:, pl.ds(tile * TILE, TILE)])

    plgpu.wait_smem_to_gmem(0)


def matmul(a, b):
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((a.shape[0], b.shape[1]), a.dtype),
      scratch_types=[
          plgpu.SMEM(a.shape, a.dtype),
          plgpu.SMEM(b.shape, b.dtype),
          plgpu.SMEM((TILE, TILE), a.dtype),
          plgpu.TMEM((TILE, HALVES * TILE), jnp.float32),
          plgpu.Barrier(num_arrivals=2),
          plgpu.Barrier(num_barriers=HALVES, orders_tensor_core=True),
          plgpu.Barrier(num_barriers=HALVES, orders_tensor_core=True),
      ],
      num_threads=2,
      thread_name="wg",
      interpret=InterpretGPUParams(),
  )(a, b)


a = jax.random.normal(jax.random.key(0), (TILE, 64)).astype(jnp.float16)
b = jax.random.normal(jax.random.key(1), (64, TILES * TILE)).astype(jnp.float16)
result = matmul(a, b)
expected = a.astype(np.float32) @ b.astype(np.float32)
np.testing.assert_allclose(result, expected, rtol=1e-2, atol=1e-2)
print(f"{TILES} tiles through {HALVES} halves of tensor memory:", result.shape, result.dtype)
