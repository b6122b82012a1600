# An `if` on a program id.
# jax: TracerBoolConversionError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    if pl.program_id(0) == 0:
#      ^ PL306 error "Python needs a known boolean"
        o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += x_ref[...]


x = jnp.ones((8, 128))
pl.pallas_call(kernel, grid=(4,), out_shape=x, interpret=True)(x)
