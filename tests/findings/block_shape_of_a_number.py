# Parentheses make no tuple.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones(512)
block = 256
spec = pl.BlockSpec((block), lambda i: (i,))
#                    ^ PL104 error "this block shape is the number 256, not a tuple"
pl.pallas_call(copy, grid=(2,), in_specs=[spec], out_specs=spec, out_shape=x, interpret=True)(x)
