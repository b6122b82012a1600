# What a launch needs is not there for a mistake that is reported: that it is not checked goes without saying.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def double(x):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


x = jnp.ones((8, 128)) + jnp.ones((8, 100))
#   ^ PL303 error "add got incompatible shapes"
y = x * 2
print(double(y))
