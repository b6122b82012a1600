# Refs can be seen in another shape.
# jax: runs
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref.reshape(4, 256)[...].reshape(8, 128)


pl.pallas_call(kernel, out_shape=jnp.ones((8, 128)), interpret=True)(jnp.ones((8, 128)))
