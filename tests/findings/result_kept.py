# What is made is kept, or read where it is made.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


class Box:
    def __init__(self):
        self.at = {0: set()}


def kernel(x_ref, o_ref, ):
    total = jnp.zeros((8, 128))
    first = pl.program_id(0) == 0

    @pl.when(first)
    def _():
        block = x_ref[...]
        o_ref[...] = block

    block = total.at[0].set(x_ref[0])
    unused = 1.0

    @pl.when(~first)
    def _():
        unused = 2.0

    def helper():
        total = x_ref[...] * 2
        return total

    o_ref.at[0].set(x_ref[0])
    o_ref[...] += block + total + helper()


x = jnp.ones((8, 128))
pl.pallas_call(kernel, grid=(1,), out_shape=x, interpret=True)(x)
x = x.at[0, 0].add(1.0)
print(x.at[0, 0].add(1.0))
Box().at[0].add(3)
