# One semaphore of an array counts a copy.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_ref, o_ref, sems):
    pltpu.make_async_copy(x_ref, o_ref, sems).start()
#   ^ PL320 error "Cannot signal on a non-()-shaped semaphore: (2,)"


pl.pallas_call(
    kernel,
    out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
    in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
    out_specs=pl.BlockSpec(memory_space=pl.ANY),
    scratch_shapes=[pltpu.SemaphoreType.DMA((2,))],
)(jnp.zeros((8, 128), jnp.float32))
