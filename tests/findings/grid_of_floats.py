# True division gives a float.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


n = 128
x = jnp.arange(float(n))
pl.pallas_call(copy, grid=(n / 32,), out_shape=x, interpret=True,
#                         ^ PL101 error "Grid must be a tuple of integers"
               in_specs=[pl.BlockSpec((32,), lambda i: (i,))],
               out_specs=pl.BlockSpec((32,), lambda i: (i,)))(x)
