"""Adds two vectors: the smallest Pallas kernel.

A kernel is a Python function of Refs. Reading a Ref (`x_ref[...]`) loads an
array; assigning to one (`o_ref[...] = `) stores it. `pl.pallas_call` turns the
kernel into a function of arrays. `interpret=True` runs it on the CPU.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def add_kernel(x_ref, y_ref, o_ref):
  # x_ref, y_ref and o_ref are Refs of shape (8,).
  x = x_ref[...]
  y = y_ref[...]
  o_ref[...] = x + y


@jax.jit
def add(x: jax.Array, y: jax.Array) -> jax.Array:
  return pl.pallas_call(
      add_kernel,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      interpret=True,
  )(x, y)


x, y = jnp.arange(8), jnp.arange(8, 16)
z = add(x, y)
print("x     =", x)
print("y     =", y)
print("x + y =", z)

np.testing.assert_array_equal(z, x + y)
print("equal to jnp:", bool((z == x + y).all()), "| shape", z.shape, "| dtype", z.dtype)
