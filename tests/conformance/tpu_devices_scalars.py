"""Scalars that each device fetches for itself, in kernels whose devices act on each other: in the kernel and in index maps."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

DEVICES = 4
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("ring",))


# Each device says how far its rows go, and which block it begins with.
def shift(order_ref, far_ref, x_ref, o_ref, sums_ref, arrived, sent, own):
    me = lax.axis_index("ring")
    step = pl.program_id(0)

    @pl.when(step == 0)
    def _():
        far = far_ref[0]
        copy = pltpu.make_async_remote_copy(
            x_ref, own, sent, arrived, device_id=(lax.rem(me + far, DEVICES),)
        )
        copy.start()
        copy.wait()
        sums_ref[0] = jnp.int32(0)

    o_ref[...] = own[...] * (step + 1) + order_ref[step]
    sums_ref[0] += order_ref[step] * 10**step


def launch(order, far, x, interpret):
    return pl.pallas_call(
        shift,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=2,
            grid=(3,),
            in_specs=[pl.BlockSpec((8, 128), lambda i, order, far: (order[0] * 0, 0))],
            out_specs=(
                pl.BlockSpec((8, 128), lambda i, order, far: (order[i], 0)),
                pl.BlockSpec(memory_space=pltpu.SMEM),
            ),
            scratch_shapes=[pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA, pltpu.VMEM((8, 128), jnp.int32)],
        ),
        out_shape=(jax.ShapeDtypeStruct((24, 128), jnp.int32), jax.ShapeDtypeStruct((1,), jnp.int32)),
        interpret=interpret,
    )(order, far, x)


order = jnp.array([[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]], jnp.int32).reshape(-1)
x = jnp.arange(DEVICES * 8 * 128, dtype=jnp.int32).reshape(DEVICES * 8, 128)
for far in ([1, 1, 1, 1], [2, 2, 2, 2], [3, 1, 3, 1]):
    for interpret in (pltpu.InterpretParams(), pltpu.InterpretParams(dma_execution_mode="eager")):
        run = jax.shard_map(
            lambda order, far, x: launch(order, far, x, interpret),
            mesh=mesh,
            in_specs=(P("ring"), P("ring"), P("ring")),
            out_specs=P("ring"),
            check_vma=False,
        )
        o, sums = run(order, jnp.array(far, jnp.int32), x)
        print(o[::8, 0], sums)


# A whole table of scalars goes on as a Ref: each device copies its own.
def table(t_ref, x_ref, o_ref, numbers, copied, ready):
    me = lax.axis_index("ring")
    pl.semaphore_signal(ready, 1, device_id=(lax.rem(me + 1, DEVICES),))
    pl.semaphore_wait(ready, 1)
    view = t_ref.at[pl.ds(1, 2)]
    o_ref[...] = x_ref[...] + view[0] * 100 + view[1]
    pltpu.make_async_copy(t_ref, numbers, copied).start()
    pltpu.make_async_copy(t_ref, numbers, copied).wait()
    o_ref[...] += numbers[0] * 10000


def tables(t, x):
    return pl.pallas_call(
        table,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(1,),
            in_specs=[pl.BlockSpec(memory_space=pltpu.VMEM)],
            out_specs=pl.BlockSpec(memory_space=pltpu.VMEM),
            scratch_shapes=[pltpu.SMEM((3,), jnp.int32), pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR],
        ),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        interpret=pltpu.InterpretParams(),
    )(t, x)


t = jnp.arange(12, dtype=jnp.int32)
run = jax.jit(jax.shard_map(tables, mesh=mesh, in_specs=(P("ring"), P("ring")), out_specs=P("ring"), check_vma=False))
print(run(t, x)[::8, :2])
