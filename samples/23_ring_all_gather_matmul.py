"""A product whose right factor is spread over a ring of devices: while a part of it
is multiplied, it is on its way to the right neighbour.

Two slots hold the part that is multiplied and the part that arrives. A device may
write into its neighbour's slot only after the neighbour has said, on a semaphore
of its own, that it is done with what was there.
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


def matmul_kernel(x_ref, w_ref, o_ref, slots, copy_sem, send_sems, recv_sems, free_sem):
  me = lax.axis_index("ring")
  left = lax.rem(me + DEVICES - 1, DEVICES)
  right = lax.rem(me + 1, DEVICES)

  def tell(semaphore, neighbour):
    pl.semaphore_signal(
        semaphore, device_id=(neighbour,), device_id_type=pl.DeviceIdType.MESH
    )

  barrier = pltpu.get_barrier_semaphore()
  tell(barrier, left)
  tell(barrier, right)
  pl.semaphore_wait(barrier, 2)

  first = pltpu.make_async_copy(w_ref, slots.at[0], copy_sem)
  first.start()
  first.wait()
  # The other slot is free from the beginning.
  tell(free_sem, left)

  for step in range(DEVICES):
    now, then = step % 2, (step + 1) % 2
    hands_on = step + 1 < DEVICES
    if hands_on:
      pl.semaphore_wait(free_sem, 1)
      copy = pltpu.make_async_remote_copy(
          src_ref=slots.at[now],
          dst_ref=slots.at[then],
          send_sem=send_sems.at[now],
          recv_sem=recv_sems.at[then],
          device_id=(right,),
          device_id_type=pl.DeviceIdType.MESH,
      )
      copy.start()
    # These rows of w belong to the device that the part comes from.
    owner = lax.rem(me - step + DEVICES, DEVICES)
    rows = slots.shape[1]
    part = jnp.dot(
        x_ref[:, pl.ds(owner * rows, rows)],
        slots[now],
        preferred_element_type=jnp.float32,
    )
    o_ref[...] = part if step == 0 else o_ref[...] + part
    if hands_on:
      copy.wait()
    if step + 2 < DEVICES:
      tell(free_sem, left)


def matmul(x: jax.Array, w: jax.Array) -> jax.Array:
  rows, columns = w.shape
  return pl.pallas_call(
      matmul_kernel,
      out_shape=jax.ShapeDtypeStruct((x.shape[0], columns), jnp.float32),
      in_specs=[
          pl.BlockSpec(memory_space=pltpu.VMEM),
          pl.BlockSpec(memory_space=pl.ANY),
      ],
      out_specs=pl.BlockSpec(memory_space=pltpu.VMEM),
      scratch_shapes=[
          pltpu.VMEM((2, rows, columns), w.dtype),
          pltpu.SemaphoreType.DMA,
          pltpu.SemaphoreType.DMA((2,)),
          pltpu.SemaphoreType.DMA((2,)),
          pltpu.SemaphoreType.REGULAR,
      ],
      compiler_params=pltpu.CompilerParams(collective_id=1),
      interpret=pltpu.InterpretParams(detect_races=True),
  )(x, w)


mesh = jax.sharding.Mesh(np.array(jax.devices()[:DEVICES]), ("ring",))
x = jax.random.randint(jax.random.key(0), (64, 128), -4, 5).astype(jnp.float32)
w = jax.random.randint(jax.random.key(1), (128, 128), -4, 5).astype(jnp.float32)
result = jax.jit(
    jax.shard_map(
        matmul,
        mesh=mesh,
        in_specs=(P("ring", None), P("ring", None)),
        out_specs=P("ring", None),
        check_vma=False,
    )
)(x, w)
print(result.shape, bool((np.asarray(result) == np.asarray(x @ w)).all()))
print(result[::16, ::32])
