"""Two blocks of a cluster multiply together, 64 rows each: half of the columns lie in the lanes behind those of the rows.

Small whole numbers make every sum exact. JAX 0.10.2 runs these kernels on a GPU only; they are compared with plain products.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS = 64


def product(a, b, sums):
  (rows, terms), columns = a.shape, b.shape[1]

  def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, acc, arrived, done):
    block = lax.axis_index("cluster")

    @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
    def _():
      @pl.when(lax.axis_index("warp") == 0)
      def _():
        for source, target, axis in ((a_gmem, a_smem, 0), (b_gmem, b_smem, 1)):
          plgpu.copy_gmem_to_smem(
              source, target, arrived, collective_axes="cluster", leader_tracked=plgpu.CopyPartition.PARTITIONED(axis)
          )

      @pl.when(jnp.logical_and(lax.axis_index("warp") == 1, block == 0))
      def _():
        plgpu.barrier_wait(arrived)
        # Once, and once more on top of it.
        plgpu.tcgen05_mma(acc, a_smem, b_smem, accumulate=False, collective_axis="cluster")
        plgpu.tcgen05_mma(acc, a_smem, b_smem, accumulate=True, collective_axis="cluster")
        plgpu.tcgen05_commit_arrive(done, collective_axis="cluster")

    plgpu.barrier_wait(done)
    o_smem[...] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[pl.ds(block * ROWS, ROWS), :])
    plgpu.wait_smem_to_gmem(0)

  panels = plgpu.TilingTransform((8, 64 // a.dtype.itemsize)), plgpu.SwizzleTransform(64)
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((rows, columns), sums),
      scratch_types=[
          plgpu.SMEM((ROWS, terms), a.dtype, transforms=panels),
          plgpu.SMEM((terms, columns // 2), a.dtype, transforms=panels),
          plgpu.SMEM((ROWS, columns), sums),
          plgpu.TMEM((ROWS, columns), sums, collective=True),
          plgpu.Barrier(num_arrivals=2),
          plgpu.Barrier(orders_tensor_core=True),
      ],
      grid=(),
      grid_names=(),
      cluster=(2,),
      cluster_names=("cluster",),
      interpret=InterpretGPUParams(),
  )(a, b)


def check(columns, terms, dtype, sums=jnp.float32):
  a = jnp.asarray((np.arange(2 * ROWS * terms) % 7 - 3).reshape(2 * ROWS, terms), dtype)
  b = jnp.asarray((np.arange(terms * columns) % 5 - 2).reshape(terms, columns), dtype)
  expected = 2 * (np.asarray(a, np.float32) @ np.asarray(b, np.float32))
  np.testing.assert_array_equal(np.asarray(product(a, b, sums)), expected.astype(sums))


check(64, 32, jnp.float16)
check(128, 64, jnp.bfloat16)
check(256, 32, jnp.bfloat16)
check(128, 64, jnp.float8_e4m3fn)
check(128, 64, jnp.int8, jnp.int32)
print("5 products of two blocks with 64 rows each")
