"""Two blocks of a cluster multiply together, and agree before they go on.

The first block starts one product for both; each keeps half of the rows of
the accumulator in its tensor memory. Before the next product writes there,
both must have read: a barrier of the cluster counts an arrival of each.

JAX 0.10.2 runs this kernel on a GPU only; it is compared with plain
products.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS = 128
COLUMNS = 128
ROUNDS = 3


def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, acc_tmem, a_arrived, b_arrived, multiplied, met):
  block = lax.axis_index("cluster")
  rows = pl.ds(block * ROWS, ROWS)
  half = pl.ds(block * (COLUMNS // 2), COLUMNS // 2)
  plgpu.copy_gmem_to_smem(a_gmem.at[rows], a_smem, a_arrived)
  plgpu.barrier_wait(a_arrived)

  @pl.loop(0, ROUNDS)
  def _(turn):
    plgpu.copy_gmem_to_smem(b_gmem.at[turn].at[:, half], b_smem, b_arrived)
    plgpu.barrier_wait(b_arrived)
    # Both have what they bring to the product.
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)

    @pl.when(block == 0)
    def _():
      plgpu.tcgen05_mma(
          acc_tmem, a_smem, b_smem, multiplied, accumulate=False, collective_axis="cluster"
      )

    plgpu.barrier_wait(multiplied)
    result = plgpu.async_load_tmem(acc_tmem)
    plgpu.wait_load_tmem()
    plgpu.wait_smem_to_gmem(0, wait_read_only=True)
    o_smem[...] = result.astype(o_smem.dtype)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[turn].at[rows])
    # Nobody starts the next product before both have read this one.
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)

  plgpu.wait_smem_to_gmem(0)


def products(a, b):
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((ROUNDS, 2 * ROWS, COLUMNS), a.dtype),
      scratch_types=[
          plgpu.SMEM((ROWS, a.shape[1]), a.dtype),
          plgpu.SMEM((a.shape[1], COLUMNS // 2), a.dtype),
          plgpu.SMEM((ROWS, COLUMNS), a.dtype),
          plgpu.TMEM((ROWS, COLUMNS), jnp.float32, collective=True),
          plgpu.Barrier(),
          plgpu.Barrier(),
          plgpu.Barrier(orders_tensor_core=True),
          plgpu.ClusterBarrier(collective_axes=("cluster",), orders_tensor_core=True),
      ],
      cluster=(2,),
      cluster_names=("cluster",),
      interpret=InterpretGPUParams(),
  )(a, b)


a = jax.random.normal(jax.random.key(0), (2 * ROWS, 64)).astype(jnp.float16)
b = jax.random.normal(jax.random.key(1), (ROUNDS, 64, COLUMNS)).astype(jnp.float16)
result = products(a, b)
expected = a.astype(np.float32) @ b.astype(np.float32)
np.testing.assert_allclose(result, expected, rtol=1e-2, atol=1e-2)
print(f"{ROUNDS} products of two blocks together:", result.shape, result.dtype)
