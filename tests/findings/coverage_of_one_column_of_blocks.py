# The output moves along one axis only.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((32, 256))
spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
print(pl.pallas_call(copy, grid=(4, 2), out_shape=x, in_specs=[spec], interpret=True,
                     out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, 0)))(x))
#                                                     ^ PL121 error "columns 128..256 of o_ref"
