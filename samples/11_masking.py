"""Tails: what to do when the block does not divide the array.

The last block is handed over at full size. What lies outside the array is
unspecified on input (NaN in interpret mode) and thrown away on output. An
elementwise kernel need not care; a reduction must mask.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

BLOCK = 4


def double_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2


def sum_kernel(x_ref, o_ref, *, size, masked):
  """One partial sum for each block."""
  i = pl.program_id(0)
  x = x_ref[...]  # pallas: ignore[PL204]
  if masked:
    position = i * BLOCK + lax.broadcasted_iota(jnp.int32, x.shape, 0)
    x = jnp.where(position < size, x, 0)
  o_ref[i] = x.sum()


def blocked(kernel, x, out_spec, out_size):
  return pl.pallas_call(
      kernel,
      grid=(pl.cdiv(x.shape[0], BLOCK),),
      in_specs=[pl.BlockSpec((BLOCK,), lambda i: (i,))],
      out_specs=out_spec,
      out_shape=jax.ShapeDtypeStruct((out_size,), x.dtype),
      interpret=True,
  )(x)


x = jnp.arange(1.0, 11.0)  # ten elements, blocks of four
blocks = pl.cdiv(x.shape[0], BLOCK)
whole = pl.BlockSpec((blocks,), lambda i: (0,))

doubled = blocked(double_kernel, x, pl.BlockSpec((BLOCK,), lambda i: (i,)), x.shape[0])
print("elementwise, nothing to do:  ", doubled)
np.testing.assert_array_equal(doubled, x * 2)

unmasked = blocked(partial(sum_kernel, size=10, masked=False), x, whole, blocks)
print("sums without a mask:         ", unmasked)
masked = blocked(partial(sum_kernel, size=10, masked=True), x, whole, blocks)
print("sums with a mask:            ", masked)
np.testing.assert_array_equal(masked, [10.0, 26.0, 19.0])


# Without a BlockSpec, the kernel can load a block with a mask itself.
def masked_load_kernel(x_ref, o_ref):
  i = pl.program_id(0)
  position = i * BLOCK + jnp.arange(BLOCK)
  mask = position < x_ref.shape[0]
  x = plgpu.load(x_ref.at[position], mask=mask, other=-jnp.inf)
  o_ref[i] = x.max()


largest = pl.pallas_call(
    masked_load_kernel,
    grid=(blocks,),
    out_shape=jax.ShapeDtypeStruct((blocks,), x.dtype),
    interpret=True,
)(-x)
print("largest of -x, other=-inf:   ", largest)


# ... and store only where the mask says so.
def masked_store_kernel(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = jnp.zeros_like(x)
  plgpu.store(o_ref, x, mask=x % 3 == 0)


multiples = pl.pallas_call(masked_store_kernel, out_shape=x, interpret=True)(x)
print("only the multiples of three: ", multiples)
