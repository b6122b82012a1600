# Stores of values, of part of a Ref, and of Python scalars.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = jnp.broadcast_to(jnp.sum(x_ref[...], axis=1, keepdims=True), o_ref.shape)
    o_ref[:, 0] = jnp.sum(x_ref[...], axis=1)
    o_ref[0, 0] = 1.0


x = jnp.ones((8, 128))
print(pl.pallas_call(kernel, out_shape=x, interpret=True)(x).sum())
