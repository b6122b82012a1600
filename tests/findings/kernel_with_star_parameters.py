# Kernels may take their Refs as they like.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

import functools


def total(*refs, scale):
    *inputs, o_ref = refs
    o_ref[...] = scale * sum(ref[...] for ref in inputs)


x = jnp.ones((8, 128))
print(pl.pallas_call(functools.partial(total, scale=2.0), out_shape=x, interpret=True)(x, x, x).sum())
