# A semaphore counts bytes, and does not know of which copy they are.
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
main = pl.BlockSpec(memory_space=pl.ANY)


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


def used_between_the_waits(x_ref, o_ref, buffer, sem):
    right = lax.rem(lax.axis_index("x") + 1, 4)
    copy = pltpu.make_async_remote_copy(x_ref, buffer, sem, sem, device_id=(right,))
    copy.start()
#   ^ PL425 warning "sem counts both what this copy has sent and what has arrived here"
    copy.wait_recv()
    o_ref[...] = x_ref[...] + buffer[...]
    copy.wait_send()


def again_and_again(x_ref, o_ref, buffer, sem):
    right = lax.rem(lax.axis_index("x") + 1, 4)
    o_ref[...] = x_ref[...]

    def step(number, _):
        copy = pltpu.make_async_remote_copy(
            buffer.at[number % 2], buffer.at[(number + 1) % 2], sem, sem, device_id=(right,)
        )
        copy.start()
#       ^ PL425 warning "a neighbour that is one copy ahead"
        copy.wait()
        o_ref[...] += buffer[(number + 1) % 2]

    buffer[0] = x_ref[...]
    lax.fori_loop(0, 3, step, None)


def two_under_way(x_ref, o_ref, first, second, send, recv):
    right = lax.rem(lax.axis_index("x") + 1, 4)
    left = lax.rem(lax.axis_index("x") + 3, 4)
    one = pltpu.make_async_remote_copy(x_ref, first, send.at[0], recv, device_id=(right,))
    other = pltpu.make_async_remote_copy(x_ref, second, send.at[1], recv, device_id=(left,))
    one.start()
    other.start()
    one.wait_recv()
#   ^ PL425 warning "this wait is satisfied by either of two copies that recv counts"
    o_ref[...] = x_ref[...] + first[...]
    other.wait_recv()
    o_ref[...] += second[...]
    one.wait_send()
    other.wait_send()


block = pltpu.VMEM((8,), jnp.float32)
dma = pltpu.SemaphoreType.DMA
launch(used_between_the_waits, block, dma)
launch(again_and_again, pltpu.VMEM((2, 8), jnp.float32), dma)
launch(two_under_way, block, block, dma((2,)), dma)
