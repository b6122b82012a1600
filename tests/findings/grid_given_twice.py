# A grid beside a grid spec.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.arange(128.0)
spec = pl.BlockSpec((32,), lambda i: (i,))
pl.pallas_call(copy, grid_spec=pl.GridSpec(grid=(4,), in_specs=[spec], out_specs=spec),
               grid=(4,), out_shape=x, interpret=True)(x)
#                   ^ PL112 error "beside its `grid_spec`"
