# Too far from the end.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[0] = x_ref[-200]
#              ^ PL201 error "element -72 of x_ref"


x = jnp.arange(128.0)
print(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((1,), jnp.float32), interpret=True)(x))
