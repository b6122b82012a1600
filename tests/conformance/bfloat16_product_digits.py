"""Products of bfloat16 matrices to the last bit: the order of the sums is that of matrix units."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def values(shape, step):
  size = 1
  for extent in shape:
    size *= extent
  return ((jnp.arange(size, dtype=jnp.float32) * jnp.float32(step)) % 5 - 2.5).reshape(shape).astype(jnp.bfloat16)


def digits(x):
  """The bits of all elements, and where they stand, in one number."""
  bits = lax.bitcast_convert_type(x.astype(jnp.float32), jnp.uint32).reshape(-1)
  return int((bits * (2 * jnp.arange(bits.size, dtype=jnp.uint32) + 1)).sum())


for rows, inner, columns in [(4, 64, 64), (64, 64, 64), (17, 40, 33), (16, 32, 16), (128, 256, 8), (5, 256, 256), (64, 512, 64)]:
  x, y = values((rows, inner), 0.37), values((inner, columns), 0.53)
  print(rows, inner, columns, digits(jnp.dot(x, y, preferred_element_type=jnp.float32)), digits(jnp.dot(x, y)))

x, y = values((64, 96), 0.37), values((48, 96), 0.53)
print("both transposed", digits(lax.dot_general(x.T, y.T, (((0,), (0,)), ((), ())), preferred_element_type=jnp.float32)))
print("one transposed", digits(jnp.dot(x, y.T, preferred_element_type=jnp.float32)))
x, y = values((3, 32, 64), 0.37), values((3, 64, 40), 0.53)
print("batches", digits(jnp.einsum("bik,bkj->bij", x, y, preferred_element_type=jnp.float32)))


def kernel(x_ref, y_ref, o_ref):
  @pl.when(pl.program_id(2) == 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)

  o_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)


x, y = values((128, 192), 0.37), values((192, 128), 0.53)
result = pl.pallas_call(
    kernel, grid=(2, 2, 3),
    in_specs=[pl.BlockSpec((64, 64), lambda i, j, k: (i, k)), pl.BlockSpec((64, 64), lambda i, j, k: (k, j))],
    out_specs=pl.BlockSpec((64, 64), lambda i, j, k: (i, j)),
    out_shape=jax.ShapeDtypeStruct((128, 128), jnp.float32), interpret=True)(x, y)
print("blocks", digits(result), result[3, :4])
