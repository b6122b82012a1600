# The block before this one, or the first.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def difference(x_ref, before_ref, o_ref):
    o_ref[...] = x_ref[...] - before_ref[...]


x = jnp.arange(128.0)
this = pl.BlockSpec((32,), lambda i: (i,))
before = pl.BlockSpec((32,), lambda i: (jnp.maximum(i - 1, 0),))
print(pl.pallas_call(difference, grid=(4,), out_shape=x, in_specs=[this, before], out_specs=this, interpret=True)(x, x))
