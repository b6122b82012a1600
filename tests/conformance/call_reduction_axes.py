"""Reductions over the first, middle and last grid axis, with max and with sum."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref, *, axis, combine, initial):
  @pl.when(pl.program_id(axis) == 0)
  def _():
    o_ref[...] = jnp.full_like(o_ref, initial)
  o_ref[...] = combine(o_ref[...], x_ref[...])


x = (jnp.arange(4 * 4 * 4) * 37 % 64).reshape(4, 4, 4)
block = pl.BlockSpec((None, 2, 2), lambda i, j, k: (k, i, j))
for name, combine, reference, initial in (
    ("sum", jnp.add, jnp.sum, 0), ("max", jnp.maximum, jnp.max, -1), ("min", jnp.minimum, jnp.min, 99)):
  result = pl.pallas_call(
      functools.partial(kernel, axis=2, combine=combine, initial=initial),
      grid=(2, 2, 4),
      in_specs=[block],
      out_specs=pl.BlockSpec((2, 2), lambda i, j, k: (i, j)),
      out_shape=jax.ShapeDtypeStruct((4, 4), x.dtype),
      interpret=True,
  )(x)
  np.testing.assert_array_equal(result, reference(x, axis=0))
  print(name)
  print(result)

# One block that is visited by every program: interpret mode keeps what is in it.
scalar = pl.pallas_call(
    functools.partial(kernel, axis=0, combine=lambda o, v: o + v.sum(), initial=0),
    grid=(8,),
    in_specs=[pl.BlockSpec((8,), lambda i: (i,))],
    out_specs=pl.BlockSpec((1,), lambda i: (0,)),
    out_shape=jax.ShapeDtypeStruct((1,), jnp.int32),
    interpret=True,
)(x.reshape(-1))
print(scalar, x.sum())
