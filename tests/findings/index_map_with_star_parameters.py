# Index maps with any number of parameters, and defaults.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((32, 512))


def swap(j, i, *, scale=1):
    return i * scale, j


print(pl.pallas_call(copy, grid=(4, 4), out_shape=x, interpret=True,
                     in_specs=[pl.BlockSpec((8, 128), lambda *ids: ids[::-1])],
                     out_specs=pl.BlockSpec((8, 128), swap))(x).sum())
