# Shapes that do broadcast.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...][:, None] * jnp.dot(x_ref[...], x_ref[...].T)[:, :1]


x = jnp.ones((8, 128))
print(pl.pallas_call(kernel, out_shape=x, interpret=True)(x, jnp.ones((8,))).sum())
