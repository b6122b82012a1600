# Operands without a BlockSpec come whole, which shows where they meet blocks.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.ones(512)
spec = pl.BlockSpec((128,), lambda i: (i,))


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]
#   ^ PL301 error "without a BlockSpec each program gets all of `x_ref`: give `in_specs`"


pl.pallas_call(copy, grid=(4,), out_specs=spec, out_shape=x, interpret=True)(x)


def back(x_ref, y_ref):
    y_ref[...] = x_ref[...]
#   ^ PL301 error "each program gets all of `y_ref`: give `out_specs`"


pl.pallas_call(back, grid=(4,), in_specs=[spec], out_shape=x, interpret=True)(x)
