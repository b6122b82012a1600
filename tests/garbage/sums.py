"""Sums of which only the data says whether they begin at zero."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def sum_kernel(flag_ref, x_ref, o_ref):
  @pl.when((pl.program_id(1) == 0) & (flag_ref[pl.program_id(0)] > 0))
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += x_ref[...]  # PL203


sums = pl.pallas_call(
    sum_kernel,
    grid=(2, 4),
    in_specs=[pl.BlockSpec((2,), lambda i, j: (0,)), pl.BlockSpec((8, 8), lambda i, j: (i, j))],
    out_specs=pl.BlockSpec((8, 8), lambda i, j: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((16, 8), jnp.float32),
)(jnp.array([0.0, 1.0]), jnp.ones((16, 32)))
print(sums.shape)
