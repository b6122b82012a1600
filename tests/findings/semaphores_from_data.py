# Which semaphores are used, and how often, depends on data: nothing is certain.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(n_ref, x_hbm, o_hbm, sems, counter):
    n = n_ref[0]
    slot = n % 2
    copy = pltpu.make_async_copy(x_hbm, o_hbm, sems.at[slot])
    copy.start()
    copy.wait()

    @pl.loop(0, n)
    def _(i):
        pl.semaphore_signal(counter, 1)

    pl.semaphore_wait(counter, n)


pl.pallas_call(
    kernel,
    out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
    in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec(memory_space=pl.ANY)],
    out_specs=pl.BlockSpec(memory_space=pl.ANY),
    scratch_shapes=[pltpu.SemaphoreType.DMA((2,)), pltpu.SemaphoreType.REGULAR],
    interpret=True,
)(jnp.array([3], jnp.int32), jnp.zeros((8, 128), jnp.float32))
