"""Products into tensor memory of every dtype that tensor cores take there: of all lanes and of half of the rows, with the left factor
in shared memory or in tensor memory, and with the right one in rows of terms or of columns.

Small whole numbers make every sum exact. JAX 0.10.2 runs these kernels on a GPU only; they are compared with plain products.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def product(a, b, sums, in_lanes=False, turned=False):
  rows, columns = a.shape[0], b.shape[0 if turned else 1]

  def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, acc, arrived, done, *lanes):
    plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
    plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
    plgpu.barrier_wait(arrived)
    left = a_smem
    if in_lanes:
      (left,) = lanes
      plgpu.async_store_tmem(left, a_smem[...])
      plgpu.commit_tmem()
    right = plgpu.transpose_ref(b_smem, (1, 0)) if turned else b_smem
    # Once, and once more on top of it.
    plgpu.tcgen05_mma(acc, left, right, done, accumulate=False)
    plgpu.barrier_wait(done)
    plgpu.tcgen05_mma(acc, left, right, done, accumulate=True)
    plgpu.barrier_wait(done)
    o_smem[...] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem)
    plgpu.wait_smem_to_gmem(0)

  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((rows, columns), sums),
      scratch_types=[
          plgpu.SMEM(a.shape, a.dtype),
          plgpu.SMEM(b.shape, b.dtype),
          plgpu.SMEM((rows, columns), sums),
          plgpu.TMEM((rows, columns), sums),
          plgpu.Barrier(num_arrivals=2),
          plgpu.Barrier(orders_tensor_core=True),
          *([plgpu.TMEM(a.shape, a.dtype, packed=True)] if in_lanes else []),
      ],
      grid=(),
      grid_names=(),
      interpret=InterpretGPUParams(),
  )(a, b)


def check(rows, columns, terms, dtype, sums=jnp.float32, in_lanes=False, turned=False):
  a = jnp.asarray((np.arange(rows * terms) % 7 - 3).reshape(rows, terms), dtype)
  b = (np.arange(terms * columns) % 5 - 2).reshape(terms, columns)
  found = product(a, jnp.asarray(b.T if turned else b, dtype), sums, in_lanes, turned)
  expected = 2 * (np.asarray(a, np.float32) @ b.astype(np.float32))
  np.testing.assert_array_equal(np.asarray(found), expected.astype(sums))


check(128, 64, 64, jnp.float8_e4m3fn)
check(128, 64, 128, jnp.float8_e4m3fn, turned=True)
check(128, 32, 32, jnp.float8_e5m2, turned=True)
check(128, 128, 64, jnp.int8, jnp.int32, turned=True)
check(128, 32, 64, jnp.int8, jnp.int32)
check(64, 64, 32, jnp.float16)
check(64, 128, 64, jnp.bfloat16, turned=True)
check(64, 64, 64, jnp.int8, jnp.int32, turned=True)
check(128, 64, 64, jnp.bfloat16, in_lanes=True)
check(128, 32, 32, jnp.float16, in_lanes=True, turned=True)
check(128, 32, 64, jnp.float8_e4m3fn, in_lanes=True, turned=True)
check(128, 32, 32, jnp.int8, jnp.int32, in_lanes=True, turned=True)
print("12 products into tensor memory")
