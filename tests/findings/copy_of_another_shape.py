# A copy moves bytes: both ends have one shape.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_ref, o_ref, buffer, sem):
    copy = pltpu.make_async_copy(x_ref, buffer, sem)
    copy.start()
#   ^ PL321 error "same shape, got (64, 128) and (8, 128)"
    copy.wait()
    o_ref[...] = buffer[...]


pl.pallas_call(
    kernel,
    out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
    in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
    scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
)(jnp.zeros((64, 128), jnp.float32))
