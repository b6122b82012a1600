"""A gated product: one copy brings two matrices that lie beside each other, `[terms, 2, columns]`, and one product takes them as one.

The sums are then cut in halves, one of which gates the other; each warp has both halves of its rows in registers.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

M, K, N = 64, 128, 64


def kernel(x_gmem, w_gmem, o_gmem, x_smem, w_smem, o_smem, barrier):
  plgpu.copy_gmem_to_smem(x_gmem, x_smem, barrier)
  plgpu.copy_gmem_to_smem(w_gmem, w_smem, barrier)
  plgpu.barrier_wait(barrier)

  def multiply(acc):
    plgpu.wgmma(acc, x_smem, w_smem.reshape(K, 2 * N))
    plgpu.wgmma_wait(0)
    return acc[...]

  both = pl.run_scoped(multiply, plgpu.ACC((M, 2 * N), jnp.float32))
  o_smem[...] = (jax.nn.silu(both[:, :N]) * both[:, N:]).astype(o_smem.dtype)
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(o_smem, o_gmem)
  plgpu.wait_smem_to_gmem(0)


def gated(x, w):
  swizzle = plgpu.SwizzleTransform(128)
  panels = plgpu.TilingTransform((8, 64)), swizzle
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((M, N), x.dtype),
      scratch_types=[
          plgpu.SMEM((M, K), x.dtype, transforms=panels),
          plgpu.SMEM((K, 2, N), x.dtype, transforms=(plgpu.TilingTransform((8, 1, 64)), swizzle)),
          plgpu.SMEM((M, N), x.dtype, transforms=panels),
          plgpu.Barrier(num_arrivals=2),
      ],
      interpret=InterpretGPUParams(),
  )(x, w)


x = jax.random.normal(jax.random.key(0), (M, K)).astype(jnp.bfloat16)
w = jax.random.normal(jax.random.key(1), (K, 2, N)).astype(jnp.bfloat16) / 8
product = jnp.einsum("mk,kgn->mgn", x.astype(jnp.float32), w.astype(jnp.float32))
expected = jax.nn.silu(product[:, 0]) * product[:, 1]
np.testing.assert_allclose(gated(x, w).astype(jnp.float32), expected, rtol=2e-2, atol=2e-2)
print("two matrices, one product:", expected.shape)
