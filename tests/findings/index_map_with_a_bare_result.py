# For one dimension, a bare index will do.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.arange(128.0)
print(pl.pallas_call(copy, grid=(4,), out_shape=x, interpret=True,
                     in_specs=[pl.BlockSpec((32,), lambda i: i)],
                     out_specs=pl.BlockSpec((32,), lambda i: [i]))(x).sum())
