"""Two blocks of a cluster multiply different rows with the same columns: each brings half of every tile of the right factor to both.

A slot may be filled again when both blocks have read it, since both fill it: a barrier of the cluster counts that.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

M, N, K, BM, BK, SLOTS = 256, 128, 320, 64, 64, 2


def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, filled, read):
  block = lax.axis_index("c")
  rows = pl.ds((lax.axis_index("m") * 2 + block) * BM, BM)
  steps = K // BK

  def fill(step, slot):
    terms = pl.ds(step * BK, BK)
    plgpu.copy_gmem_to_smem(a_gmem.at[rows, terms], a_smem.at[slot], filled.at[slot])
    plgpu.copy_gmem_to_smem(b_gmem.at[terms], b_smem.at[slot], filled.at[slot], collective_axes="c")

  for slot in range(SLOTS):
    fill(slot, slot)

  def multiply(acc):
    @pl.loop(0, steps)
    def _(step):
      slot = lax.rem(step, SLOTS)
      plgpu.barrier_wait(filled.at[slot])
      plgpu.wgmma(acc, a_smem.at[slot], b_smem.at[slot])
      plgpu.wgmma_wait(0)

      @pl.when(step + SLOTS < steps)
      def _():
        plgpu.barrier_arrive(read.at[slot])
        plgpu.barrier_wait(read.at[slot])
        fill(step + SLOTS, slot)

    return acc[...]

  o_smem[...] = pl.run_scoped(multiply, plgpu.ACC((BM, N), jnp.float32)).astype(o_smem.dtype)
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[rows])
  plgpu.wait_smem_to_gmem(0)


def matmul(a, b):
  panels = plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((M, N), a.dtype),
      scratch_types=[
          plgpu.SMEM((SLOTS, BM, BK), a.dtype, transforms=panels),
          plgpu.SMEM((SLOTS, BK, N), a.dtype, transforms=panels),
          plgpu.SMEM((BM, N), a.dtype, transforms=panels),
          plgpu.Barrier(num_arrivals=2, num_barriers=SLOTS),
          plgpu.ClusterBarrier(collective_axes=("c",), num_barriers=SLOTS),
      ],
      grid=(M // BM // 2,),
      grid_names=("m",),
      cluster=(2,),
      cluster_names=("c",),
      interpret=InterpretGPUParams(),
  )(a, b)


a = jax.random.normal(jax.random.key(0), (M, K)).astype(jnp.float16)
b = jax.random.normal(jax.random.key(1), (K, N)).astype(jnp.float16)
expected = a.astype(np.float32) @ b.astype(np.float32)
np.testing.assert_allclose(matmul(a, b), expected, rtol=1e-2, atol=5e-2)
