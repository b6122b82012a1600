# One wrong index map for two operands is one mistake.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


x = jnp.arange(128.0)
wrong = pl.BlockSpec((32,), lambda i: (i * 32,))
#                           ^ PL120 error "outside x_ref"
print(pl.pallas_call(add, grid=(4,), in_specs=[wrong, wrong], out_specs=pl.BlockSpec((32,), lambda i: (i,)),
                     out_shape=x, interpret=True)(x, x))
