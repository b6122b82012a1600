"""Clusters that take the work of others which have not begun: both blocks of a cluster get the same answer."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILES, SIZE = 11, 128


def kernel(x_gmem, o_gmem):
  block, thread = lax.axis_index("c"), lax.axis_index("wg")

  @plgpu.dynamic_scheduling_loop(grid_names=("tile",), thread_axis="wg", cluster_axes=("c",))
  def _(info):
    (tile,) = info.index
    part = pl.ds(thread * SIZE, SIZE)
    o_gmem[tile, block, part] = x_gmem[tile, block, part] * 2.0 + tile.astype(jnp.float32)


x = jnp.arange(TILES * 2 * 2 * SIZE, dtype=jnp.float32).reshape(TILES, 2, 2 * SIZE)
launcher = plgpu.kernel(
    kernel,
    out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
    grid=(TILES,),
    grid_names=("tile",),
    cluster=(2,),
    cluster_names=("c",),
    num_threads=2,
    thread_name="wg",
    interpret=InterpretGPUParams(),
)
np.testing.assert_array_equal(launcher(x), np.asarray(x) * 2 + np.arange(TILES, dtype=np.float32)[:, None, None])
