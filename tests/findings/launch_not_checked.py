# How many elements there are is known when the program runs.
# jax: runs
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def double(x):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)
#          ^ PL010 info "something that it needs is not known before the program runs"


numbers = jax.random.normal(jax.random.key(0), (64,))
positive = numbers[numbers > 0]
print(double(positive).shape)

rows = 8 * (1 + int(time.time()) % 2)
doubled = pl.pallas_call(
#         ^ PL010 info "something that it needs is not known before the program runs"
    kernel, grid=(rows // 8,), in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((rows, 128), jnp.float32), interpret=True)(jnp.ones((rows, 128)))
