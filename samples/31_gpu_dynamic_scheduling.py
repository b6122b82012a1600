"""Work that is handed out while the kernel runs, for tiles that take unequally long.

The grid says how much work there is. A block takes its own tile, and asks
for that of a block that has not begun (`plgpu.dynamic_scheduling_loop`), so
that no core waits for another one with longer rows. Both warpgroups of a
block get the same tile.

JAX 0.10.2 runs this kernel on a GPU only; it is compared with plain sums.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILES = (3, 4)
SIZE = 128


def kernel(x_gmem, lengths_gmem, o_gmem):
  thread = lax.axis_index("wg")

  @plgpu.dynamic_scheduling_loop(grid_names=("m", "n"), thread_axis="wg")
  def _(info):
    m, n = info.index
    length = lengths_gmem[m, n]

    def add(row, total):
      return total + x_gmem[m, n, row, pl.ds(thread * SIZE, SIZE)]

    o_gmem[m, n, pl.ds(thread * SIZE, SIZE)] = lax.fori_loop(
        0, length, add, jnp.zeros((SIZE,), jnp.float32)
    )


def sums(x, lengths):
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((*TILES, x.shape[-1]), jnp.float32),
      grid=TILES,
      grid_names=("m", "n"),
      num_threads=2,
      thread_name="wg",
      interpret=InterpretGPUParams(),
  )(x, lengths)


x = jax.random.normal(jax.random.key(0), (*TILES, 8, 2 * SIZE), jnp.float32)
lengths = jnp.array([[1, 8, 3, 2], [7, 1, 1, 5], [2, 6, 4, 8]], jnp.int32)
result = sums(x, lengths)
inside = jnp.arange(8)[None, None, :, None] < lengths[:, :, None, None]
np.testing.assert_allclose(result, jnp.where(inside, x, 0).sum(2), rtol=1e-5, atol=1e-5)
print("sums of up to 8 rows each:", result.shape, "rows in all:", lengths.sum())
