"""Copies of parts whose length the kernel computes: `pl.ds(start, size)` with a traced size, on both ends of a copy."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

X = jnp.arange(32 * 4, dtype=jnp.float32).reshape(32, 4)
LENGTHS = jnp.array([5, 3, 0, 16], jnp.int32)
PARAMS = pltpu.InterpretParams(uninitialized_memory="zero")


def call(kernel, scratch, grid=(1,), shape=(32, 4), dtype=jnp.float32, x=X):
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(shape, dtype),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=grid,
            in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
            out_specs=pl.BlockSpec(memory_space=pl.ANY),
            scratch_shapes=scratch,
        ),
        interpret=PARAMS,
    )(LENGTHS, x)


# Rows of a buffer, on the way in and on the way out; where there are none, nothing is copied.
def rows(lengths, x_ref, o_ref, buffer, sem):
    for i in range(4):
        n = lengths[i]
        part = buffer.at[pl.ds(0, n)]
        pltpu.make_async_copy(x_ref.at[pl.ds(i, n)], part, sem).start()
        pltpu.make_async_copy(x_ref.at[pl.ds(i, n)], part, sem).wait()
        pltpu.sync_copy(part, o_ref.at[pl.ds(4 * i, n)])


print(call(rows, [pltpu.VMEM((16, 4), jnp.float32), pltpu.SemaphoreType.DMA])[:, 0])


# One wait for the bytes of several copies; the extent is a value like others.
def waited_together(lengths, x_ref, o_ref, buffer, sem):
    done = 0
    for i in range(2):
        n = lengths[i]
        pltpu.make_async_copy(x_ref.at[pl.ds(2 * i, n)], buffer.at[pl.ds(done, n)], sem).start()
        done += n
    all_of_it = buffer.at[pl.ds(0, done)]
    pltpu.make_async_copy(all_of_it, all_of_it, sem).wait()
    print(len(all_of_it.shape), all_of_it.shape[1], all_of_it.ndim)
    pltpu.sync_copy(all_of_it, o_ref.at[pl.ds(jnp.int32(all_of_it.shape[0]), done)])


print(call(waited_together, [pltpu.VMEM((16, 4), jnp.float32), pltpu.SemaphoreType.DMA])[:, 0])


# Two lengths at once, positions beside them, and a dimension that goes away.
def corners(lengths, x_ref, o_ref, buffer, sem):
    i = pl.program_id(0)
    rows, columns = pl.ds(0, lengths[i]), pl.ds(1, lengths[i] // 2)
    pltpu.sync_copy(x_ref.at[pl.ds(8 * i, lengths[i]), columns], buffer.at[i, rows, columns])
    pltpu.sync_copy(buffer.at[i, rows, columns], o_ref.at[pl.ds(8 * i, lengths[i]), columns])
    pltpu.sync_copy(x_ref.at[pl.ds(8 * i + 7, 1), 0:1], o_ref.at[pl.ds(8 * i + 7, 1), 0:1])


print(call(corners, [pltpu.VMEM((2, 8, 4), jnp.float32), pltpu.SemaphoreType.DMA], grid=(2,))[:16])


# A part of which nothing is left moves nothing, and where its end is known so does the rest.
def partly_known(lengths, x_ref, o_ref, buffer, sem):
    pltpu.sync_copy(x_ref.at[pl.ds(1, lengths[1])], buffer.at[0:3])
    pltpu.sync_copy(buffer.at[0:3], o_ref.at[pl.ds(lengths[0], lengths[1])])


print(call(partly_known, [pltpu.VMEM((16, 4), jnp.float32), pltpu.SemaphoreType.DMA])[:10, 1])


# What has a computed extent cannot be read, written or cut by Python's slices.
def read(lengths, x_ref, o_ref, buffer, sem):
    o_ref[...] = buffer.at[pl.ds(0, lengths[0])][...]


def written(lengths, x_ref, o_ref, buffer, sem):
    buffer[pl.ds(0, lengths[0])] = jnp.zeros((5, 4), jnp.float32)


def cut(lengths, x_ref, o_ref, buffer, sem):
    pltpu.sync_copy(buffer.at[pl.ds(0, lengths[0])].at[:, 0:2], o_ref.at[pl.ds(0, lengths[0]), 0:2])


def too_long(lengths, x_ref, o_ref, buffer, sem):
    pltpu.sync_copy(x_ref, o_ref)
    pltpu.sync_copy(x_ref.at[pl.ds(20, lengths[3])], buffer.at[pl.ds(0, lengths[3])])


for kernel in (read, written, cut, too_long):
    try:
        call(kernel, [pltpu.VMEM((16, 4), jnp.float32), pltpu.SemaphoreType.DMA])
        print(kernel.__name__, "ran")
    except Exception:
        print(kernel.__name__, "was refused")
