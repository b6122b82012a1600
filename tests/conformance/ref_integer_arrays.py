"""A Ref indexed with arrays of integers: gathers and scatters."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def outer(x_ref, o_ref):
  o_ref[...] = x_ref[jnp.arange(2)[..., None], jnp.arange(3)[None, ...]]


def rows(x_ref, o_ref):
  o_ref[...] = x_ref[3 - 3 * (jnp.arange(3) % 2), :]


def columns(x_ref, o_ref):
  o_ref[...] = x_ref[:, jnp.ones(2, jnp.int32)]


def diagonal(x_ref, o_ref):
  i = jnp.arange(4)
  o_ref[...] = x_ref[i, i]


def array_and_integer(x_ref, o_ref):
  o_ref[...] = x_ref[jnp.arange(3), 2]


def scatter(x_ref, o_ref):
  o_ref[...] = jnp.zeros_like(o_ref)
  i = jnp.arange(3)
  o_ref[i + 1, i] = x_ref[0, i] + 50


def scatter_rows(x_ref, o_ref):
  o_ref[...] = x_ref[...]
  swapped = 2 * jnp.arange(2)
  o_ref[2 - swapped, :] = x_ref[swapped, :]


x = jnp.arange(16).reshape(4, 4)
for kernel, shape in ((outer, (2, 3)), (rows, (3, 4)), (columns, (4, 2)), (diagonal, (4,)),
                      (array_and_integer, (3,)), (scatter, (4, 4)), (scatter_rows, (4, 4))):
  out = jax.ShapeDtypeStruct(shape, x.dtype)
  print(kernel.__name__)
  print(pl.pallas_call(kernel, out_shape=out, interpret=True)(x))
