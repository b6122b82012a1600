# An output of 64 bits, where JAX has values of 32 bits only: nothing can be stored to it.
# jax: ValueError
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def double(x_ref, o_ref):
    o_ref[...] = (x_ref[...] * 2).astype(o_ref.dtype)
#   ^ PL302 error "there with `jax_enable_x64` only"


x = jnp.ones((8, 128))
pl.pallas_call(double, out_shape=jax.ShapeDtypeStruct((8, 128), np.float64), interpret=True)(x)
