# Bit operations take integers.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] & 1
#                ^ PL304 error "float32"


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=x, interpret=True)(x)
