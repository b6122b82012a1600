# The store binds a local name.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def double(x_ref, o_ref):
#                 ^ PL122 error "never writes its output o_ref"
    o_ref = x_ref[...] * 2.0


x = jnp.ones((8, 128))
print(pl.pallas_call(double, out_shape=x, interpret=True)(x))
