# Blocks chosen by prefetched scalars.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jax.experimental.pallas import tpu as pltpu


def gather(index_ref, x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.arange(64.0).reshape(8, 8)
index = jnp.array([3, 0, 7, 1])
print(pl.pallas_call(gather, interpret=True, out_shape=jax.ShapeDtypeStruct((4, 8), jnp.float32),
                     grid_spec=pltpu.PrefetchScalarGridSpec(
                         num_scalar_prefetch=1, grid=(4,),
                         in_specs=[pl.BlockSpec((1, 8), lambda i, index_ref: (index_ref[i], 0))],
                         out_specs=pl.BlockSpec((1, 8), lambda i, index_ref: (i, 0))))(index, x))
