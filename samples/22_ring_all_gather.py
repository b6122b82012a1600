"""A ring of devices gathers an array: each hands on to its right neighbour what
came from the left.

Devices first say on the barrier semaphore that they have begun: a copy may not
arrive before the memory that it goes to belongs to this kernel. Each step has a
slot and a receive semaphore of its own, so that nobody waits for the wrong copy.

The devices are made up: `--xla_force_host_platform_device_count`.
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

DEVICES = 4


def neighbours():
  me = lax.axis_index("ring")
  return me, lax.rem(me + DEVICES - 1, DEVICES), lax.rem(me + 1, DEVICES)


def all_gather_kernel(x_ref, o_ref, local_sem, send_sem, recv_sems):
  me, left, right = neighbours()
  barrier = pltpu.get_barrier_semaphore()
  for neighbour in (left, right):
    pl.semaphore_signal(
        barrier, device_id=(neighbour,), device_id_type=pl.DeviceIdType.MESH
    )
  pl.semaphore_wait(barrier, 2)

  own = pltpu.make_async_copy(x_ref, o_ref.at[me], local_sem)
  own.start()
  own.wait()

  @pl.loop(0, DEVICES - 1)
  def _(step):
    slot = lax.rem(me - step + DEVICES, DEVICES)
    copy = pltpu.make_async_remote_copy(
        src_ref=o_ref.at[slot],
        dst_ref=o_ref.at[slot],
        send_sem=send_sem,
        recv_sem=recv_sems.at[step],
        device_id=(right,),
        device_id_type=pl.DeviceIdType.MESH,
    )
    copy.start()
    copy.wait()


def all_gather(x: jax.Array) -> jax.Array:
  return pl.pallas_call(
      all_gather_kernel,
      out_shape=jax.ShapeDtypeStruct((DEVICES, *x.shape), x.dtype),
      in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
      out_specs=pl.BlockSpec(memory_space=pl.ANY),
      scratch_shapes=[
          pltpu.SemaphoreType.DMA,
          pltpu.SemaphoreType.DMA,
          pltpu.SemaphoreType.DMA((DEVICES - 1,)),
      ],
      compiler_params=pltpu.CompilerParams(collective_id=0),
      interpret=pltpu.InterpretParams(detect_races=True),
  )(x)


mesh = jax.sharding.Mesh(np.array(jax.devices()[:DEVICES]), ("ring",))
x = jnp.arange(DEVICES * 8 * 128, dtype=jnp.float32).reshape(DEVICES * 8, 128)
gathered = jax.jit(
    jax.shard_map(
        all_gather, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"), check_vma=False
    )
)(x)
print(gathered.shape, gathered.dtype)
everywhere = np.asarray(gathered).reshape(DEVICES, *x.shape)
for device in range(DEVICES):
  print("device", device, "has all of it:", bool((everywhere[device] == np.asarray(x)).all()))
