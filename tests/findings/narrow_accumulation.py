# Products that round their sums before they are added up.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.ones((64, 64), jnp.bfloat16)
y = jnp.ones((64, 64), jnp.float32)
out = jax.ShapeDtypeStruct((64, 64), jnp.float32)


def rounded(x_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += jnp.dot(x_ref[...], x_ref[...])
#                 ^ PL205 warning "this product is rounded to bfloat16 and goes on in float32"


def narrower(x_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], x_ref[...], preferred_element_type=jnp.bfloat16).astype(jnp.float32)
#                ^ PL205 warning "this product of float32 numbers is rounded to bfloat16"


def kept(x_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], x_ref[...], preferred_element_type=jnp.float32)


# What stays narrow is meant to be.
def narrow(x_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], x_ref[...])


pl.pallas_call(rounded, out_shape=out, interpret=True)(x)
pl.pallas_call(narrower, out_shape=out, interpret=True)(y)
pl.pallas_call(kept, out_shape=out, interpret=True)(x)
pl.pallas_call(narrow, out_shape=x, interpret=True)(x)
