# A bare tuple is two outputs, not a shape.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
pl.pallas_call(copy, out_shape=(8, 128), interpret=True)(x)
#                              ^ PL102 error "Invalid out_shape type"
