# A block of one dimension for an array of two.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
pl.pallas_call(copy, grid=(4,), out_shape=x, interpret=True,
               in_specs=[pl.BlockSpec((32,), lambda i: (i,))],
#                                     ^ PL104 error "1 dimension"
               out_specs=pl.BlockSpec((8, 32), lambda i: (0, i)))(x)
