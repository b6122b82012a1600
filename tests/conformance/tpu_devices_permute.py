"""Copies between devices: to the right neighbour, by coordinates and by number; sent and received apart; to itself."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

ring = jax.sharding.Mesh(np.array(jax.devices()[:4]), ("x",))
grid = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 4), ("a", "b"))


def launch(kernel, x, mode="on_wait", space=pl.ANY):
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        in_specs=[pl.BlockSpec(memory_space=space)],
        out_specs=pl.BlockSpec(memory_space=space),
        scratch_shapes=[pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA],
        compiler_params=pltpu.CompilerParams(collective_id=5),
        interpret=pltpu.InterpretParams(dma_execution_mode=mode, detect_races=True),
    )(x)


def spread(kernel, mesh, spec, x, **options):
    function = lambda x: launch(kernel, x, **options)
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))(x)


def meet(source):
    """Says to the device that copies here that this one has begun, and waits until the one that this one copies to says so."""
    barrier = pltpu.get_barrier_semaphore()
    pl.semaphore_signal(barrier, device_id=source)
    pl.semaphore_wait(barrier, 1)


def by_number(x_ref, o_ref, send, recv):
    right = lax.rem(lax.axis_index("x") + 1, 4)
    meet((lax.rem(lax.axis_index("x") + 3, 4),))
    copy = pltpu.make_async_remote_copy(
        x_ref, o_ref, send, recv, device_id=right, device_id_type=pl.DeviceIdType.LOGICAL
    )
    copy.start()
    copy.wait()


def apart(x_ref, o_ref, send, recv):
    right = lax.rem(lax.axis_index("x") + 1, 4)
    meet((lax.rem(lax.axis_index("x") + 3, 4),))
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(right,))
    copy.start()
    copy.wait_send()
    copy.wait_recv()


def to_itself(x_ref, o_ref, send, recv):
    meet((lax.axis_index("x"),))
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(lax.axis_index("x"),))
    copy.start()
    copy.wait()


def transposed(x_ref, o_ref, send, recv):
    """From row a, column b of the mesh to the other row, one column on."""
    a, b = lax.axis_index("a"), lax.axis_index("b")
    meet((1 - a, lax.rem(b + 3, 4)))
    copy = pltpu.make_async_remote_copy(
        x_ref, o_ref, send, recv, device_id=(1 - a, lax.rem(b + 1, 4)), device_id_type=pl.DeviceIdType.MESH
    )
    copy.start()
    copy.wait()


def along_one_axis(x_ref, o_ref, send, recv):
    """A device of the same row, named by its column alone."""
    b = lax.axis_index("b")
    meet({"b": lax.rem(b + 1, 4)})
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id={"b": lax.rem(b + 3, 4)})
    copy.start()
    copy.wait()


x = jnp.arange(4 * 2 * 4, dtype=jnp.float32).reshape(8, 4)
for mode in ("eager", "on_wait"):
    print(mode)
    print(spread(by_number, ring, P("x"), x, mode=mode))
    print(spread(apart, ring, P("x"), x, mode=mode))
    print(spread(to_itself, ring, P("x"), x, mode=mode)[::3])
print(spread(by_number, ring, P("x"), x, space=pltpu.VMEM)[::2])

y = jnp.arange(16, dtype=jnp.int32).reshape(4, 4)
print(spread(transposed, grid, P("a", "b"), y))
print(spread(along_one_axis, grid, P("a", "b"), y))
print(spread(along_one_axis, grid, P(None, "b"), y))
