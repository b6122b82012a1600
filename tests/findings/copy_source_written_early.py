# A buffer of a TPU that is written while a copy reads it, and one that is waited for.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ROWS = 16


def scaled(x, is_late):
    def kernel(x_hbm, o_hbm, buffers, sems):
        def save(step):
            return pltpu.make_async_copy(buffers.at[step % 2], o_hbm.at[pl.ds(step * ROWS, ROWS)], sems.at[step % 2])

        @pl.loop(0, 4)
        def _(step):
            slot = step % 2
            pltpu.sync_copy(x_hbm.at[pl.ds(step * ROWS, ROWS)], buffers.at[slot])
            if is_late:
                save(step).start()
                buffers[slot] = buffers[slot] * 2.0
#               ^ PL410 error "this write to buffers races with a copy that reads it"
            else:
                buffers[slot] = buffers[slot] * 2.0
                save(step).start()
            save(step).wait()

    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        scratch_shapes=[pltpu.VMEM((2, ROWS, 128), x.dtype), pltpu.SemaphoreType.DMA((2,))],
        interpret=True,
    )(x)


x = jnp.ones((4 * ROWS, 128))
scaled(x, True)
scaled(x, False)
