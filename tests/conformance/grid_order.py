"""The order of programs: row-major, the last axis fastest, seen through a shared output."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(o_ref, n_ref):
  i, j, k = (pl.program_id(axis) for axis in range(3))

  @pl.when((i == 0) & (j == 0) & (k == 0))
  def _():
    n_ref[0] = 0

  o_ref[n_ref[0]] = 100 * i + 10 * j + k
  n_ref[0] += 1


order = pl.pallas_call(
    kernel,
    grid=(2, 3, 2),
    out_shape=jax.ShapeDtypeStruct((12,), jnp.int32),
    scratch_shapes=[pltpu.VMEM((1,), jnp.int32)],
    interpret=True,
)()
print(order)
