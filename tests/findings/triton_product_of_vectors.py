# Triton multiplies matrices; interpret mode multiplies vectors and stacks of matrices, too.
# jax: not run
# target: triton
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def vectors(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...])
#                ^ PL504 error "Triton multiplies matrices of two dimensions only"


def sums(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.sum(x_ref[...] * y_ref[...])


def matrices(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] @ y_ref[...]


x = jnp.ones((64,), jnp.float32)
number = jax.ShapeDtypeStruct((), jnp.float32)
pl.pallas_call(vectors, out_shape=number)(x, x)
pl.pallas_call(sums, out_shape=number)(x, x)
y = jnp.ones((16, 16), jnp.float32)
pl.pallas_call(matrices, out_shape=y)(y, y)
