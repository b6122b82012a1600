"""Adding large matrices block by block, as a pipeline.

On an accelerator the blocks of the next program are copied in, and those of
the last one copied out, while this one computes. The kernel does not change:
grid and BlockSpecs say all that the pipeline needs. The block shape is the
number to tune.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def add_matrices_kernel(x_ref, y_ref, o_ref):
  o_ref[...] = x_ref[...] + y_ref[...]


def add_matrices_pipelined(
    x: jax.Array, y: jax.Array, *, bm: int = 128, bn: int = 128
) -> jax.Array:
  m, n = x.shape
  block_spec = pl.BlockSpec((bm, bn), lambda i, j: (i, j))
  return pl.pallas_call(
      add_matrices_kernel,
      out_shape=x,
      in_specs=[block_spec, block_spec],
      out_specs=block_spec,
      grid=(m // bm, n // bn),
      interpret=True,
  )(x, y)


def pipeline_cost(shape, block, alpha, bandwidth, itemsize=4):
  """Programs, and microseconds of copies: the first cannot be hidden."""
  programs = (shape[0] // block[0]) * (shape[1] // block[1])
  copy = 3 * block[0] * block[1] * itemsize / bandwidth
  return programs, (alpha + copy) + (programs - 1) * max(alpha, copy)


x = jax.random.uniform(jax.random.key(0), (512, 512), dtype=jnp.float32)
y = jax.random.uniform(jax.random.key(1), (512, 512), dtype=jnp.float32)

print("   block  programs  equal  copies at 1 us latency, 1 MB/us")
for bm, bn in ((128, 128), (256, 256), (64, 512), (512, 512)):
  result = add_matrices_pipelined(x, y, bm=bm, bn=bn)
  np.testing.assert_array_equal(result, x + y)
  programs, microseconds = pipeline_cost(x.shape, (bm, bn), alpha=1.0, bandwidth=1e6)
  print(f"{bm:4}x{bn:<4} {programs:8}  {bool((result == x + y).all())}   {microseconds:8.3f} us")

print("a corner of x + y:")
print(result[:2, :3])
