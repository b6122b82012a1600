# A keyword that no parameter has is meant for one that has no value yet.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def scaled(x_tile, o_tile, out_tile):
    out_tile[...] = x_tile[...] + o_tile[...]


x = jnp.ones((8, 128))
pl.pallas_call(
    lambda x_ref, o_ref: scaled(x_ref, x_ref, ou_tile=o_ref),
#                        ^ PL001 error "did you mean `out_tile`?"
    out_shape=x,
    interpret=True,
)(x)
