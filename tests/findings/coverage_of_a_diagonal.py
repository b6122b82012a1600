# One grid axis along the diagonal only.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((32, 512))
spec = pl.BlockSpec((8, 128), lambda i: (i, i))
#                             ^ PL121 error "rows 0..8, columns 128..256 of o_ref"
print(pl.pallas_call(copy, grid=(4,), out_shape=x, in_specs=[spec], out_specs=spec, interpret=True)(x))
