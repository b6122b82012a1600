"""Weights of eight bits, products of sixteen, sums of thirty-two: each where it is best.

Weights lie in memory as int8 with a scale for each row. A block of them is
converted in registers, multiplied by tensor cores with bfloat16 and summed
up in float32; the scales and the conversion to the output's dtype come last.
JAX 0.10.2 runs this kernel on a GPU only; it is compared with a plain
product.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILE_M, TILE_N, TILE_K = 64, 128, 64


def kernel(w_gmem, scale_gmem, x_gmem, o_gmem, o_smem):
  m, n = lax.axis_index("m"), lax.axis_index("n")
  rows = pl.ds(m * TILE_M, TILE_M)

  def accumulate(acc):
    def step(_, w_smem, x_smem):
      weights = w_smem[...].astype(x_smem.dtype)
      plgpu.wgmma(acc, weights, x_smem)
      plgpu.wgmma_wait(0)

    plgpu.emit_pipeline(
        step,
        grid=(w_gmem.shape[1] // TILE_K,),
        in_specs=[
            plgpu.BlockSpec((TILE_M, TILE_K), lambda k: (m, k)),
            plgpu.BlockSpec((TILE_K, TILE_N), lambda k: (k, n)),
        ],
        max_concurrent_steps=2,
    )(w_gmem, x_gmem)
    return acc[...]

  acc = pl.run_scoped(accumulate, plgpu.ACC((TILE_M, TILE_N), jnp.float32))
  scaled = acc * lax.broadcast_in_dim(scale_gmem[rows], acc.shape, [0])
  o_smem[...] = scaled.astype(o_smem.dtype)
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[rows, pl.ds(n * TILE_N, TILE_N)])
  plgpu.wait_smem_to_gmem(0)


def matmul(weights, scales, x):
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((weights.shape[0], x.shape[1]), x.dtype),
      scratch_types=[plgpu.SMEM((TILE_M, TILE_N), x.dtype)],
      grid=(weights.shape[0] // TILE_M, x.shape[1] // TILE_N),
      grid_names=("m", "n"),
      interpret=InterpretGPUParams(),
  )(weights, scales, x)


full = jax.random.normal(jax.random.key(0), (128, 256), jnp.float32)
scales = jnp.max(jnp.abs(full), axis=1) / 127
weights = jnp.round(full / scales[:, None]).astype(jnp.int8)
x = jax.random.normal(jax.random.key(1), (256, 256)).astype(jnp.bfloat16)
result = matmul(weights, scales, x)
expected = (weights.astype(np.float32) @ x.astype(np.float32)) * scales[:, None]
np.testing.assert_allclose(result.astype(np.float32), expected, rtol=2e-2, atol=2e-1)
print("int8 x bfloat16 in float32:", result.shape, result.dtype)
