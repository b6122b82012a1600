"""Two GPUs exchange arrays over NVLink: each writes into the other's memory.

`plgpu.remote_ref` is the same Ref on another device. A copy out of shared
memory goes there like anywhere else, and `wait_smem_to_gmem` says when it has
landed. The neighbour knows of nothing of this: a semaphore tells it, and it
may read only what it has been told of. Before anybody writes, both say that
they have begun: until then that memory may belong to what ran before.

The devices are made up: `--xla_force_host_platform_device_count`.

JAX 0.10.2 runs this kernel on a GPU only; what arrives is compared with what
was sent.
"""

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
    # All copies but the last have been read: this slot is free.
    plgpu.wait_smem_to_gmem(SLOTS - 1, wait_read_only=True)
    plgpu.copy_gmem_to_smem(x_gmem.at[rows], tiles.at[slot], arrived)
    plgpu.barrier_wait(arrived)
    plgpu.copy_smem_to_gmem(tiles.at[slot], neighbour_y.at[rows])

  # All copies have landed, and not only been read: now the neighbour is told.
  plgpu.wait_smem_to_gmem(0)
  pl.semaphore_signal(written, device_id=neighbour)
  # Nobody leaves before the neighbour has written here.
  pl.semaphore_wait(written)


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
np.testing.assert_array_equal(exchanged, jnp.roll(x, 512))
print("exchanged:", exchanged.shape, "device 0 begins with", exchanged[0], "and device 1 with", exchanged[512])
