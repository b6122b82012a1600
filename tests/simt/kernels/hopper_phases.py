"""One barrier for copies that come one after the other: warps that are slow to see that one is there still have to see it when the next
one is there, too, since a phase is known by its parity.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

STEPS, ROWS, COLUMNS = 4, 32, 128


def summed(x):
  def kernel(x_gmem, o_gmem, x_smem, o_smem, arrived):
    for step in range(STEPS):
      plgpu.copy_gmem_to_smem(x_gmem.at[step], x_smem.at[step], arrived)
      plgpu.barrier_wait(arrived)
    total = x_smem[0]
    for step in range(1, STEPS):
      total += x_smem[step]
    o_smem[...] = total
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem)
    plgpu.wait_smem_to_gmem(0)

  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((ROWS, COLUMNS), jnp.float32),
      scratch_types=[
          plgpu.SMEM((STEPS, ROWS, COLUMNS), jnp.float32),
          plgpu.SMEM((ROWS, COLUMNS), jnp.float32),
          plgpu.Barrier(),
      ],
      grid=(),
      grid_names=(),
      interpret=InterpretGPUParams(),
  )(x)


x = jnp.arange(STEPS * ROWS * COLUMNS, dtype=jnp.float32).reshape(STEPS, ROWS, COLUMNS)
np.testing.assert_array_equal(np.asarray(summed(x)), np.asarray(x.sum(0)))
print("copies one after the other")
