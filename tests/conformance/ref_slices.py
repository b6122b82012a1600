"""A Ref read and written with slices, steps and an ellipsis."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def show(kernel, *shape):
  x = jnp.arange(24).reshape(4, 6)
  print(kernel.__name__)
  print(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(shape, x.dtype), interpret=True)(x))


def corner(x_ref, o_ref):
  o_ref[:, :] = x_ref[1:3, 2:5]


def every_second(x_ref, o_ref):
  o_ref[...] = x_ref[::2, 1::2]


def open_ends(x_ref, o_ref):
  o_ref[...] = x_ref[:-1, -2:]


def row(x_ref, o_ref):
  o_ref[:] = x_ref[2, :]


def column(x_ref, o_ref):
  o_ref[:] = x_ref[:, -1]


def ellipsis(x_ref, o_ref):
  o_ref[..., 0] = x_ref[..., 3]
  o_ref[..., 1] = x_ref[..., 4]


def write_strided(x_ref, o_ref):
  o_ref[...] = jnp.full(o_ref.shape, -1)
  o_ref[::3, ::2] = x_ref[:2, :3]


def quarters(x_ref, o_ref):
  o_ref[:2, :3] = x_ref[2:, 3:]
  o_ref[2:, :3] = x_ref[:2, 3:]
  o_ref[:2, 3:] = x_ref[2:, :3]
  o_ref[2:, 3:] = x_ref[:2, :3]


show(corner, 2, 3)
show(every_second, 2, 3)
show(open_ends, 3, 2)
show(row, 6)
show(column, 4)
show(ellipsis, 4, 2)
show(write_strided, 4, 6)
show(quarters, 4, 6)
