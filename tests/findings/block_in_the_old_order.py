# Before 0.4.31 the index map came first.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.arange(128.0)
print(pl.pallas_call(copy, grid=(4,), out_shape=x, interpret=True,
                     in_specs=[pl.BlockSpec(lambda i: (i,), (32,))],
                     out_specs=pl.BlockSpec(lambda i: (i,), (32,)))(x).sum())
