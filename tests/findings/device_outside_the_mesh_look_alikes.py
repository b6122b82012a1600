# Rings that are closed, and ends that leave the copy out.
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

ring = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
square = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
main = pl.BlockSpec(memory_space=pl.ANY)


def launch(mesh, kernel, *of_each):
    def shift(x):
        scalars = [scalar() for scalar in of_each]
        return pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
            in_specs=[main] + [pl.BlockSpec(memory_space=pltpu.SMEM) for _ in scalars],
            out_specs=main,
            scratch_shapes=[pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA],
            interpret=pltpu.InterpretParams(),
        )(x, *scalars)

    spec = P(mesh.axis_names)
    jax.shard_map(shift, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)(jnp.arange(32.0))


def closed(x_ref, o_ref, send, recv):
    me = lax.axis_index("x")
    left = lax.rem(me + 3, 4)
    right = jnp.where(me == 3, 0, me + 1)
    for device in (left, right, (me - 1) % 4):
        copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(device,))
        copy.start()
        copy.wait()


def open_at_the_end(x_ref, o_ref, send, recv):
    me = lax.axis_index("x")
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(me + 1,))

    @pl.when(me < 3)
    def _():
        copy.start()
        copy.wait_send()

    @pl.when(me > 0)
    def _():
        copy.wait_recv()


def along_one_axis(x_ref, o_ref, send, recv):
    x, y = lax.axis_index("x"), lax.axis_index("y")
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(x, lax.rem(y + 1, 2)))
    copy.start()
    copy.wait()


def by_number(x_ref, o_ref, send, recv):
    # The next of all devices, whichever row it is in.
    me = lax.axis_index("x") * 2 + lax.axis_index("y")
    copy = pltpu.make_async_remote_copy(
        x_ref, o_ref, send, recv, device_id=lax.rem(me + 1, 4), device_id_type=pl.DeviceIdType.LOGICAL
    )
    copy.start()
    copy.wait()


def from_an_array(x_ref, device_ref, o_ref, send, recv):
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(device_ref[0],))
    copy.start()
    copy.wait()


launch(ring, closed)
launch(ring, open_at_the_end)
launch(square, along_one_axis)
launch(square, by_number)
launch(ring, from_an_array, lambda: lax.rem(lax.axis_index("x") + 1, 4).reshape(1))
