# A body that returns nothing.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax import lax


def kernel(x_ref, o_ref):
    def body(k, acc):
        acc + x_ref[k, :]

    o_ref[...] = lax.fori_loop(0, 8, body, jnp.zeros((128,)))
#                ^ PL310 error "its body returns"


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((128,), jnp.float32), interpret=True)(x)
