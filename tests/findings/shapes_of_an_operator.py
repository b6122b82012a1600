# Shapes that do not broadcast.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]
#                ^ PL303 error "shapes=[(8, 128), (8,)]"


pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
               interpret=True)(jnp.ones((8, 128)), jnp.ones((8,)))
