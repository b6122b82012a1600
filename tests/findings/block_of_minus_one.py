# A -1 does not mean the rest.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
pl.pallas_call(copy, grid=(4,), out_shape=x, interpret=True,
               in_specs=[pl.BlockSpec((-1, 32), lambda i: (0, i))],
#                                     ^ PL105 error "must be positive"
               out_specs=pl.BlockSpec((8, 32), lambda i: (0, i)))(x)
