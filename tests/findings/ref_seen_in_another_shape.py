# Refs can be seen in another shape or dtype in JAX; what the workbench does not have of it is no mistake of the program.
# jax: runs
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref.reshape(4, 256)[...].reshape(8, 128)
#                ^ PL005 warning "`reshape` of a Ref is not provided"


pl.pallas_call(kernel, out_shape=jnp.ones((8, 128)), interpret=True)(jnp.ones((8, 128)))
