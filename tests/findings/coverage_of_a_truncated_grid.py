# `//` drops the last block.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


n, block = 100, 32
x = jnp.arange(float(n))
spec = pl.BlockSpec((block,), lambda i: (i,))
#                             ^ PL121 error "use `pl.cdiv(100, 32)`"
print(pl.pallas_call(copy, grid=(n // block,), out_shape=x, in_specs=[spec], out_specs=spec, interpret=True)(x))
