# Neighbours in a ring that is not closed: the last device has none on the right, the first none on the left.
# jax: JaxRuntimeError
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


def launch(mesh, kernel, params=None):
    def shift(x):
        return pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
            in_specs=[main],
            out_specs=main,
            scratch_shapes=[pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA],
            interpret=pltpu.InterpretParams(),
            compiler_params=params or pltpu.CompilerParams(),
        )(x)

    spec = P(mesh.axis_names)
    jax.shard_map(shift, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)(jnp.arange(32.0))


def to_the_right(x_ref, o_ref, send, recv):
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(lax.axis_index("x") + 1,))
    copy.start()
#   ^ PL424 error "this copies to device 4, and there are 4, numbered from 0"
    copy.wait()


def to_both(x_ref, o_ref, send, recv):
    me = lax.axis_index("x")
    barrier = pltpu.get_barrier_semaphore()
    pl.semaphore_signal(barrier, device_id=(lax.rem(me - 1, 4),))
#   ^ PL424 error "the remainder of a negative number is negative"
    pl.semaphore_signal(barrier, device_id=(lax.rem(me + 1, 4),))
    pl.semaphore_wait(barrier, 2)
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(lax.rem(me + 1, 4),))
    copy.start()
    copy.wait()


def along_one_axis(x_ref, o_ref, send, recv):
    neighbour = (lax.axis_index("x"), lax.axis_index("y") + 1)
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=neighbour)
    copy.start()
#   ^ PL424 error "a device with number 2 along axis 1 of the mesh, and there are 2"
    copy.wait()


def by_name(x_ref, o_ref, send, recv):
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id={"x": lax.axis_index("x") - 1})
    copy.start()
#   ^ PL424 error "a device with number -1 along axis 0 of the mesh"
    copy.wait()


launch(ring, to_the_right)
launch(ring, to_both, pltpu.CompilerParams(collective_id=0))
launch(square, along_one_axis)
launch(square, by_name)
