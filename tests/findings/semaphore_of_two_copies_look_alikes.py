# Semaphores of one copy, or of several that are all waited for before anything is used.
# jax: runs
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))


def launch(kernel, *scratch):
    def shift(x):
        return pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
            in_specs=[pl.BlockSpec(memory_space=pltpu.VMEM)],
            out_specs=pl.BlockSpec(memory_space=pltpu.VMEM),
            scratch_shapes=scratch,
            interpret=pltpu.InterpretParams(),
        )(x)

    jax.shard_map(shift, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)(jnp.arange(32.0))


def neighbours():
    me = lax.axis_index("x")
    return lax.rem(me + 1, 4), lax.rem(me + 3, 4)


def one_copy(x_ref, o_ref, sem):
    # Behind both waits both ends are done, whichever was first.
    right, _ = neighbours()
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, sem, sem, device_id=(right,))
    copy.start()
    copy.wait()


def a_slot_each(x_ref, o_ref, buffer, send, recv):
    right, left = neighbours()
    one = pltpu.make_async_remote_copy(x_ref, buffer.at[0], send.at[0], recv.at[0], device_id=(right,))
    other = pltpu.make_async_remote_copy(x_ref, buffer.at[1], send.at[1], recv.at[1], device_id=(left,))
    one.start()
    other.start()
    one.wait()
    o_ref[...] = x_ref[...] + buffer[0]
    other.wait()
    o_ref[...] += buffer[1]


def all_before_use(x_ref, o_ref, buffer, send, recv):
    right, left = neighbours()
    one = pltpu.make_async_remote_copy(x_ref, buffer.at[0], send, recv, device_id=(right,))
    other = pltpu.make_async_remote_copy(x_ref, buffer.at[1], send, recv, device_id=(left,))
    one.start()
    other.start()
    one.wait()
    other.wait()
    o_ref[...] = x_ref[...] + buffer[0] + buffer[1]


def one_after_the_other(x_ref, o_ref, buffer, send, recv):
    right, left = neighbours()
    for slot, device in ((0, right), (1, left)):
        copy = pltpu.make_async_remote_copy(x_ref, buffer.at[slot], send, recv, device_id=(device,))
        copy.start()
        copy.wait()
    o_ref[...] = x_ref[...] + buffer[0] + buffer[1]


block = pltpu.VMEM((2, 8), jnp.float32)
dma = pltpu.SemaphoreType.DMA
launch(one_copy, dma)
launch(a_slot_each, block, dma((2,)), dma((2,)))
launch(all_before_use, block, dma, dma)
launch(one_after_the_other, block, dma, dma)
