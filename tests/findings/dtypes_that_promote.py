# Operators promote.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax import lax


def kernel(x_ref, n_ref, o_ref):
    o_ref[...] = x_ref[...] + n_ref[...] + (n_ref[...] & 1) * 0.5 + lax.convert_element_type(n_ref[...], jnp.float32)


x = jnp.ones((8, 128))
print(pl.pallas_call(kernel, out_shape=x, interpret=True)(x, x.astype(jnp.int32)).sum())
