# A loop over a Ref whose body returns nothing, though the loop has a carry.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)

    def body(i, _):
        o_ref[...] += x_ref[i]

    jax.lax.fori_loop(0, 8, body, 0)
#   ^ PL310 error "the loop's carry begins as one value, and its body returns `None`"


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((128,), jnp.float32), interpret=True)(x)
