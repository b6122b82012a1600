# Two copies are started, one is waited for.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_hbm, o_hbm, sems):
    copies = [pltpu.make_async_copy(x_hbm.at[i], o_hbm.at[i], sems.at[i]) for i in range(2)]
    for copy in copies:
        copy.start()
#       ^ PL402 error "a semaphore of sems still counts 4096 bytes"
    copies[0].wait()


pl.pallas_call(
    kernel,
    out_shape=jax.ShapeDtypeStruct((2, 8, 128), jnp.float32),
    in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
    out_specs=pl.BlockSpec(memory_space=pl.ANY),
    scratch_shapes=[pltpu.SemaphoreType.DMA((2,))],
    interpret=True,
)(jnp.zeros((2, 8, 128), jnp.float32))
