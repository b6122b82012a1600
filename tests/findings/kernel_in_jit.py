# A wrapper that is jitted, with static blocks; the launch in it is checked.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

import functools


def scale(x_ref, o_ref, *, factor):
    o_ref[...] = x_ref[...] * factor


@functools.partial(jax.jit, static_argnames=("block",))
def scaled(x, *, block=32):
    return pl.pallas_call(functools.partial(scale, factor=3.0), grid=(x.shape[0] // block,), interpret=True,
                          in_specs=[pl.BlockSpec((block,), lambda i: (i,))],
                          out_specs=pl.BlockSpec((block,), lambda i: (i,)),
#                                                          ^ PL121 error "elements 96..100 of o_ref"
                          out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


print(scaled(jnp.arange(128.0)).sum())
print(scaled(jnp.arange(100.0)))
