# A ring hands parts on into a slot that the neighbour may still read: nobody says that there is room.
# jax: runs
# found by a run
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

N = 4


def kernel(w_ref, o_ref, slots, copy_sem, send_sems, recv_sems):
    me = jax.lax.axis_index("ring")
    left, right = jax.lax.rem(me + N - 1, N), jax.lax.rem(me + 1, N)
    barrier = pltpu.get_barrier_semaphore()
    for neighbour in (left, right):
        pl.semaphore_signal(barrier, device_id=(neighbour,))
    pl.semaphore_wait(barrier, 2)
    first = pltpu.make_async_copy(w_ref, slots.at[0], copy_sem)
    first.start()
#   ^ PL410 error "which writes slots of device"
    first.wait()
    o_ref[...] = jnp.zeros_like(o_ref)
    for step in range(N):
        now, then = step % 2, (step + 1) % 2
        if step + 1 < N:
            copy = pltpu.make_async_remote_copy(
                slots.at[now], slots.at[then], send_sems.at[now], recv_sems.at[then], device_id=(right,)
            )
            copy.start()
#           ^ PL410 error "which reads slots of device"
        o_ref[...] += slots[now]
#                     ^ PL410 error "this read of slots of device"
        if step + 1 < N:
            copy.wait()


def total(w):
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(w.shape, w.dtype),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pltpu.VMEM),
        scratch_shapes=[
            pltpu.VMEM((2, *w.shape), w.dtype),
            pltpu.SemaphoreType.DMA,
            pltpu.SemaphoreType.DMA((2,)),
            pltpu.SemaphoreType.DMA((2,)),
        ],
        compiler_params=pltpu.CompilerParams(collective_id=0),
        interpret=pltpu.InterpretParams(detect_races=True),
    )(w)


mesh = jax.sharding.Mesh(np.array(jax.devices()), ("ring",))
w = jnp.arange(32.0 * 8).reshape(32, 8)
print(jax.shard_map(total, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"), check_vma=False)(w).shape)
