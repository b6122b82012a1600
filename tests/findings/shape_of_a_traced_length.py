# An array whose length a kernel reads from a Ref.
# jax: TypeError
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(n_ref, x_ref, o_ref):
    rest = jnp.zeros((n_ref[0], 128))
#          ^ PL307 error "the shape of an array must be known"
    o_ref[...] = x_ref[...] + rest


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=x, interpret=True)(jnp.array([8]), x)
