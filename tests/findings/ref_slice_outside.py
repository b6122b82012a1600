# A slice of which all is known, and that ends behind its Ref: JAX refuses it, unless it begins at 0.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def taps(x_ref, o_ref):
    total = jnp.zeros(64)
    for tap in range(3):
        total += x_ref[pl.ds(tap, 64)]
#                ^ PL201 error "this slice takes elements 1 to 64 of a dimension of 64"
    o_ref[...] = total


pl.pallas_call(taps, out_shape=jax.ShapeDtypeStruct((64,), jnp.float32), interpret=True)(jnp.zeros(64))


def shifted(x_ref, o_ref):
    o_ref[pl.ds(8, 64)] = x_ref[...]
#   ^ PL201 error "a slice of this size starts at 0 at the latest"


pl.pallas_call(shifted, out_shape=jax.ShapeDtypeStruct((64,), jnp.float32), interpret=True)(jnp.zeros(64))
