# Names that are looked for in the wrong module, and an argument that is almost a parameter.
# jax: AttributeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = jnp.softmax(x_ref[...])
#                ^ PL312 error "module 'jax.numpy' has no attribute 'softmax'"


def misspelt(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=x, interpret=True)(x)
out = pl.pallas_call(misspelt, out_shapes=x, interpret=True)(x)
#     ^ PL001 error "unexpected keyword argument 'out_shapes'"
