"""Pallas design, a masked load."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def f(x_ref, o_ref):
  # Reading from memory via pallas.load
  idx = jnp.arange(8)
  mask = idx < 5
  x = pl.load(x_ref, (idx,), mask=mask, other=float('-inf'))
  o_ref[...] = x

x = jnp.arange(8.0)
print(pl.pallas_call(f, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32))(x))
