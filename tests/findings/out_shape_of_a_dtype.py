# A dtype without a shape.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
pl.pallas_call(copy, out_shape="float32", interpret=True)(x)
#                              ^ PL102 error "use `jax.ShapeDtypeStruct(shape, dtype)`"
