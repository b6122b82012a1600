"""Each device ends up with its part of a sum: parts go both ways round the ring, and are added by a pipeline inside of the
kernel while the next ones are on their way."""

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
ROWS, COLUMNS = 16, 8
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("ring",))


def kernel(x_ref, o_ref, slots_ref, send_sem, recv_sem, copy_sem, room_sem):
    step = pl.program_id(0)
    now, then = lax.rem(step, 2), 1 - lax.rem(step, 2)
    me = lax.axis_index("ring")
    left, right = lax.rem(me + N - 1, N), lax.rem(me + 1, N)

    @pl.when(step == 0)
    def begin():
        barrier = pltpu.get_barrier_semaphore()
        for neighbour in (left, right):
            pl.semaphore_signal(barrier, device_id=(neighbour,))
        pl.semaphore_wait(barrier, 2)

        # A second barrier in memory of its own: nobody enters again before all have left.
        def again(second):
            for neighbour in (left, right):
                pl.semaphore_signal(second, device_id=(neighbour,))
            pl.semaphore_wait(second, 2)

        pl.run_scoped(again, pltpu.SemaphoreType.REGULAR)
        first = pltpu.make_async_remote_copy(
            x_ref.at[lax.rem(me + N - 1, N)], slots_ref.at[0], send_sem, recv_sem, device_id=(right,)
        )
        first.start()
        first.wait()
        pl.semaphore_signal(room_sem, device_id=(left,))

    part = lax.rem(me - step + 2 * N - 2, N)

    def add(mine_ref, theirs_ref, sum_ref):
        sum_ref[...] = mine_ref[...] + theirs_ref[...]

    block = pl.BlockSpec((8, COLUMNS), lambda i: (i, 0))
    pltpu.emit_pipeline(add, grid=(ROWS // 8,), in_specs=[block, block], out_specs=block)(
        x_ref.at[part], slots_ref.at[now], slots_ref.at[now]
    )

    @pl.when(step < N - 2)
    def on():
        pl.semaphore_wait(room_sem, 1)
        copy = pltpu.make_async_remote_copy(
            slots_ref.at[now], slots_ref.at[then], send_sem, recv_sem, device_id=(right,)
        )
        copy.start()
        copy.wait()
        pl.semaphore_signal(room_sem, device_id=(left,))

    @pl.when(step == N - 2)
    def end():
        copy = pltpu.make_async_copy(slots_ref.at[now], o_ref, copy_sem)
        copy.start()
        copy.wait()
        pl.semaphore_wait(room_sem, 1)


def reduce_scatter(x):
    return pl.pallas_call(
        kernel,
        out_shape=(
            jax.ShapeDtypeStruct((ROWS, COLUMNS), x.dtype),
            jax.ShapeDtypeStruct((2, ROWS, COLUMNS), x.dtype),
        ),
        grid=(N - 1,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=[pl.BlockSpec(memory_space=pl.ANY), pl.BlockSpec(memory_space=pl.ANY)],
        scratch_shapes=[pltpu.SemaphoreType.DMA] * 3 + [pltpu.SemaphoreType.REGULAR],
        compiler_params=pltpu.CompilerParams(collective_id=3),
        interpret=pltpu.InterpretParams(detect_races=True),
    )(x.reshape(N, ROWS, COLUMNS))[0]


x = jnp.arange(N * ROWS * N * COLUMNS, dtype=jnp.float32).reshape(N * ROWS, N * COLUMNS) % 29
jax.set_mesh(mesh)
mapped = jax.shard_map(reduce_scatter, in_specs=P(None, "ring"), out_specs=P("ring"), check_vma=False)
expected = jax.shard_map(
    lambda x: lax.psum_scatter(x.reshape(N, ROWS, COLUMNS), "ring"),
    mesh=mesh,
    in_specs=P(None, "ring"),
    out_specs=P("ring"),
)
# The pipeline asks which chip it is for.
chip = jax.sharding.AbstractDevice(device_kind="TPU v6e", num_cores=1, platform="tpu")
with jax.sharding.use_abstract_mesh(mesh.abstract_mesh.update(abstract_device=chip)):
    result = jax.jit(mapped)(x)
print(result.shape, bool((result == jax.jit(expected)(x)).all()))
print(result[::8])
