"""Tensor memory of scopes that follow each other: each has all columns that a device has, so that they have the same ones.

Small whole numbers make every sum exact. JAX 0.10.2 runs these kernels on a GPU only; they are compared with plain products.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS, COLUMNS, TERMS, PART = 128, 512, 64, 64


def products(a, b):
  def kernel(a_gmem, b_gmem, first_gmem, second_gmem, a_smem, b_smem, arrived):
    plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
    plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
    plgpu.barrier_wait(arrived)

    def scope(o_gmem, times):
      def body(acc, done):
        for number in range(times):
          plgpu.tcgen05_mma(acc, a_smem, b_smem, accumulate=number > 0)
        plgpu.tcgen05_commit_arrive(done)
        plgpu.barrier_wait(done)
        for column in range(0, COLUMNS, PART):
          o_gmem[:, pl.ds(column, PART)] = plgpu.async_load_tmem(acc.at[:, pl.ds(column, PART)])
        plgpu.wait_load_tmem()

      pl.run_scoped(body, plgpu.TMEM((ROWS, COLUMNS), jnp.float32), plgpu.Barrier(orders_tensor_core=True))

    scope(first_gmem, 1)
    scope(second_gmem, 2)

  out = jax.ShapeDtypeStruct((ROWS, COLUMNS), jnp.float32)
  panels = plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)
  return plgpu.kernel(
      kernel,
      out_type=(out, out),
      scratch_types=[
          plgpu.SMEM(a.shape, a.dtype, transforms=panels),
          plgpu.SMEM(b.shape, b.dtype, transforms=panels),
          plgpu.Barrier(num_arrivals=2),
      ],
      grid=(),
      grid_names=(),
      interpret=InterpretGPUParams(),
  )(a, b)


a = jnp.asarray((np.arange(ROWS * TERMS) % 7 - 3).reshape(ROWS, TERMS), jnp.bfloat16)
b = jnp.asarray((np.arange(TERMS * COLUMNS) % 5 - 2).reshape(TERMS, COLUMNS), jnp.bfloat16)
expected = np.asarray(a, np.float32) @ np.asarray(b, np.float32)
for times, found in enumerate(products(a, b), 1):
  np.testing.assert_array_equal(np.asarray(found), times * expected)
print("2 scopes of tensor memory")
