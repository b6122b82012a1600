# Squeezed dimensions count.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
row = pl.BlockSpec((None, 128), lambda i: (i, 0))
named = pl.BlockSpec((pl.Squeezed(), 128), lambda i: (i, 0))
print(pl.pallas_call(copy, grid=(8,), out_shape=x, in_specs=[row], out_specs=named, interpret=True)(x).sum())
