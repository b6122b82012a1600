"""A kernel that raises while it is traced: the exception passes through pallas_call."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


class Refused(Exception):
  pass


def kernel(x_ref, o_ref):
  print("tracing")
  if x_ref.shape[0] % 2:
    raise Refused(f"odd block of {x_ref.shape[0]}")
  o_ref[...] = x_ref[...]


def run(n):
  x = jnp.arange(n)
  return pl.pallas_call(kernel, out_shape=x, interpret=True)(x)


print(run(4))
try:
  run(5)
except Refused as error:
  print("caught", error)
run(7)
