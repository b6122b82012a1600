"""Products of two square bf16 matrices, a tile of 128 x 128 to a program."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

BLOCK_K = 64


def matmul_kernel(x_ref, y_ref, o_ref):
  def step(k, acc):
    x = x_ref[:, pl.ds(k * BLOCK_K, BLOCK_K)]
    y = y_ref[pl.ds(k * BLOCK_K, BLOCK_K), :]
    return acc + jnp.dot(x, y, preferred_element_type=jnp.float32)

  acc = jnp.zeros(o_ref.shape, jnp.float32)
  acc = jax.lax.fori_loop(0, x_ref.shape[1] // BLOCK_K, step, acc)
  o_ref[...] = acc.astype(o_ref.dtype)


def run(x, y, columns=128):
  m, k = x.shape
  n = y.shape[1]
  return pl.pallas_call(
      matmul_kernel, grid=(m // 128, n // columns),
      in_specs=[pl.BlockSpec((128, k), lambda i, j: (i, 0)), pl.BlockSpec((k, columns), lambda i, j: (0, j))],
      out_specs=pl.BlockSpec((128, columns), lambda i, j: (i, j)),
      out_shape=jax.ShapeDtypeStruct((m, n), x.dtype))(x, y)


CASES = {f"matmul_bf16_{n}": [(n, n), (n, n)] for n in (4096, 8192)}
# What interpret mode runs, too.
SMALL = [(256, 320), (320, 256)]
DTYPE = jnp.bfloat16

if __name__ == "__main__":
  for shapes in [*CASES.values(), SMALL]:
    run(*[jnp.ones(shape, DTYPE) for shape in shapes])
