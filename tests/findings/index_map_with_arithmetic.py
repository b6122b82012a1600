# Floor division, remainder, minimum and where give integers.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((32, 128))
for index_map in (
    lambda i: (i // 2, 0),
    lambda i: (i % 2, 0),
    lambda i: (jnp.minimum(i, 1), 0),
    lambda i: (jnp.where(i > 2, i - 2, 0), 0),
    lambda i: (jax.lax.rem(i, 3), 0),
    lambda i: (3 - i, 0),
):
    print(pl.pallas_call(copy, grid=(4,), out_shape=x, interpret=True,
                         in_specs=[pl.BlockSpec((8, 128), index_map)],
                         out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)))(x).sum())
