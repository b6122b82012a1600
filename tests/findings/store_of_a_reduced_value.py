# A row sum into a whole block.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = jnp.sum(x_ref[...], axis=1)
#   ^ PL301 error "shape (8,) where the Ref has (8, 128)"


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=x, interpret=True)(x)
