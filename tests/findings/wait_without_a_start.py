# The first program waits for a copy that nobody has started.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_hbm, o_ref, buffers, sems):
    i = pl.program_id(0)

    def fetch(block, slot):
        return pltpu.make_async_copy(x_hbm.at[pl.ds(block * 8, 8)], buffers.at[slot], sems.at[slot])

    # The first block is never fetched.
    @pl.when(i + 1 < pl.num_programs(0))
    def _():
        fetch(i + 1, (i + 1) % 2).start()

    fetch(i, i % 2).wait()
#   ^ PL401 error "program (0,)"
    o_ref[...] = buffers[i % 2]


pl.pallas_call(
    kernel,
    grid=(4,),
    out_shape=jax.ShapeDtypeStruct((32, 128), jnp.float32),
    in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
    out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
    scratch_shapes=[pltpu.VMEM((2, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA((2,))],
    interpret=True,
)(jnp.zeros((32, 128), jnp.float32))
