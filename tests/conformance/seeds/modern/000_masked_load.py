"""Pallas design, a masked load. In today's spelling."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

def f(x_ref, o_ref):
  # Reading from memory via pallas.load
  idx = jnp.arange(8)
  mask = idx < 5
  x = plgpu.load(x_ref.at[idx], mask=mask, other=float('-inf'))
  o_ref[...] = x

x = jnp.arange(8.0)
print(pl.pallas_call(f, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), interpret=True)(x))
