# Negative positions and long slices follow Python.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[0] = x_ref[-1]
    o_ref[1] = x_ref[-128]
    o_ref[2:4] = x_ref[126:5000]


x = jnp.arange(128.0)
print(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((4,), jnp.float32), interpret=True)(x))
