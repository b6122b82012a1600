"""Pallas design, reading from and writing into Refs. In today's spelling."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def f(x_ref, o_ref):
  # Using vanilla Python indexing
  x = x_ref[0, 2:5, :]
  # Or via Numpy advanced int indexing
  o_ref[jnp.arange(3), :] = x

x = jnp.arange(2 * 6 * 4).reshape(2, 6, 4)
print(pl.pallas_call(f, out_shape=jax.ShapeDtypeStruct((3, 4), jnp.int32), interpret=True)(x))

# Note that in order to use NumPy advanced int indexing, you need to broadcast the indices against each other into the desired multidimensional shape:
def f(x_ref, o_ref):
  # Assume x_ref is (8, 4) and we want to read out a (2, 3) slice
  x = x_ref[jnp.arange(2)[..., None], jnp.arange(3)[None, ...]]
  o_ref[...] = x

print(pl.pallas_call(f, out_shape=jax.ShapeDtypeStruct((2, 3), jnp.int32), interpret=True)(jnp.arange(32).reshape(8, 4)))
