"""A callback in a pipeline: the blocks that a product reads are passed on.

A kernel that other kernels build upon takes `pipeline_callback` and calls it
in every step with the slots of that step. Here it sends the blocks of the
left factor somewhere else while they are multiplied, as a product over
several devices does with its neighbour's memory. It reads slots with a copy
of its own, so they may not be released at once: `delay_release`.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILE = 64


def matmul_kernel(a_gmem, b_gmem, o_gmem, o_smem, *, pipeline_callback, delay_release):
  m, n = lax.axis_index("m"), lax.axis_index("n")

  def accumulate(acc):
    def step(indices, a_smem, b_smem):
      plgpu.wgmma(acc, a_smem, b_smem)
      pipeline_callback(m, n, indices[0], a_smem, b_smem)
      plgpu.wgmma_wait(1)

    plgpu.emit_pipeline(
        step,
        grid=(a_gmem.shape[1] // TILE,),
        in_specs=[
            plgpu.BlockSpec((TILE, TILE), lambda k: (m, k), delay_release=delay_release),
            plgpu.BlockSpec((TILE, TILE), lambda k: (k, n), delay_release=delay_release),
        ],
        max_concurrent_steps=3,
    )(a_gmem, b_gmem)
    return acc[...]

  acc = pl.run_scoped(accumulate, plgpu.ACC((TILE, TILE), jnp.float32))
  o_smem[...] = acc.astype(o_smem.dtype)
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[pl.ds(m * TILE, TILE), pl.ds(n * TILE, TILE)])
  plgpu.wait_smem_to_gmem(0)


def kernel(a_gmem, b_gmem, o_gmem, sent_gmem, o_smem):
  def send(m, n, k, a_smem, b_smem):
    del b_smem

    # Once for each block of the left factor.
    @pl.when(n == 0)
    def _():
      block = (pl.ds(m * TILE, TILE), pl.ds(k * TILE, TILE))
      plgpu.copy_smem_to_gmem(a_smem, sent_gmem.at[block])
      # The block of the step before has been read: its slot may be released.
      plgpu.wait_smem_to_gmem(1, wait_read_only=True)

  matmul_kernel(a_gmem, b_gmem, o_gmem, o_smem, pipeline_callback=send, delay_release=1)


def matmul_and_send(a, b):
  return plgpu.kernel(
      kernel,
      out_type=[jax.ShapeDtypeStruct((a.shape[0], b.shape[1]), a.dtype), a],
      scratch_types=[plgpu.SMEM((TILE, TILE), a.dtype)],
      grid=(a.shape[0] // TILE, b.shape[1] // TILE),
      grid_names=("m", "n"),
      interpret=InterpretGPUParams(),
  )(a, b)


a = jax.random.normal(jax.random.key(0), (128, 256)).astype(jnp.float16)
b = jax.random.normal(jax.random.key(1), (256, 128)).astype(jnp.float16)
product, sent = matmul_and_send(a, b)
np.testing.assert_allclose(product, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-2, atol=1e-1)
np.testing.assert_array_equal(sent, a)
print("multiplied", product.shape, "and passed on", sent.shape)
