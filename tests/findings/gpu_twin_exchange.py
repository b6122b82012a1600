# The broken twin of samples/32: each device waits to be told before it tells the other one.
# jax: not run
# found by a run, and before
import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.sharding import PartitionSpec as P

TILE = 128
SLOTS = 2


def exchange_kernel(x_gmem, y_gmem, tiles, arrived, begun, written):
  neighbour = 1 - lax.axis_index("x")
  neighbour_y = plgpu.remote_ref(y_gmem, neighbour)
  pl.semaphore_signal(begun, device_id=neighbour)
  pl.semaphore_wait(begun)

  @pl.loop(0, x_gmem.shape[0] // TILE)
  def _(step):
    rows = pl.ds(step * TILE, TILE)
    slot = lax.rem(step, SLOTS)
    plgpu.wait_smem_to_gmem(SLOTS - 1, wait_read_only=True)
    plgpu.copy_gmem_to_smem(x_gmem.at[rows], tiles.at[slot], arrived)
    plgpu.barrier_wait(arrived)
    plgpu.copy_smem_to_gmem(tiles.at[slot], neighbour_y.at[rows])

  plgpu.wait_smem_to_gmem(0)
  pl.semaphore_wait(written)
# ^ PL401 error "thread 0 of device 1 waits for written to reach 1; it is at 0"
  pl.semaphore_signal(written, device_id=neighbour)


def exchange(x):
  return plgpu.kernel(
      exchange_kernel,
      out_type=x,
      scratch_types=[
          plgpu.SMEM((SLOTS, TILE), x.dtype),
          plgpu.Barrier(),
          plgpu.SemaphoreType.REGULAR,
          plgpu.SemaphoreType.REGULAR,
      ],
      interpret=InterpretGPUParams(),
  )(x)


mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
x = jnp.arange(2 * 512, dtype=jnp.float32)
exchanged = jax.jit(
    jax.shard_map(exchange, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
)(x)
print(exchanged.shape)
