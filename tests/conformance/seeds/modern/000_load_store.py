"""Pallas design, pallas.load and pallas.store. In today's spelling."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def f(x_ref, o_ref):
  # Reading from memory via pallas.load
  x = x_ref[0, 2:5, :]
  # Using integer indexing automatically broadcasts
  x = x_ref[0, 2 + jnp.arange(3), :]
  # You can also use `pl.dynamic_slice` (`pl.ds` for short) objects as well
  o_ref[0, pl.ds(start=2, size=3), :] = x

x = jnp.arange(2 * 6 * 4).reshape(2, 6, 4)
print(pl.pallas_call(f, out_shape=jax.ShapeDtypeStruct((1, 6, 4), jnp.int32), interpret=True)(x))
