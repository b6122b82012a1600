"""Two kernels that have to agree: a recurrence by steps, and by chunks with products.

The state of a gated recurrence, `s = g * s + k * v`, is the sum of what came in,
weighted by how much of it has been forgotten since. By steps it is plain, and
no work for tensor cores; by chunks the weights are taken into the left
factor of one product. The first is there to test the second.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

STEPS, SIZE, CHUNK = 128, 64, 64
GATE = 0.95


def recurrent_kernel(k_gmem, v_gmem, s_gmem):
  def step(t, state):
    k = k_gmem[pl.ds(t * SIZE, SIZE)].astype(jnp.float32)
    v = v_gmem[pl.ds(t * SIZE, SIZE)].astype(jnp.float32)
    outer = lax.broadcast_in_dim(k, (SIZE, SIZE), [0]) * lax.broadcast_in_dim(v, (SIZE, SIZE), [1])
    return GATE * state + outer

  s_gmem[...] = lax.fori_loop(0, STEPS, step, jnp.zeros((SIZE, SIZE), jnp.float32))


def chunk_kernel(weighted_gmem, v_gmem, s_gmem):
  """`weighted_gmem`: keys as columns, each times what is left of its step in the end."""

  def accumulate(acc):
    def step(_, k_smem, v_smem):
      plgpu.wgmma(acc, k_smem, v_smem)
      plgpu.wgmma_wait(1)

    plgpu.emit_pipeline(
        step,
        grid=(STEPS // CHUNK,),
        in_specs=[
            plgpu.BlockSpec((SIZE, CHUNK), lambda c: (0, c), delay_release=1),
            plgpu.BlockSpec((CHUNK, SIZE), lambda c: (c, 0), delay_release=1),
        ],
        max_concurrent_steps=2,
    )(weighted_gmem, v_gmem)
    return acc[...]

  s_gmem[...] = pl.run_scoped(accumulate, plgpu.ACC((SIZE, SIZE), jnp.float32))


launch = functools.partial(
    plgpu.kernel,
    out_type=jax.ShapeDtypeStruct((SIZE, SIZE), jnp.float32),
    interpret=InterpretGPUParams(),
)
k = jax.random.normal(jax.random.key(0), (STEPS, SIZE)).astype(jnp.float16)
v = jax.random.normal(jax.random.key(1), (STEPS, SIZE)).astype(jnp.float16)
by_steps = launch(recurrent_kernel)(k.reshape(-1), v.reshape(-1))
left = GATE ** jnp.arange(STEPS - 1, -1, -1)
by_chunks = launch(chunk_kernel)((k * left[:, None]).astype(jnp.float16).T, v)
np.testing.assert_allclose(by_chunks, by_steps, rtol=2e-2, atol=2e-2)
print(f"{STEPS} steps, chunks of {CHUNK}: states agree", by_chunks.shape)
