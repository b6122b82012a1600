"""Two blocks of a cluster multiply together, tile after tile: one warp brings tiles, one multiplies, a warpgroup stores.

What is brought is divided between the blocks, and only the first of them counts it, since only that one multiplies. There are two
halves of tensor memory, so that one is stored while the other is multiplied; a barrier of the cluster says that both blocks have
stored. Tiles are taken in an order that stays near, by as many clusters as there are.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

BM, BN, BK, EPILOGUE, SLOTS, CLUSTERS = 128, 64, 64, 32, 2, 2


def matmul(a, b):
  m, k = a.shape
  n = b.shape[1]
  steps, rows_at_once, columns_at_once = k // BK, 2 * BM, 2 * BN
  tiles = (m // rows_at_once, n // columns_at_once)

  def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, acc, o_smem, filled, read, done, stored):
    group, block = lax.axis_index("wg"), lax.axis_index("cluster")

    @plgpu.nd_loop((tiles[0] * tiles[1],), collective_axes="clusters")
    def _(loop):
      (tile,) = loop.index
      mi, ni = plgpu.planar_snake(tile, tiles, 1, 2)
      rows, columns = pl.ds(mi * rows_at_once, rows_at_once), pl.ds(ni * columns_at_once, columns_at_once)
      half = lax.rem(loop.local_index, jnp.int32(2))
      sums = acc.at[:, pl.ds(half * columns_at_once, columns_at_once)]

      @pl.when(group == 0)
      def _():
        @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
        def _():
          warp = lax.axis_index("warp")

          @pl.when(warp == 0)
          def _():
            @pl.loop(0, steps)
            def _(step):
              slot = lax.rem(step, SLOTS)

              @pl.when(jnp.logical_or(step >= SLOTS, loop.local_index > 0))
              def _():
                plgpu.barrier_wait(read.at[slot])

              terms = pl.ds(step * BK, BK)
              plgpu.copy_gmem_to_smem(
                  a_gmem.at[rows, terms], a_smem.at[slot], filled.at[slot], collective_axes="cluster",
                  leader_tracked=plgpu.CopyPartition.PARTITIONED(0),
              )
              plgpu.copy_gmem_to_smem(
                  b_gmem.at[terms, columns], b_smem.at[slot], filled.at[slot], collective_axes="cluster",
                  leader_tracked=plgpu.CopyPartition.PARTITIONED(1),
              )

          @pl.when(jnp.logical_and(warp == 1, loop.local_index >= 2))
          def _():
            plgpu.barrier_wait(stored.at[half])

          @pl.when(jnp.logical_and(warp == 1, block == 0))
          def _():
            @pl.loop(0, steps)
            def _(step):
              slot = lax.rem(step, SLOTS)
              plgpu.barrier_wait(filled.at[slot])
              plgpu.tcgen05_mma(
                  sums, a_smem.at[slot], b_smem.at[slot], read.at[slot], accumulate=step > 0, collective_axis="cluster"
              )

            plgpu.tcgen05_commit_arrive(done.at[half], collective_axis="cluster")

      @pl.when(group == 1)
      def _():
        plgpu.barrier_wait(done.at[half])
        window = o_gmem.at[pl.ds((mi * 2 + block) * BM, BM), columns]
        for number in range(columns_at_once // EPILOGUE):
          part = pl.ds(number * EPILOGUE, EPILOGUE)
          slot = number % 2
          plgpu.wait_smem_to_gmem(1, wait_read_only=True)
          o_smem[slot] = plgpu.async_load_tmem(sums.at[:, part]).astype(o_smem.dtype)
          plgpu.commit_smem()
          plgpu.copy_smem_to_gmem(o_smem.at[slot], window.at[:, part])
        plgpu.wait_load_tmem()
        plgpu.barrier_arrive(stored.at[half])

    # What nobody waits for in another round.
    @pl.when(group == 0)
    def _():
      @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
      def _():
        for warp, barriers in enumerate((read, stored)):
          @pl.when(lax.axis_index("warp") == warp)
          def _():
            for slot in range(2):
              plgpu.barrier_wait(barriers.at[slot])

    plgpu.wait_smem_to_gmem(0, wait_read_only=True)

  panels = plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)
  narrow = plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(64)
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((m, n), a.dtype),
      scratch_types=[
          plgpu.SMEM((SLOTS, BM, BK), a.dtype, transforms=panels),
          plgpu.SMEM((SLOTS, BK, BN), a.dtype, transforms=panels),
          plgpu.TMEM((BM, 2 * columns_at_once), jnp.float32, collective=True),
          plgpu.SMEM((2, BM, EPILOGUE), a.dtype, transforms=narrow),
          plgpu.Barrier(num_arrivals=2, num_barriers=SLOTS),
          plgpu.Barrier(num_barriers=SLOTS, orders_tensor_core=True),
          plgpu.Barrier(num_barriers=2, orders_tensor_core=True),
          plgpu.ClusterBarrier(collective_axes=("cluster",), num_barriers=2, orders_tensor_core=True),
      ],
      grid=(CLUSTERS,),
      grid_names=("clusters",),
      cluster=(2,),
      cluster_names=("cluster",),
      num_threads=2,
      thread_name="wg",
      interpret=InterpretGPUParams(),
  )(a, b)


a = jax.random.normal(jax.random.key(0), (512, 128)).astype(jnp.float16)
b = jax.random.normal(jax.random.key(1), (128, 384)).astype(jnp.float16)
expected = a.astype(np.float32) @ b.astype(np.float32)
np.testing.assert_allclose(matmul(a, b), expected, rtol=1e-2, atol=5e-2)
