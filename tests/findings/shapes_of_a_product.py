# Inner dimensions differ.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def matmul(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...])
#                ^ PL303 error "32"


x = jnp.ones((64, 32))
pl.pallas_call(matmul, out_shape=jax.ShapeDtypeStruct((64, 64), jnp.float32), interpret=True)(x, x)
