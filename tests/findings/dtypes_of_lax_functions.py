# `lax` functions do not promote.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax import lax


def kernel(x_ref, n_ref, o_ref):
    o_ref[...] = lax.add(x_ref[...], n_ref[...])
#                ^ PL304 error "dtype"


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=x, interpret=True)(x, x.astype(jnp.int32))
