# `and` between traced conditions.
# jax: TracerBoolConversionError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    i = pl.program_id(0)

    @pl.when(i > 0 and i < 3)
#            ^ PL306 error "pl.when"
    def _():
        o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
pl.pallas_call(kernel, grid=(4,), out_shape=x, interpret=True)(x)
