"""program_id and num_programs on every axis, in kernels and index maps; their types."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
  i, j = pl.program_id(0), pl.program_id(axis=1)
  n, m = pl.num_programs(0), pl.num_programs(1)
  print("traced", i.shape, i.dtype, type(n).__name__, n, m)
  last = jnp.logical_and(i == n - 1, j == m - 1)
  o_ref[...] = jnp.where(last, -1, x_ref[...] + i * m + j)


x = jnp.zeros((4, 6), jnp.int32)
result = pl.pallas_call(
    kernel,
    grid=(2, 3),
    in_specs=[pl.BlockSpec((2, 2), lambda i, j: (i, j))],
    out_specs=pl.BlockSpec((2, 2), lambda i, j: (1 - i, 2 - j)),
    out_shape=x,
    interpret=True,
)(x)
print(result)
