# A loop that runs one block too far.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jax import lax


def total(x_ref, o_ref):
    def body(k, acc):
        return acc + jnp.sum(x_ref[pl.ds(k * 8, 8)])
#                            ^ PL202 error "loop counter 4: elements 32..40 of x_ref, which has 32"

    o_ref[0] = lax.fori_loop(0, 5, body, 0.0)


x = jnp.arange(32.0)
print(pl.pallas_call(total, out_shape=jax.ShapeDtypeStruct((1,), jnp.float32), interpret=True)(x))
