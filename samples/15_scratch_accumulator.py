"""A matrix product with the reduction on the grid and the sum in scratch.

`scratch_shapes` adds a buffer that lives across programs. The first program
along `k` clears it, each adds a product, and the last writes it out: the
output, in a narrower type, is stored once.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def matmul_kernel(x_ref, y_ref, o_ref, acc_ref):
  k = pl.program_id(2)

  @pl.when(k == 0)
  def _clear():
    acc_ref[...] = jnp.zeros(acc_ref.shape, acc_ref.dtype)

  acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

  @pl.when(k == pl.num_programs(2) - 1)
  def _write():
    o_ref[...] = acc_ref[...].astype(o_ref.dtype)


def matmul(x: jax.Array, y: jax.Array, *, bm: int, bn: int, bk: int) -> jax.Array:
  (m, k), (_, n) = x.shape, y.shape
  return pl.pallas_call(
      matmul_kernel,
      grid=(m // bm, n // bn, k // bk),
      in_specs=[
          pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)),
          pl.BlockSpec((bk, bn), lambda i, j, k: (k, j)),
      ],
      out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
      out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
      scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
      interpret=True,
  )(x, y)


x = ((jnp.arange(64 * 96) % 9) - 4).reshape(64, 96).astype(jnp.bfloat16)
y = ((jnp.arange(96 * 32) % 8) - 3).reshape(96, 32).astype(jnp.bfloat16)
expected = (x.astype(jnp.float32) @ y.astype(jnp.float32)).astype(jnp.bfloat16)

for bm, bn, bk in ((64, 32, 96), (32, 16, 48), (16, 16, 16)):
  z = matmul(x, y, bm=bm, bn=bn, bk=bk)
  np.testing.assert_array_equal(z, expected)
  steps = 96 // bk
  print(f"blocks {bm}x{bk} by {bk}x{bn}: {steps} step{'s' if steps > 1 else ''} along k, equal:",
        bool((z == expected).all()))
print(z[:3, :6])


# A counter in scratch: what an earlier program left is still there.
def counter_kernel(o_ref, count_ref):
  i = pl.program_id(0)

  @pl.when(i == 0)
  def _():
    count_ref[0] = 100

  count_ref[0] += i
  o_ref[i] = count_ref[0]


counts = pl.pallas_call(
    counter_kernel,
    grid=(6,),
    out_shape=jax.ShapeDtypeStruct((6,), jnp.int32),
    scratch_shapes=[pltpu.SMEM((1,), jnp.int32)],
    interpret=True,
)()
print("running total in scratch:", counts)
