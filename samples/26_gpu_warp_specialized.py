"""Warpgroups with roles: one brings the blocks, two multiply them.

`plgpu.emit_pipeline_warp_specialized` keeps the slots and gives the memory
warpgroup few registers, so that the others get more. The accumulator is a
carry, made in `compute_context`, which runs in the computing warpgroups only.

JAX 0.10.2 runs this kernel on a GPU only; it is compared with a plain
product.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

COMPUTE = 2


def kernel(a_gmem, b_gmem, o_gmem, o_smem, *, tile_m, tile_n, tile_k):
  m, n = lax.axis_index("m"), lax.axis_index("n")
  columns = pl.ds(lax.axis_index("wg") * tile_n, tile_n)

  def compute_context(pipeline):
    zeros = jnp.full((tile_m, tile_n), 0, jnp.float32)
    acc = pipeline(plgpu.layout_cast(zeros, plgpu.Layout.WGMMA))
    o_smem[:, columns] = acc.astype(o_smem.dtype)
    plgpu.commit_smem()
    rows = pl.ds(m * tile_m, tile_m)
    block = pl.ds(n * COMPUTE * tile_n, COMPUTE * tile_n)
    plgpu.copy_smem_to_gmem(o_smem.at[:, columns], o_gmem.at[rows, block].at[:, columns])
    plgpu.wait_smem_to_gmem(0)

  def step(_, a_smem, b_smem, acc):
    def multiply(acc_ref):
      plgpu.wgmma(acc_ref, a_smem, b_smem.at[:, columns])

    return pl.run_state(multiply)(plgpu.ACC.init(acc))

  plgpu.emit_pipeline_warp_specialized(
      step,
      grid=(a_gmem.shape[1] // tile_k,),
      in_specs=[
          plgpu.BlockSpec((tile_m, tile_k), lambda k: (m, k)),
          plgpu.BlockSpec((tile_k, COMPUTE * tile_n), lambda k: (k, n)),
      ],
      compute_context=compute_context,
      max_concurrent_steps=2,
      num_compute_wgs=COMPUTE,
      memory_registers=40,
      wg_axis="wg",
  )(a_gmem, b_gmem)


def matmul(a, b, tile_m=64, tile_n=64, tile_k=64):
  return plgpu.kernel(
      functools.partial(kernel, tile_m=tile_m, tile_n=tile_n, tile_k=tile_k),
      out_type=jax.ShapeDtypeStruct((a.shape[0], b.shape[1]), a.dtype),
      scratch_types=[plgpu.SMEM((tile_m, COMPUTE * tile_n), a.dtype)],
      grid=(a.shape[0] // tile_m, b.shape[1] // (COMPUTE * tile_n)),
      grid_names=("m", "n"),
      num_threads=COMPUTE + 1,
      thread_name="wg",
      interpret=InterpretGPUParams(),
  )(a, b)


a = jax.random.normal(jax.random.key(0), (128, 256)).astype(jnp.float16)
b = jax.random.normal(jax.random.key(1), (256, 256)).astype(jnp.float16)
result = matmul(a, b)
expected = a.astype(np.float32) @ b.astype(np.float32)
np.testing.assert_allclose(result, expected, rtol=1e-2, atol=1e-1)
print(f"{COMPUTE} warpgroups multiply, one copies:", result.shape, result.dtype)
