"""Dot, transposes, broadcasts and reshapes inside a kernel."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def kernel(a_ref, b_ref, c_ref, d_ref, e_ref):
  a, b = a_ref[...], b_ref[...]
  c_ref[...] = a @ b
  d_ref[...] = jnp.dot(a.T, b.T, preferred_element_type=jnp.float32)
  e_ref[...] = lax.dot_general(a, b, (((1,), (0,)), ((), ()))) + jnp.broadcast_to(a[:, :1], (2, 2)) - b.sum(axis=0)[None, :]


a = jnp.arange(6.0).reshape(2, 3)
b = jnp.arange(6.0).reshape(3, 2) - 2
out = [jax.ShapeDtypeStruct((2, 2), jnp.float32), jax.ShapeDtypeStruct((3, 3), jnp.float32),
       jax.ShapeDtypeStruct((2, 2), jnp.float32)]
for value in pl.pallas_call(kernel, out_shape=out, interpret=True)(a, b):
  print(value)
