# Findings that a comment keeps back, and comments that keep nothing back.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def accumulate(x_ref, o_ref):
    o_ref[...] += x_ref[...]  # pallas: ignore[PL203]


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]  # pallas: ignore[PL203]
#                            ^ PL006 warning "PL203 is not found on this line"


x = jnp.ones((8, 128))
pl.pallas_call(accumulate, out_shape=x, interpret=True)(x)
pl.pallas_call(copy, out_shape=x, interpret=True)(x)
print("a text: # pallas: ignored")
