# A shape that is made up as an array: the message shows all its elements, and nothing is learnt from the length of it.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def launch(kernel, x, out):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(out, jnp.float32))(x)
