"""One warpgroup produces, another consumes, through a queue of three slots.

Two barriers per slot: `produced` says that it is full, `consumed` that it may
be filled again. The producer need not wait for the first three items. At the
end it waits for the last ones, so that no phase of a barrier is missed.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

SLOTS = 3
ITEMS = 10
SIZE = 128


def kernel(o_gmem, queue, produced, consumed):
  thread = lax.axis_index("wg")

  @pl.when(thread == 0)
  def _():
    @pl.loop(0, ITEMS)
    def _(item):
      slot = lax.rem(item, SLOTS)

      @pl.when(item >= SLOTS)
      def _():
        plgpu.barrier_wait(consumed.at[slot])

      queue[slot] = jnp.full((SIZE,), item * item, jnp.int32)
      plgpu.barrier_arrive(produced.at[slot])

    @pl.loop(ITEMS, ITEMS + SLOTS)
    def _(item):
      plgpu.barrier_wait(consumed.at[lax.rem(item, SLOTS)])

  @pl.when(thread == 1)
  def _():
    @pl.loop(0, ITEMS)
    def _(item):
      slot = lax.rem(item, SLOTS)
      plgpu.barrier_wait(produced.at[slot])
      o_gmem[item] = queue[slot] + 1
      plgpu.barrier_arrive(consumed.at[slot])


squares = plgpu.kernel(
    kernel,
    out_type=jax.ShapeDtypeStruct((ITEMS, SIZE), jnp.int32),
    scratch_types=[
        plgpu.SMEM((SLOTS, SIZE), jnp.int32),
        plgpu.Barrier(num_barriers=SLOTS),
        plgpu.Barrier(num_barriers=SLOTS),
    ],
    num_threads=2,
    thread_name="wg",
    interpret=InterpretGPUParams(),
)()
np.testing.assert_array_equal(squares[:, 0], np.arange(ITEMS) ** 2 + 1)
print("consumed:", squares[:, 0])
