# Two grid axes, one parameter.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((32, 512))
pl.pallas_call(copy, grid=(4, 4), out_shape=x, interpret=True,
               in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
#                                               ^ PL106 error "called with 2 program ids"
               out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, j)))(x)
