"""Triple buffering by hand: blocks arrive in three slots of shared memory.

The copy of a block is started three steps before it is needed. A barrier per
slot says when its block has arrived; a slot is filled again only when all
that reads it has been read, and the results leave through a slot of their
own. Take one of the waits away and `pallas-tui run` names the two accesses
that race.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

BUFFERS = 3


def kernel(x_gmem, o_gmem, x_smem, o_smem, arrived, *, tile):
  steps = x_gmem.shape[0] // tile

  def fetch(step, slot):
    rows = pl.ds(step * tile, tile)
    plgpu.copy_gmem_to_smem(x_gmem.at[rows], x_smem.at[slot], arrived.at[slot])

  for slot in range(BUFFERS):
    fetch(slot, slot)

  def body(step, _):
    slot = lax.rem(step, BUFFERS)
    plgpu.barrier_wait(arrived.at[slot])
    plgpu.wait_smem_to_gmem(0, wait_read_only=True)
    o_smem[...] = jnp.maximum(x_smem[slot], 0.0) * 2.0
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[pl.ds(step * tile, tile)])

    @pl.when(step + BUFFERS < steps)
    def _():
      fetch(step + BUFFERS, slot)

  lax.fori_loop(0, steps, body, None)
  plgpu.wait_smem_to_gmem(0)


@functools.partial(jax.jit, static_argnames=("tile",))
def double_relu(x, tile=64):
  return plgpu.kernel(
      functools.partial(kernel, tile=tile),
      out_type=x,
      scratch_types=[
          plgpu.SMEM((BUFFERS, tile), x.dtype),
          plgpu.SMEM((tile,), x.dtype),
          plgpu.Barrier(num_barriers=BUFFERS),
      ],
      interpret=InterpretGPUParams(),
  )(x)


x = jnp.arange(-512, 512, dtype=jnp.float32)
result = double_relu(x)
np.testing.assert_array_equal(result, 2 * np.maximum(x, 0))
print(f"{x.size // 64} blocks through {BUFFERS} slots, the last: {result[-4:]}")
