# An index map that is constant 1 for an array of one block (jax issue 23181).
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_row(x_ref, bias_ref, o_ref):
    o_ref[...] = x_ref[...] + bias_ref[...]


x = jnp.ones((32, 128))
bias = jnp.ones((1, 128))
rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
print(pl.pallas_call(add_row, grid=(4,), out_shape=x, out_specs=rows, interpret=True,
                     in_specs=[rows, pl.BlockSpec((1, 128), lambda i: (1, 0))])(x, bias))
#                                                           ^ PL120 error "program (0,): row 1 of bias_ref, which has 1"
