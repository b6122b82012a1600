"""A tiled matrix product whose 512 programs copy their tiles themselves.

Prints the milliseconds that a program takes, the best of some launches that
are traced already: `python dma_matmul.py ROWS [races]`, or `pallas-tui run
--quiet dma_matmul.py ROWS [races]`, ROWS of a tile. With `races` accesses
that nothing orders are looked for. tests/src/bin/asynchronous.rs compares
the two.
"""

import functools
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

TILE_M, TILE_N, TILE_K = int(sys.argv[1]), 128, 128
GRID = (8, 8, 8)


def kernel(x_hbm, y_hbm, o_hbm, x_vmem, y_vmem, acc, sems):
  m, n, k = (pl.program_id(axis) for axis in range(3))
  rows, columns = pl.ds(m * TILE_M, TILE_M), pl.ds(n * TILE_N, TILE_N)
  inner = pl.ds(k * TILE_K, TILE_K)
  copies = [
      pltpu.make_async_copy(x_hbm.at[rows, inner], x_vmem, sems.at[0]),
      pltpu.make_async_copy(y_hbm.at[inner, columns], y_vmem, sems.at[1]),
  ]
  for copy in copies:
    copy.start()

  @pl.when(k == 0)
  def _():
    acc[...] = jnp.zeros_like(acc)

  for copy in copies:
    copy.wait()
  acc[...] += jnp.dot(x_vmem[...], y_vmem[...], preferred_element_type=jnp.float32)

  @pl.when(k == pl.num_programs(2) - 1)
  def _():
    out = pltpu.make_async_copy(acc, o_hbm.at[rows, columns], sems.at[0])
    out.start()
    out.wait()


@functools.partial(jax.jit, static_argnames=("races",))
def matmul(x, y, races):
  in_place = pl.BlockSpec(memory_space=pl.ANY)
  return pl.pallas_call(
      kernel,
      out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), jnp.float32),
      grid=GRID,
      in_specs=[in_place, in_place],
      out_specs=in_place,
      scratch_shapes=[
          pltpu.VMEM((TILE_M, TILE_K), jnp.float32),
          pltpu.VMEM((TILE_K, TILE_N), jnp.float32),
          pltpu.VMEM((TILE_M, TILE_N), jnp.float32),
          pltpu.SemaphoreType.DMA((2,)),
      ],
      interpret=pltpu.InterpretParams(detect_races=races),
  )(x, y)


races = "races" in sys.argv[2:]
x = jax.random.normal(jax.random.key(0), (GRID[0] * TILE_M, GRID[2] * TILE_K))
y = jax.random.normal(jax.random.key(1), (GRID[2] * TILE_K, GRID[1] * TILE_N))
result = matmul(x, y, races).block_until_ready()
np.testing.assert_allclose(result, x @ y, rtol=1e-4, atol=1e-3)
times = []
for _ in range(3):
  start = time.perf_counter()
  matmul(x, y, races).block_until_ready()
  times.append(time.perf_counter() - start)
print(1e3 * min(times) / (GRID[0] * GRID[1] * GRID[2]))
