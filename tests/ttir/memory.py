"""Subscripts as pointers: slices with computed starts and strides, arrays of positions, masks, swaps, atomics, bools."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt


def slices(x_ref, o_ref):
  i = pl.program_id(0)
  o_ref[...] = x_ref[pl.ds(i * 8, 8), :] + x_ref[3, :] + x_ref[i, 2] + x_ref[:16:2, :]


def positions(x_ref, i_ref, o_ref):
  where = i_ref[...]
  o_ref[...] = x_ref[where, :] + x_ref[where, 5][:, None] + x_ref[where, where][:, None]


def masked(x_ref, o_ref):
  i = pl.program_id(0)
  columns = i * 64 + jnp.arange(64)
  mask = columns < 200
  x = plt.load(x_ref.at[pl.ds(i * 64, 64)], mask=mask, other=-float("inf"))
  y = plt.load(x_ref.at[pl.ds(i * 64, 64)], mask=mask)
  plt.store(o_ref.at[pl.ds(i * 64, 64)], x * y, mask=mask)


def atomics(x_ref, n_ref, o_ref, m_ref):
  x = x_ref[...]
  plt.atomic_add(o_ref, (0,), jnp.sum(x))
  plt.atomic_max(m_ref, (1,), jnp.max(n_ref[...]))
  old = plt.atomic_min(o_ref, (pl.ds(0, 64),), x)
  plt.atomic_xchg(o_ref, (2,), jnp.sum(old))


def bools(x_ref, b_ref, o_ref):
  o_ref[...] = (x_ref[...] > 1) & b_ref[...]


def narrow(x_ref, o_ref):
  o_ref[...] = (x_ref[...].astype(jnp.float32) * 2).astype(jnp.float8_e5m2)


S = jax.ShapeDtypeStruct
params = plt.CompilerParams(num_warps=4)
x = jnp.ones((64, 32), jnp.float32)
n = jnp.ones((64,), jnp.int32)
line = jnp.ones((200,), jnp.float32)
pl.pallas_call(slices, out_shape=S((8, 32), jnp.float32), grid=(8,), compiler_params=params)(x)
pl.pallas_call(positions, out_shape=S((16, 32), jnp.float32), compiler_params=params)(x, n[:16])
pl.pallas_call(masked, out_shape=S((200,), jnp.float32), grid=(4,), compiler_params=params)(line)
pl.pallas_call(atomics, out_shape=(S((64,), jnp.float32), S((4,), jnp.int32)), compiler_params=params)(line[:64], n)
pl.pallas_call(bools, out_shape=S((64,), jnp.bool_), compiler_params=params)(n, n > 0)
pl.pallas_call(narrow, out_shape=S((64,), jnp.float8_e5m2), compiler_params=params)(line[:64].astype(jnp.float8_e5m2))
