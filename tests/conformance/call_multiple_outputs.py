"""One output, a list of one, a tuple, a dictionary: the result has the same form."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.arange(4)
shape = jax.ShapeDtypeStruct((4,), jnp.int32)


def one(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


def two(x_ref, a_ref, b_ref):
  a_ref[...] = x_ref[...] * 2
  b_ref[...] = x_ref[...].astype(jnp.float32) / 2


def named(x_ref, out):
  out["sum"][0] = x_ref[...].sum()
  out["square"][...] = x_ref[...] ** 2


print(pl.pallas_call(one, out_shape=shape, interpret=True)(x))
print(pl.pallas_call(one, out_shape=[shape], interpret=True)(x))
print(pl.pallas_call(one, out_shape=(shape,), interpret=True)(x))
print(pl.pallas_call(two, out_shape=(shape, jax.ShapeDtypeStruct((4,), jnp.float32)), interpret=True)(x))
a, b = pl.pallas_call(two, out_shape=[shape, jax.ShapeDtypeStruct((4,), jnp.float32)], interpret=True)(x)
print(a, b)
print(pl.pallas_call(named, out_shape={"sum": jax.ShapeDtypeStruct((1,), jnp.int32), "square": x}, interpret=True)(x))
