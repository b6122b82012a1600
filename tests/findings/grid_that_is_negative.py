# A grid extent below zero.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.arange(128.0)
spec = pl.BlockSpec((32,), lambda i: (i,))
print(pl.pallas_call(copy, grid=(2 - 4,), out_shape=x, in_specs=[spec], out_specs=spec, interpret=True)(x))
#                               ^ PL123 error "axis 0"
