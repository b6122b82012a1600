# Copies to a neighbour and within a device, on semaphores that no wait of the kernel is for.
# jax: not run
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))


def begin(right):
    barrier = pltpu.get_barrier_semaphore()
    pl.semaphore_signal(barrier, device_id=(jax.lax.rem(right + 2, 4),))
    pl.semaphore_signal(barrier, device_id=(right,))
    pl.semaphore_wait(barrier, 2)


def remote(x_ref, o_ref, send, recv, local):
    right = jax.lax.rem(jax.lax.axis_index("x") + 1, 4)
    begin(right)
    pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(right,)).start()
#   ^ PL402 error "no wait of the kernel is for recv"


def within(x_ref, o_ref, send, recv, local):
    right = jax.lax.rem(jax.lax.axis_index("x") + 1, 4)
    begin(right)
    copy = pltpu.make_async_copy(x_ref, o_ref, local)
    copy.start()
#   ^ PL402 error "no wait of the kernel is for local"
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(right,))
    copy.start()
    copy.wait()


def arrival_forgotten(x_ref, o_ref, send, recv, local):
    right = jax.lax.rem(jax.lax.axis_index("x") + 1, 4)
    begin(right)
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(right,))
    copy.start()
#   ^ PL402 error "no wait of the kernel is for recv"
    copy.wait_send()


def sending_forgotten(x_ref, o_ref, send, recv, local):
    right = jax.lax.rem(jax.lax.axis_index("x") + 1, 4)
    begin(right)
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(right,))
    copy.start()
#   ^ PL402 error "no wait of the kernel is for send"
    copy.wait_recv()


def awaited_later(x_ref, o_ref, send, recv, local):
    right = jax.lax.rem(jax.lax.axis_index("x") + 1, 4)
    begin(right)
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(right,))

    @pl.when(right >= 0)
    def _():
        copy.start()

    @pl.when(right >= 0)
    def _():
        copy.wait()


def launched(kernel):
    def shift(x):
        return pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
            in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
            out_specs=pl.BlockSpec(memory_space=pl.ANY),
            scratch_shapes=[pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA],
            compiler_params=pltpu.CompilerParams(collective_id=0),
            interpret=pltpu.InterpretParams(),
        )(x)

    return jax.shard_map(shift, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)


x = jnp.arange(32.0).reshape(32)
for kernel in (remote, within, arrival_forgotten, sending_forgotten, awaited_later):
    launched(kernel)(x)
