# An array from outside.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

scale = jnp.arange(128.0)


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * scale
#                ^ PL305 error "captures an array from outside"


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=x, interpret=True)(x)
