# Index maps are given the prefetched scalars behind the program ids.
# jax: TypeError
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(n_ref, x_ref, o_ref):
    o_ref[...] = x_ref[...] * n_ref[0]


x = jnp.ones((8, 128))
grid_spec = pltpu.PrefetchScalarGridSpec(
    num_scalar_prefetch=1,
    grid=(1,),
    in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
#                                    ^ PL106 error "1 program id, one per grid axis, and 1 prefetched scalar"
    out_specs=pl.BlockSpec((8, 128), lambda i, n_ref: (i, 0)),
)
pl.pallas_call(kernel, grid_spec=grid_spec, out_shape=x, interpret=True)(jnp.array([2]), x)
