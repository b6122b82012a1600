# True division gives a float.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((32, 128))
pl.pallas_call(copy, grid=(4,), out_shape=x, interpret=True,
               in_specs=[pl.BlockSpec((8, 128), lambda i: (i / 2, 0))],
#                                               ^ PL108 error "must return integer scalars"
               out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)))(x)
