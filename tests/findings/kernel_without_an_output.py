# The output Ref is missing.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add(x_ref, y_ref):
#   ^ PL109 error "called with 3 Refs"
    return x_ref[...] + y_ref[...]


x = jnp.ones((8, 128))
pl.pallas_call(add, out_shape=x, interpret=True)(x, x)
