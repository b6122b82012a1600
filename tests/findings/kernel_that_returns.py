# A kernel that returns its result.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def double(x_ref, o_ref):
#   ^ PL110 error "kernels write their results to output Refs"
    return x_ref[...] * 2.0


x = jnp.ones((8, 128))
pl.pallas_call(double, out_shape=x, interpret=True)(x)
