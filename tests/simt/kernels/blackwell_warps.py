"""Warps with roles: one brings tiles, one multiplies them into tensor memory, and the whole warpgroup stores the sums.

The same four warps go their own ways once for each tile of the result, and each counts the phases of its barriers on.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

M, N, K, BM, BN, BK, SLOTS = 256, 128, 192, 128, 64, 64, 2


def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, acc, filled, read, done):
  rows = pl.ds(lax.axis_index("m") * BM, BM)
  steps = K // BK

  @pl.loop(0, N // BN)
  def _(tile):
    columns = pl.ds(tile * BN, BN)

    @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
    def _():
      warp = lax.axis_index("warp")

      @pl.when(warp == 0)
      def _():
        @pl.loop(0, steps)
        def _(step):
          slot = lax.rem(step + tile * steps, SLOTS)

          @pl.when(step + tile * steps >= SLOTS)
          def _():
            plgpu.barrier_wait(read.at[slot])

          terms = pl.ds(step * BK, BK)
          plgpu.copy_gmem_to_smem(a_gmem.at[rows, terms], a_smem.at[slot], filled.at[slot])
          plgpu.copy_gmem_to_smem(b_gmem.at[terms, columns], b_smem.at[slot], filled.at[slot])

        # Nobody fills the last slots again.
        @pl.when(tile == N // BN - 1)
        def _():
          for slot in range(SLOTS):
            plgpu.barrier_wait(read.at[slot])

      @pl.when(warp == 1)
      def _():
        @pl.loop(0, steps)
        def _(step):
          slot = lax.rem(step + tile * steps, SLOTS)
          plgpu.barrier_wait(filled.at[slot])
          plgpu.tcgen05_mma(acc, a_smem.at[slot], b_smem.at[slot], read.at[slot], accumulate=step > 0)

        plgpu.tcgen05_commit_arrive(done)

    plgpu.barrier_wait(done)
    sums = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()
    plgpu.wait_smem_to_gmem(0, wait_read_only=True)
    o_smem[...] = sums.astype(o_smem.dtype)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[rows, columns])

  plgpu.wait_smem_to_gmem(0)


def matmul(a, b):
  panels = plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((M, N), a.dtype),
      scratch_types=[
          plgpu.SMEM((SLOTS, BM, BK), a.dtype, transforms=panels),
          plgpu.SMEM((SLOTS, BK, BN), a.dtype, transforms=panels),
          plgpu.SMEM((BM, BN), a.dtype, transforms=panels),
          plgpu.TMEM((BM, BN), jnp.float32),
          plgpu.Barrier(num_arrivals=2, num_barriers=SLOTS),
          plgpu.Barrier(num_barriers=SLOTS, orders_tensor_core=True),
          plgpu.Barrier(orders_tensor_core=True),
      ],
      grid=(M // BM,),
      grid_names=("m",),
      interpret=InterpretGPUParams(),
  )(a, b)


a = jax.random.normal(jax.random.key(0), (M, K)).astype(jnp.float16)
b = jax.random.normal(jax.random.key(1), (K, N)).astype(jnp.float16)
expected = a.astype(np.float32) @ b.astype(np.float32)
np.testing.assert_allclose(matmul(a, b), expected, rtol=1e-2, atol=5e-2)
