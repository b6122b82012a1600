# Products of 8-bit integers whose sums wrap around, and one that is summed in 32 bits.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.full((32, 128), 7, jnp.int8)
y = jnp.full((128, 32), 5, jnp.int8)
out = jax.ShapeDtypeStruct((32, 32), jnp.int32)


def wraps(x_ref, y_ref, o_ref):
    o_ref[...] = jax.lax.dot_general(x_ref[...], y_ref[...], (((1,), (0,)), ((), ()))).astype(jnp.int32)
#                ^ PL205 warning "this product of int8 numbers is summed up in int8"


def kept(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.int32)


def converted(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...].astype(jnp.int32), y_ref[...].astype(jnp.int32))


for kernel in (wraps, kept, converted):
    pl.pallas_call(kernel, out_shape=out, interpret=True)(x, y)
