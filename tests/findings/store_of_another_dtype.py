# A float32 accumulator into a bfloat16 output.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def matmul(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
#   ^ PL302 error "stores float32 into a Ref of bfloat16"


x = jnp.ones((64, 64), jnp.bfloat16)
pl.pallas_call(matmul, out_shape=x, interpret=True)(x, x)
