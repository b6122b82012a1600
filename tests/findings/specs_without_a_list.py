# One spec for the one input, and no list around it.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.arange(128.0)
spec = pl.BlockSpec((32,), lambda i: (i,))
pl.pallas_call(copy, grid=(4,), in_specs=spec, out_specs=spec, out_shape=x, interpret=True)(x)
#                                        ^ PL103 error "put it into a list: `in_specs=[...]`"
