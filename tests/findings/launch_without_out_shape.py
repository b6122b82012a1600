# Nobody says what the outputs are.
# jax: TypeError
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


out = pl.pallas_call(kernel, interpret=True)(jnp.ones((8, 128)))
#     ^ PL102 error "does not say what its outputs are"
