# A block that is larger than its array.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.arange(100.0)
spec = pl.BlockSpec((128,), lambda i: (i,))
print(pl.pallas_call(copy, grid=(1,), out_shape=x, in_specs=[spec], out_specs=spec, interpret=True)(x).sum())
