# A tile has as many rows as are known when the kernel is traced.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(lengths, x_hbm, o_hbm, buffer, sem):
    buffer[pl.ds(0, lengths[0])] = jnp.zeros((8, 128))
#   ^ PL307 error "the shape of a tile has to be known"


pl.pallas_call(
    kernel,
    out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32),
    grid_spec=pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(1,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
    ),
)(jnp.array([3, 9], jnp.int32), jnp.zeros((16, 128), jnp.float32))
