"""The products of `matmul_bf16.py` with tiles of 128 x 256: more registers, and fewer bytes from shared memory and caches."""
import jax.numpy as jnp
import matmul_bf16

COLUMNS = 256


def run(x, y):
  return matmul_bf16.run(x, y, COLUMNS)


CASES = {f"matmul_wide_{n}": [(n, n), (n, n)] for n in (4096, 8192)}
# What interpret mode runs, too.
SMALL = [(256, 320), (320, 512)]
DTYPE = jnp.bfloat16

if __name__ == "__main__":
  for shapes in [*CASES.values(), SMALL]:
    run(*[jnp.ones(shape, DTYPE) for shape in shapes])
