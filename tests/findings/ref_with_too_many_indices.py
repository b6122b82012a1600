# Three indices for two dimensions.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[0, 0, :]
#                ^ PL309 error "this Ref has 2 dimensions"


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((128,), jnp.float32), interpret=True)(x)
