"""Operands in dictionaries and tuples: pytrees in, pytrees out.

`in_specs`, `out_specs` and `out_shape` may be nested like the arguments and
results they describe; the kernel then gets Refs nested the same way.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


class Statistics(NamedTuple):
  lowest: jax.Array
  highest: jax.Array


def kernel(params_ref, x_ref, y_ref, stats_ref):
  y = x_ref[...] * params_ref["scale"][...] + params_ref["bias"][...]
  y_ref[...] = y
  stats_ref.lowest[...] = y.min(axis=1, keepdims=True)
  stats_ref.highest[...] = y.max(axis=1, keepdims=True)


def affine(params: dict[str, jax.Array], x: jax.Array):
  rows, columns = x.shape
  whole = pl.BlockSpec((1, columns), lambda i: (0, 0))
  block = pl.BlockSpec((2, columns), lambda i: (i, 0))
  column = pl.BlockSpec((2, 1), lambda i: (i, 0))
  one_per_row = jax.ShapeDtypeStruct((rows, 1), x.dtype)
  return pl.pallas_call(
      kernel,
      grid=(rows // 2,),
      in_specs=[{"scale": whole, "bias": whole}, block],
      out_specs=[block, Statistics(column, column)],
      out_shape=[jax.ShapeDtypeStruct(x.shape, x.dtype), Statistics(one_per_row, one_per_row)],
      interpret=True,
  )(params, x)


x = jnp.arange(12.0).reshape(4, 3)
params = {"scale": jnp.array([[1.0, -1.0, 2.0]]), "bias": jnp.array([[0.5, 0.0, -0.5]])}
y, stats = affine(params, x)
print("y:")
print(y)
print("lowest of each row: ", stats.lowest.ravel())
print("highest of each row:", stats.highest.ravel())
np.testing.assert_array_equal(y, x * params["scale"] + params["bias"])
np.testing.assert_array_equal(stats.lowest[:, 0], y.min(axis=1))

print("the structure of the result:", jax.tree.structure((y, stats)))
print("its shapes:", jax.tree.map(jnp.shape, {"y": y, "lowest": stats.lowest}))
print("doubled parameters:", jax.tree.map(lambda leaf: leaf * 2, params)["scale"])
print("number of parameters:", sum(leaf.size for leaf in jax.tree.leaves(params)))
