# Refs are not values.
# jax: AttributeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref + y_ref
#                ^ PL308 error "ref[...]"


x = jnp.ones((8, 128))
pl.pallas_call(add, out_shape=x, interpret=True)(x, x)
