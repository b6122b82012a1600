# The neighbour is read under `pl.when`.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def difference(x_ref, o_ref):
    i = pl.program_id(0)
    o_ref[0] = x_ref[i]

    @pl.when(i > 0)
    def _():
        o_ref[0] -= x_ref[i - 1]

    @pl.when((i >= 1) & (i < pl.num_programs(0) - 1))
    def _():
        o_ref[0] += x_ref[i + 1] * x_ref[i - 1]


x = jnp.arange(64.0)
print(pl.pallas_call(difference, grid=(64,), out_shape=x, in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
                     out_specs=pl.BlockSpec((1,), lambda i: (i,)), interpret=True)(x))
