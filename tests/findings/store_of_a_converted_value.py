# The accumulator is converted first.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def matmul(x_ref, y_ref, o_ref):
    acc = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
    o_ref[...] = acc.astype(o_ref.dtype)


x = jnp.ones((64, 64), jnp.bfloat16)
print(pl.pallas_call(matmul, out_shape=x, interpret=True)(x, x).dtype)
