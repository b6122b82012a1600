"""pl.num_programs in an index map: the extent of the grid, a Python int."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def last_first(i):
    extent = pl.num_programs(0)
    print(type(extent), extent)
    return extent - 1 - i, 0


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.arange(24).reshape(6, 4)
print(
    pl.pallas_call(
        kernel,
        out_shape=x,
        grid=(3,),
        in_specs=[pl.BlockSpec((2, 4), last_first)],
        out_specs=pl.BlockSpec((2, 4), lambda i: (i, 0)),
        interpret=True,
    )(x)
)
