"""A Ref read and written with integers, positive and negative, and scalars traced."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
  o_ref[0] = x_ref[2, 3]
  o_ref[1] = x_ref[-1, -1]
  o_ref[-1] = x_ref[0, 1] + x_ref[1][0]
  i = pl.program_id(0)
  o_ref[2] = x_ref[i, i + 1]
  o_ref[3] = x_ref[jnp.int32(1), 2]


x = jnp.arange(12).reshape(3, 4)
print(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((5,), jnp.int32), grid=(1,), interpret=True)(x))


def rows(x_ref, o_ref):
  o_ref[0] = x_ref[-1]
  o_ref[1, :] = x_ref[0]
  o_ref[2] = x_ref[1, ...]


print(pl.pallas_call(rows, out_shape=x, interpret=True)(x))
