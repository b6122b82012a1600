"""The order of tiles: bands that are gone through to and fro keep both factors in the cache.

`plgpu.planar_snake` turns the number of a step into a tile. A band is a few
tiles wide; the next one begins where the last has ended. The kernel writes
down when each tile had its turn, which shows the order, and the program
counts how many blocks of the factors a small cache would have to fetch again.
"""

import collections

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

M, N = 6, 8


def kernel(o_gmem, *, width):
  @plgpu.nd_loop((M * N,), collective_axes="sm")
  def _(info):
    (number,) = info.index
    m, n = plgpu.planar_snake(number, (M, N), 1, width)
    o_gmem[m, n] = jnp.full((128,), number, jnp.int32)


def order(width):
  times = plgpu.kernel(
      lambda o_gmem: kernel(o_gmem, width=width),
      out_type=jax.ShapeDtypeStruct((M, N, 128), jnp.int32),
      grid=(1,),
      grid_names=("sm",),
      interpret=InterpretGPUParams(),
  )()
  return np.asarray(times)[:, :, 0]


def fetches(times, capacity=5):
  """Blocks that a cache of so many blocks, oldest out first, has to fetch."""
  cache, count = collections.OrderedDict(), 0
  for tile in np.argsort(times, axis=None):
    m, n = divmod(int(tile), N)
    for block in (("row", m), ("column", n)):
      count += block not in cache
      cache[block] = None
      cache.move_to_end(block)
      if len(cache) > capacity:
        cache.popitem(last=False)
  return count


print(order(3))
for width in (1, 3, N):
  print(f"bands of {width}: {fetches(order(width))} blocks fetched")
