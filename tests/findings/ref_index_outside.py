# A position past the end, which interpret mode moves to the last element.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[0] = x_ref[200]
#              ^ PL201 error "element 200 of x_ref, which has 128"


x = jnp.arange(128.0)
print(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((1,), jnp.float32), interpret=True)(x))
