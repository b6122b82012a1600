# One spec for two inputs.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


x = jnp.arange(128.0)
spec = pl.BlockSpec((32,), lambda i: (i,))
pl.pallas_call(add, grid=(4,), in_specs=[spec], out_specs=spec, out_shape=x, interpret=True)(x, x)
#                                       ^ PL103 error "1 spec for 2 operands"
