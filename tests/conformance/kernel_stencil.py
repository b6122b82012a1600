"""A three-point stencil with halos by Element, by a padded operand and by dynamic slices."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

x = jnp.arange(16.0) ** 2
padded = jnp.pad(x, 1, mode="edge")
expected = padded[:-2] - 2 * padded[1:-1] + padded[2:]
out = jax.ShapeDtypeStruct((16,), jnp.float32)


def by_element(x_ref, o_ref):
  o_ref[...] = x_ref[0:4] - 2 * x_ref[1:5] + x_ref[2:6]


first = pl.pallas_call(by_element, grid=(4,), in_specs=[pl.BlockSpec((pl.Element(6),), lambda i: (4 * i,))],
                       out_specs=pl.BlockSpec((4,), lambda i: (i,)), out_shape=out, interpret=True)(padded)


def by_slices(x_ref, o_ref):
  start = pl.program_id(0) * 4
  left, middle, right = (x_ref[pl.ds(start + shift, 4)] for shift in range(3))
  o_ref[pl.ds(start, 4)] = left - 2 * middle + right


second = pl.pallas_call(by_slices, grid=(4,), out_shape=out, interpret=True)(padded)


def by_roll(x_ref, o_ref):
  x = x_ref[...]
  i = jnp.arange(x.shape[0])
  left = jnp.where(i == 0, x, jnp.roll(x, 1))
  right = jnp.where(i == x.shape[0] - 1, x, jnp.roll(x, -1))
  o_ref[...] = left - 2 * x + right


third = pl.pallas_call(by_roll, out_shape=out, interpret=True)(x)
for result in (first, second, third):
  np.testing.assert_array_equal(result, expected)
  print(result)
