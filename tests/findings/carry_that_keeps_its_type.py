# Carries of arrays, tuples, None and weak numbers.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax import lax


def kernel(x_ref, o_ref):
    def body(k, carry):
        acc, largest = carry
        return acc + x_ref[k, :], jnp.maximum(largest, jnp.max(x_ref[k, :]))

    acc, largest = lax.fori_loop(0, 8, body, (jnp.zeros((128,)), 0.0))

    def store(k, _):
        o_ref[k] = acc[0] + largest
        return _

    o_ref[...] = acc
    lax.fori_loop(0, 1, store, None)


x = jnp.ones((8, 128))
print(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((128,), jnp.float32), interpret=True)(x).shape)
