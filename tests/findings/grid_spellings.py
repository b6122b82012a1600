# An integer, a list, and named axes are grids too.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.arange(128.0)
for grid in (4, (4,), [4], (("i", 4),)):
    print(pl.pallas_call(copy, grid=grid if not isinstance(grid, list) else tuple(grid), out_shape=x, interpret=True,
                         in_specs=[pl.BlockSpec((32,), lambda i: (i,))],
                         out_specs=pl.BlockSpec((32,), lambda i: (i,)))(x).sum())
