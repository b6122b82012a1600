# `return` without a value is no result.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref, *, double):
    o_ref[...] = x_ref[...]
    if not double:
        return
    o_ref[...] += x_ref[...]


x = jnp.ones((8, 128))
for double in (False, True):
    print(pl.pallas_call(lambda x_ref, o_ref: kernel(x_ref, o_ref, double=double), out_shape=x, interpret=True)(x).sum())
