"""A matrix product as a pipeline: blocks are copied in while others are multiplied.

`plgpu.emit_pipeline` keeps the slots, barriers and copies. `delay_release`
leaves a slot alone for one more step, because the product of the step before
may still read it: `wgmma_wait(1)` waits for all products but the newest.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(a_gmem, b_gmem, o_gmem, o_smem, *, tile_m, tile_n, tile_k):
  m, n = lax.axis_index("m"), lax.axis_index("n")

  def accumulate(acc):
    def step(_, a_smem, b_smem):
      plgpu.wgmma(acc, a_smem, b_smem)
      plgpu.wgmma_wait(1)

    plgpu.emit_pipeline(
        step,
        grid=(a_gmem.shape[1] // tile_k,),
        in_specs=[
            plgpu.BlockSpec((tile_m, tile_k), lambda k: (m, k), delay_release=1),
            plgpu.BlockSpec((tile_k, tile_n), lambda k: (k, n), delay_release=1),
        ],
        max_concurrent_steps=2,
    )(a_gmem, b_gmem)
    return acc[...]

  acc = pl.run_scoped(accumulate, plgpu.ACC((tile_m, tile_n), jnp.float32))
  o_smem[...] = acc.astype(o_smem.dtype)
  plgpu.commit_smem()
  block = (pl.ds(m * tile_m, tile_m), pl.ds(n * tile_n, tile_n))
  plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[block])
  plgpu.wait_smem_to_gmem(0)


def matmul(a, b, tile_m=64, tile_n=64, tile_k=64):
  return plgpu.kernel(
      functools.partial(kernel, tile_m=tile_m, tile_n=tile_n, tile_k=tile_k),
      out_type=jax.ShapeDtypeStruct((a.shape[0], b.shape[1]), a.dtype),
      scratch_types=[plgpu.SMEM((tile_m, tile_n), a.dtype)],
      grid=(a.shape[0] // tile_m, b.shape[1] // tile_n),
      grid_names=("m", "n"),
      interpret=InterpretGPUParams(),
  )(a, b)


a = jax.random.normal(jax.random.key(0), (128, 256)).astype(jnp.float16)
b = jax.random.normal(jax.random.key(1), (256, 128)).astype(jnp.float16)
result = matmul(a, b)
expected = a.astype(np.float32) @ b.astype(np.float32)
np.testing.assert_allclose(result, expected, rtol=2e-2, atol=2e-1)
print("product of", a.shape, "and", b.shape, "as", result.dtype, result.shape)
