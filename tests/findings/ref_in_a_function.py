# A Ref handed to a function of arrays.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def exponential(x_ref, o_ref):
    o_ref[...] = jnp.exp(x_ref)
#                ^ PL308 error "this is a Ref"


x = jnp.ones((8, 128))
pl.pallas_call(exponential, out_shape=x, interpret=True)(x)
