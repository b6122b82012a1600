"""A tiled matrix product with an activation fused in.

Program (i, j) gets a band of rows of `x` and a band of columns of `y`, and
makes one tile of the output. The loop over `k` is a Python loop, so it is
unrolled while tracing. `activation` and `block_k` are Python values bound with
`functools.partial`: the kernel is a template.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def matmul_kernel(x_ref, y_ref, o_ref, *, activation, block_k):
  acc = jnp.zeros((x_ref.shape[0], y_ref.shape[1]), jnp.float32)
  for k in range(x_ref.shape[1] // block_k):
    x = x_ref[:, k * block_k:(k + 1) * block_k]
    y = y_ref[k * block_k:(k + 1) * block_k, :]
    acc += x @ y
  o_ref[:, :] = activation(acc).astype(o_ref.dtype)


@partial(jax.jit, static_argnames=["block_shape", "activation"])
def matmul(x: jax.Array, y: jax.Array, *, block_shape, activation) -> jax.Array:
  block_m, block_n, block_k = block_shape
  (m, k), (_, n) = x.shape, y.shape
  fused_matmul = pl.pallas_call(
      partial(matmul_kernel, block_k=block_k, activation=activation),
      out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
      in_specs=[
          pl.BlockSpec((block_m, k), lambda i, j: (i, 0)),
          pl.BlockSpec((k, block_n), lambda i, j: (0, j)),
      ],
      out_specs=pl.BlockSpec((block_m, block_n), lambda i, j: (i, j)),
      grid=(pl.cdiv(m, block_m), pl.cdiv(n, block_n)),
      interpret=True,
  )
  return fused_matmul(x, y)


# Small whole numbers, so that the product is exact.
x = (jnp.arange(128 * 64, dtype=jnp.float32).reshape(128, 64) % 7) - 3
y = (jnp.arange(64 * 96, dtype=jnp.float32).reshape(64, 96) % 5) - 2

plain = matmul(x, y, block_shape=(32, 48, 16), activation=lambda acc: acc)
print("x @ y, the corner:")
print(plain[:4, :6])
np.testing.assert_array_equal(plain, x @ y)
print("exactly equal to x @ y:", bool((plain == x @ y).all()))

for activation in (jax.nn.relu, jax.nn.gelu, jnp.tanh):
  z = matmul(x / 8, y / 8, block_shape=(32, 48, 16), activation=activation)
  np.testing.assert_allclose(z, activation((x / 8) @ (y / 8)), rtol=1e-5, atol=1e-5)
  print(f"{activation.__name__}(x @ y / 64)[0, :4] =",
        " ".join(f"{value:.4f}" for value in z[0, :4]))

# The shapes of the Pallas design document.
ones = matmul(jnp.ones((512, 256)), jnp.ones((256, 1024)),
              block_shape=(128, 256, 128), activation=jax.nn.gelu)
print("ones:", ones.shape, ones.dtype, "smallest", ones.min(), "largest", ones.max())
