# More parts than elements.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


n, parts = 4, 8
x = jnp.arange(float(n))
pl.pallas_call(copy, grid=(parts,), out_shape=x, interpret=True,
               in_specs=[pl.BlockSpec((n // parts,), lambda i: (i,))],
#                                     ^ PL105 error "must be positive"
               out_specs=pl.BlockSpec((1,), lambda i: (i,)))(x)
