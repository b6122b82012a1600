"""bfloat16 inputs, float32 sums.

bfloat16 keeps 8 bits of the significand, so a running sum in bfloat16 stops
growing early. The kernel multiplies bfloat16 tiles and asks the product to be
accumulated in float32 with `preferred_element_type`; only the result is
rounded.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def matmul_kernel(x_ref, y_ref, o_ref):
  acc = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
  o_ref[...] = acc.astype(o_ref.dtype)


def matmul(x: jax.Array, y: jax.Array, out_dtype) -> jax.Array:
  block = 16
  return pl.pallas_call(
      matmul_kernel,
      grid=(x.shape[0] // block, y.shape[1] // block),
      in_specs=[
          pl.BlockSpec((block, x.shape[1]), lambda i, j: (i, 0)),
          pl.BlockSpec((y.shape[0], block), lambda i, j: (0, j)),
      ],
      out_specs=pl.BlockSpec((block, block), lambda i, j: (i, j)),
      out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), out_dtype),
      interpret=True,
  )(x, y)


x = (jnp.arange(32 * 64) % 11).reshape(32, 64).astype(jnp.bfloat16)
y = (jnp.arange(64 * 32) % 13).reshape(64, 32).astype(jnp.bfloat16)
exact = x.astype(jnp.float32) @ y.astype(jnp.float32)

for out_dtype in (jnp.float32, jnp.bfloat16, jnp.float16):
  result = matmul(x, y, out_dtype)
  error = jnp.abs(result.astype(jnp.float32) - exact).max()
  print(f"bfloat16 @ bfloat16 -> {result.dtype.name:8}  largest error {error:g}")
np.testing.assert_array_equal(matmul(x, y, jnp.float32), exact)


def sum_kernel(x_ref, o_ref, *, dtype):
  """Adds the elements one by one, in `dtype`."""
  def step(i, total):
    return total + x_ref[i].astype(dtype)  # pallas: ignore[PL205] what gets lost is the point here
  o_ref[0] = jax.lax.fori_loop(0, x_ref.shape[0], step, jnp.zeros((), dtype)).astype(jnp.float32)


ones = jnp.ones((1000,), jnp.bfloat16)
for dtype in (jnp.bfloat16, jnp.float16, jnp.float32):
  total = pl.pallas_call(
      lambda x_ref, o_ref: sum_kernel(x_ref, o_ref, dtype=dtype),
      out_shape=jax.ShapeDtypeStruct((1,), jnp.float32),
      interpret=True,
  )(ones)
  print(f"1000 ones added in {jnp.dtype(dtype).name:8} = {total[0]:g}")

print("what is left of 1/3:", jnp.float32(1 / 3), jnp.bfloat16(1 / 3), jnp.float16(1 / 3))
print("the largest values: ", *(f"{float(jnp.finfo(t).max):.4g}" for t in ("float32", "bfloat16", "float16")))
