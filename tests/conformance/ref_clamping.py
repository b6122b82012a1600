"""What interpret mode makes of slices that start outside: they are shifted back."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def read(start_ref, x_ref, o_ref):
  o_ref[...] = x_ref[pl.ds(start_ref[0], 4)]


def write(start_ref, x_ref, o_ref):
  o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[pl.ds(start_ref[0], 4)] = x_ref[:4] + 100


x = jnp.arange(10)
for start in (0, 3, 6, 8, 50, -2):
  s = jnp.array([start])
  taken = pl.pallas_call(read, out_shape=jax.ShapeDtypeStruct((4,), jnp.int32), interpret=True)(s, x)
  written = pl.pallas_call(write, out_shape=jax.ShapeDtypeStruct((10,), jnp.int32), interpret=True)(s, x)
  print(start, taken, written)
