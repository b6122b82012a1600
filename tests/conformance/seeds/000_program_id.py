"""Pallas design, pallas.program_id."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def f(x_ref, o_ref):
  i = pl.program_id(axis=0)  # execution index in the first axis of the grid
  o_ref[i] = jnp.exp(x_ref[i])

x = jnp.arange(4.0)
print(pl.pallas_call(f, out_shape=jax.ShapeDtypeStruct((4,), jnp.float32), grid=(4,))(x))
