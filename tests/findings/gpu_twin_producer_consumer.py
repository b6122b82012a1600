# The broken twin of samples/20: the consumer does not say that it has consumed, and the producer waits for ever.
# jax: not run
# found by a run, and before
import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

SLOTS, ITEMS, SIZE = 3, 10, 128


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
#               ^ PL401 error "waits for phase 1 of a barrier of consumed, which has 0 of 1 arrivals"

            queue[slot] = jnp.full((SIZE,), item, jnp.int32)
            plgpu.barrier_arrive(produced.at[slot])

    @pl.when(thread == 1)
    def _():
        @pl.loop(0, ITEMS)
        def _(item):
            slot = lax.rem(item, SLOTS)
            plgpu.barrier_wait(produced.at[slot])
            o_gmem[item] = queue[slot] + 1


out = jax.ShapeDtypeStruct((ITEMS, SIZE), jnp.int32)
barriers = plgpu.Barrier(num_barriers=SLOTS)
scratch = [plgpu.SMEM((SLOTS, SIZE), jnp.int32), barriers, barriers]
interpret = InterpretGPUParams()
launch = plgpu.kernel(
    kernel, out_type=out, scratch_types=scratch, num_threads=2, thread_name="wg", interpret=interpret
)
print(launch()[:, 0])
