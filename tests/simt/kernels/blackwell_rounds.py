"""Two blocks of a cluster multiply together, round after round, with one barrier that says that a product is done. Whole warpgroups wait
for it: warps of the second block that are slow to see it have to see it before the first block, which hears of the second one only by what
that brings, can say so once more, since a phase is known by its parity.

Small whole numbers make every sum exact. JAX 0.10.2 runs these kernels on a GPU only; they are compared with plain products.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS, COLUMNS, TERMS, ROUNDS = 128, 64, 64, 4


def matmul(a, b):
  def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, acc, arrived, done):
    block = lax.axis_index("cluster")
    for turn in range(ROUNDS):
      terms = pl.ds(turn * TERMS, TERMS)
      plgpu.copy_gmem_to_smem(
          a_gmem.at[:, terms], a_smem, arrived, collective_axes="cluster",
          leader_tracked=plgpu.CopyPartition.PARTITIONED(0),
      )
      plgpu.copy_gmem_to_smem(
          b_gmem.at[terms, :], b_smem, arrived, collective_axes="cluster",
          leader_tracked=plgpu.CopyPartition.PARTITIONED(1),
      )

      @pl.when(block == 0)
      def _():
        plgpu.barrier_wait(arrived)
        plgpu.tcgen05_mma(acc, a_smem, b_smem, done, accumulate=turn > 0, collective_axis="cluster")

      plgpu.barrier_wait(done)
    o_smem[...] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[pl.ds(block * ROWS, ROWS), :])
    plgpu.wait_smem_to_gmem(0)

  panels = plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)
  narrow = plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(64)
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((2 * ROWS, COLUMNS), jnp.float32),
      scratch_types=[
          plgpu.SMEM((ROWS, TERMS), a.dtype, transforms=panels),
          plgpu.SMEM((TERMS, COLUMNS // 2), a.dtype, transforms=narrow),
          plgpu.SMEM((ROWS, COLUMNS), jnp.float32),
          plgpu.TMEM((ROWS, COLUMNS), jnp.float32, collective=True),
          plgpu.Barrier(num_arrivals=2),
          plgpu.Barrier(orders_tensor_core=True),
      ],
      grid=(),
      grid_names=(),
      cluster=(2,),
      cluster_names=("cluster",),
      interpret=InterpretGPUParams(),
  )(a, b)


a = jnp.asarray((np.arange(2 * ROWS * ROUNDS * TERMS) % 7 - 3).reshape(2 * ROWS, ROUNDS * TERMS), jnp.float16)
b = jnp.asarray((np.arange(ROUNDS * TERMS * COLUMNS) % 5 - 2).reshape(ROUNDS * TERMS, COLUMNS), jnp.float16)
np.testing.assert_array_equal(matmul(a, b), a.astype(np.float32) @ b.astype(np.float32))
print("products of two blocks, one after the other")
