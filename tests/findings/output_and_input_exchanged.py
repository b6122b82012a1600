# Inputs come before outputs.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def double(o_ref, x_ref):
#                 ^ PL122 error "inputs, then outputs"
    o_ref[...] = x_ref[...] * 2.0


x = jnp.ones((8, 128))
print(pl.pallas_call(double, out_shape=x, interpret=True)(x))
