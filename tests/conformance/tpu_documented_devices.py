"""Patterns of JAX's documentation of distributed TPU kernels, in other words: copies between named devices, a gathering round a
ring with a step per program, and a reduction whose parts go both ways. (`tpu_devices_*.py` have more of them.)"""

import functools
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

N = 4
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
ANY = pl.BlockSpec(memory_space=pl.ANY)
DMA = pltpu.SemaphoreType.DMA
MODES = (pltpu.InterpretParams(), pltpu.InterpretParams(dma_execution_mode="eager"))


def over_devices(function, *arguments, spec=P("x")):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))(*arguments)


# Device 0 sends to 1; 2 and 3 send to each other. Who sends waits for that, who receives waits for the other.
def some_copy(x_ref, o_ref, sent, arrived):
    me = lax.axis_index("x")
    to = [pltpu.make_async_remote_copy(x_ref, o_ref, sent, arrived, device_id=d) for d in range(N)]

    @pl.when(me == 0)
    def _():
        to[1].start()
        to[1].wait_send()

    @pl.when(me == 1)
    def _():
        to[1].wait_recv()

    for one, other in ((2, 3), (3, 2)):

        @pl.when(me == one)
        def _():
            to[other].start()
            to[other].wait_send()
            to[one].wait_recv()


x = jnp.arange(N * 8 * 128, dtype=jnp.float32).reshape(N * 8, 128)
for mode in MODES:
    call = pl.pallas_call(
        some_copy, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), scratch_shapes=[DMA, DMA], interpret=mode
    )
    print(over_devices(call, x)[::8, 1])


# Each program hands on what came last.
def gather(x_ref, o_ref, copied, sent, arrived):
    step = pl.program_id(0)
    me = lax.axis_index("x")
    right = lax.rem(me + 1, N)
    slot = lax.rem(me - step + N, N)

    @pl.when(step == 0)
    def _():
        own = pltpu.make_async_copy(x_ref, o_ref.at[me], copied)
        own.start()
        own.wait()

    copy = pltpu.make_async_remote_copy(
        o_ref.at[slot], o_ref.at[slot], sent, arrived.at[step], device_id=(right,), device_id_type=pl.DeviceIdType.MESH
    )
    copy.start()
    copy.wait()


for mode in MODES:
    call = pl.pallas_call(
        gather,
        out_shape=jax.ShapeDtypeStruct((N, 8, 128), jnp.float32),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=0, grid=(N - 1,), in_specs=[ANY], out_specs=ANY, scratch_shapes=[DMA, DMA, DMA((N - 1,))]
        ),
        interpret=mode,
    )
    gathered = over_devices(call, x)
    print(gathered.shape, gathered[:, 0, 1].reshape(N, N))


# Neighbours meet twice: at the barrier semaphore, and at a semaphore of a scope, so that nobody is a kernel ahead.
def meet(left, right):
    barrier = pltpu.get_barrier_semaphore()
    for neighbour in (left, right):
        pl.semaphore_signal(barrier, 1, device_id=(neighbour,), device_id_type=pl.DeviceIdType.MESH)
    pl.semaphore_wait(barrier, 2)

    @functools.partial(pl.run_scoped, again=pltpu.SemaphoreType.REGULAR)
    def _(again):
        for neighbour in (left, right):
            pl.semaphore_signal(again, 1, device_id=(neighbour,), device_id_type=pl.DeviceIdType.MESH)
        pl.semaphore_wait(again, 2)


# The sum of all, a double buffer in main memory that is an output of its own; a capacity semaphore says who may send.
def total(x_ref, o_ref, buffer_ref, copied, arrived, sent, room, received):
    step = pl.program_id(0)
    now, then = lax.rem(step, 2), 1 - lax.rem(step, 2)
    me = lax.axis_index("x")
    right, left = lax.rem(me + 1, N), lax.rem(me - 1 + N, N)

    @pl.when(step == 0)
    def _():
        meet(left, right)
        o_ref[...] = jnp.zeros_like(o_ref)
        received[...] = jnp.zeros_like(received)
        first = pltpu.make_async_remote_copy(x_ref, buffer_ref.at[now], sent, arrived, device_id=(right,))
        first.start()
        first.wait()

    pl.semaphore_signal(room, 1, device_id=(left,))
    local = pltpu.make_async_copy(buffer_ref.at[now], received, copied)
    local.start()
    pl.semaphore_wait(room, 1)
    remote = pltpu.make_async_remote_copy(
        buffer_ref.at[now], buffer_ref.at[then], sent, arrived, device_id=(right,)
    )
    remote.start()
    local.wait()
    o_ref[...] += received[...]
    remote.wait()


for mode in (*MODES, pltpu.InterpretParams(detect_races=True)):
    call = pl.pallas_call(
        total,
        out_shape=(jax.ShapeDtypeStruct((8, 128), jnp.float32), jax.ShapeDtypeStruct((2, 8, 128), jnp.float32)),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=0,
            grid=(N,),
            in_specs=[pl.BlockSpec(memory_space=pltpu.VMEM)],
            out_specs=[pl.BlockSpec(memory_space=pltpu.VMEM), ANY],
            scratch_shapes=[DMA, DMA, DMA, pltpu.SemaphoreType.REGULAR, pltpu.VMEM((8, 128), jnp.float32)],
        ),
        compiler_params=pltpu.CompilerParams(collective_id=0),
        interpret=mode,
    )
    sums = over_devices(lambda x: call(x)[0], x)
    print(sums[::8, 5], bool((sums[:8] == x.reshape(N, 8, 128).sum(0)).all()))
