# The ways in which `pl.when` is given a function, and another `when`.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


class Calendar:
    def when(self, day):
        return day > 3


def accumulate(x_ref, o_ref):
    first = pl.when(pl.program_id(0) == 0)

    @first
    def _():
        o_ref[...] = x_ref[...]

    def last():
        o_ref[...] = x_ref[...] * 2.0

    pl.when(pl.program_id(0) == 1)(last)
    if Calendar().when(5):
        pl.when(pl.program_id(0) > 1)(lambda: o_ref.__setitem__(..., x_ref[...]))


x = jnp.ones((8, 128), jnp.float32)
block = pl.BlockSpec((8, 128), lambda i: (0, 0))
out = pl.BlockSpec((8, 128), lambda i: (i, 0))
shape = jax.ShapeDtypeStruct((16, 128), jnp.float32)
print(pl.pallas_call(accumulate, grid=(2,), in_specs=[block], out_specs=out, out_shape=shape, interpret=True)(x).sum())
