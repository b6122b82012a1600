# A kernel that its decorator makes a launch: its parameters are Refs, and not what the launch takes.
# jax: runs
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@functools.partial(pl.pallas_call, out_shape=jax.ShapeDtypeStruct((128,), jnp.int32), interpret=True)
def add(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]
