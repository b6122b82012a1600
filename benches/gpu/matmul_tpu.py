"""The products of `matmul_bf16.py` as kernels for TPUs have them: the terms are an axis of the grid, the sum is scratch memory that the
first program along it zeroes, and the last one stores."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ROWS, COLUMNS, BLOCK_K = 128, 128, 64


def matmul_kernel(x_ref, y_ref, o_ref, acc_ref):
  @pl.when(pl.program_id(2) == 0)
  def _():
    acc_ref[...] = jnp.zeros_like(acc_ref)

  acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

  @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
  def _():
    o_ref[...] = acc_ref[...].astype(o_ref.dtype)


def run(x, y):
  (m, k), n = x.shape, y.shape[1]
  return pl.pallas_call(
      matmul_kernel, grid=(m // ROWS, n // COLUMNS, k // BLOCK_K),
      in_specs=[pl.BlockSpec((ROWS, BLOCK_K), lambda i, j, k: (i, k)), pl.BlockSpec((BLOCK_K, COLUMNS), lambda i, j, k: (k, j))],
      out_specs=pl.BlockSpec((ROWS, COLUMNS), lambda i, j, k: (i, j)),
      scratch_shapes=[pltpu.VMEM((ROWS, COLUMNS), jnp.float32)],
      out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
      compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")))(x, y)


CASES = {f"matmul_tpu_{n}": [(n, n), (n, n)] for n in (4096, 8192)}
# What interpret mode runs, too.
SMALL = [(256, 320), (320, 256)]
DTYPE = jnp.bfloat16

if __name__ == "__main__":
  for shapes in [*CASES.values(), SMALL]:
    run(*[jnp.ones(shape, DTYPE) for shape in shapes])
