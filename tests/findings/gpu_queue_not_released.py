# A producer that does not wait until its slots have been consumed.
# jax: not run
# found by a run, and before
import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

SLOTS, ITEMS, SIZE = 3, 6, 128


def kernel(o_gmem, queue, produced):
    thread = lax.axis_index("wg")

    @pl.when(thread == 0)
    def _():
        for item in range(ITEMS):
            queue[item % SLOTS] = jnp.full((SIZE,), item, jnp.int32)
            plgpu.barrier_arrive(produced.at[item])

    @pl.when(thread == 1)
    def _():
        for item in range(ITEMS):
            plgpu.barrier_wait(produced.at[item])
            o_gmem[item] = queue[item % SLOTS]
#                          ^ PL410 error "this read of queue races with a write to it"


out = jax.ShapeDtypeStruct((ITEMS, SIZE), jnp.int32)
scratch = [plgpu.SMEM((SLOTS, SIZE), jnp.int32), plgpu.Barrier(num_barriers=ITEMS)]
launch = plgpu.kernel(
    kernel, out_type=out, scratch_types=scratch, num_threads=2, thread_name="wg", interpret=InterpretGPUParams()
)
print(launch()[:, 0])
