# A Python loop as long as data says.
# jax: TracerIntegerConversionError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(n_ref, o_ref):
    for k in range(n_ref[0]):
#            ^ PL307 error "fori_loop"
        o_ref[0] = k


pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((1,), jnp.int32), interpret=True)(jnp.array([3]))
