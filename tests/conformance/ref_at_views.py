"""Views of Refs with .at, and of views; attributes of Refs inside a kernel."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def double(ref):
  ref[...] = ref[...] * 2


def kernel(x_ref, o_ref):
  print("x_ref", x_ref.shape, x_ref.dtype, x_ref.ndim, x_ref.size, len(x_ref))
  o_ref[...] = x_ref[...]
  top = o_ref.at[:2]
  double(top)
  double(o_ref.at[3])
  inner = o_ref.at[1:3].at[:, pl.ds(1, 2)]
  print("inner", inner.shape, inner.dtype)
  inner[...] = jnp.full((2, 2), -1)
  o_ref.at[pl.ds(2, 1), 3][...] = jnp.full((1,), 77)


x = jnp.arange(16).reshape(4, 4)
print(pl.pallas_call(kernel, out_shape=x, interpret=True)(x))


def rows(x_ref, o_ref):
  i = pl.program_id(0)
  mine = o_ref.at[i]
  mine[...] = x_ref.at[3 - i][...]


print(pl.pallas_call(rows, out_shape=x, grid=(4,), interpret=True)(x))
