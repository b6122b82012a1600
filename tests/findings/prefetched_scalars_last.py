# Prefetched scalars stand before the inputs, also in the call.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def copy(order_ref, x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((32, 128))
order = jnp.array([3, 1, 0, 2])
spec = pltpu.PrefetchScalarGridSpec(
    num_scalar_prefetch=1,
    grid=(4,),
    in_specs=[pl.BlockSpec((8, 128), lambda i, order: (order[i], 0))],
#                          ^ PL104 error "args[0] is prefetched (`num_scalar_prefetch=1`)"
    out_specs=pl.BlockSpec((8, 128), lambda i, order: (i, 0)),
)
pl.pallas_call(copy, grid_spec=spec, out_shape=x, interpret=True)(x, order)
