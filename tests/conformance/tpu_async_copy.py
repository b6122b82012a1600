"""Copies that kernels make themselves: started, waited for, from views to views, on one semaphore or an array of them."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

MODES = {
    "plain": True,
    "on wait": pltpu.InterpretParams(),
    "eager": pltpu.InterpretParams(dma_execution_mode="eager"),
    "zero": pltpu.InterpretParams(uninitialized_memory="zero"),
}
X = jnp.arange(64, dtype=jnp.float32).reshape(8, 8)


def call(kernel, *args, shape=(8, 8), dtype=jnp.float32, scratch=(), mode="plain", out_space=None, **options):
    out_specs = pl.BlockSpec(memory_space=out_space) if out_space is not None else pl.BlockSpec()
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(shape, dtype),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)] * len(args),
        out_specs=out_specs,
        scratch_shapes=scratch,
        interpret=MODES[mode],
        **options,
    )(*args)


# What a destination holds before the wait says when the data moves.
def before_and_after(x_ref, o_ref, buffer, sem):
    copy = pltpu.make_async_copy(x_ref, buffer, sem)
    copy.start()
    o_ref[0] = buffer[0]
    copy.wait()
    o_ref[1] = buffer[1]
    o_ref[2:] = jnp.zeros((6, 8), jnp.float32)


for mode in MODES:
    out = call(before_and_after, X, scratch=[pltpu.VMEM((8, 8), jnp.float32), pltpu.SemaphoreType.DMA], mode=mode)
    print(mode, out[:2, :3])


# Memory that nobody has written.
def untouched(x_ref, o_ref, floats, ints, bools):
    o_ref[0, 0] = jnp.where(jnp.isnan(floats[0]), 1, 0)
    o_ref[0, 1] = ints[0]
    o_ref[0, 2] = bools[0].astype(jnp.int32)


for mode in MODES:
    out = call(
        untouched,
        X,
        shape=(1, 3),
        dtype=jnp.int32,
        scratch=[pltpu.VMEM((1,), jnp.float32), pltpu.VMEM((1,), jnp.int32), pltpu.SMEM((1,), jnp.bool_)],
        mode=mode,
    )
    print(mode, out)


# Views of both ends, and a semaphore per row.
def reversed_rows(x_ref, o_ref, sems):
    def start(i, _):
        pltpu.make_async_copy(x_ref.at[i], o_ref.at[7 - i], sems.at[i]).start()
        return 0

    def wait(i, _):
        pltpu.make_async_copy(x_ref.at[i], o_ref.at[7 - i], sems.at[i]).wait()
        return 0

    jax.lax.fori_loop(0, 8, start, 0)
    jax.lax.fori_loop(0, 8, wait, 0)


for mode in ("plain", "on wait", "eager"):
    out = call(reversed_rows, X, scratch=[pltpu.SemaphoreType.DMA((8,))], mode=mode, out_space=pl.ANY)
    print(mode, out[0], out[7])


# Several copies on one semaphore, of different sizes.
def quarters(x_ref, o_ref, sem):
    parts = [
        (x_ref.at[pl.ds(0, 4), pl.ds(0, 4)], o_ref.at[pl.ds(4, 4), pl.ds(4, 4)]),
        (x_ref.at[pl.ds(4, 4), pl.ds(4, 4)], o_ref.at[pl.ds(0, 4), pl.ds(0, 4)]),
        (x_ref.at[pl.ds(0, 2), pl.ds(4, 4)], o_ref.at[pl.ds(0, 2), pl.ds(4, 4)]),
        (x_ref.at[pl.ds(2, 2), pl.ds(4, 4)], o_ref.at[pl.ds(2, 2), pl.ds(4, 4)]),
        (x_ref.at[pl.ds(4, 4), pl.ds(0, 4)], o_ref.at[pl.ds(4, 4), pl.ds(0, 4)]),
    ]
    copies = [pltpu.async_copy(source, target, sem) for source, target in parts]
    for copy in copies:
        copy.wait()


for mode in ("plain", "on wait", "eager"):
    print(mode)
    print(call(quarters, X, scratch=[pltpu.SemaphoreType.DMA(())], mode=mode, out_space=pl.ANY))


# A round trip through scratch that lives in a scope, and copies of a whole tree of Refs.
def scoped(x_ref, y_ref, o_ref):
    def body(buffers, sem):
        pltpu.sync_copy((x_ref, y_ref), buffers)
        first, second = buffers
        first[...] = first[...] + 2 * second[...]
        copy = pltpu.make_async_copy(first, o_ref, sem)
        copy.start(priority=1)
        copy.wait()

    pl.run_scoped(
        body,
        (pltpu.VMEM((8, 8), jnp.float32), pltpu.VMEM((8, 8), jnp.float32)),
        sem=pltpu.SemaphoreType.DMA,
    )


for mode in ("plain", "on wait", "eager"):
    print(mode, call(scoped, X, X.T, mode=mode, out_space=pl.ANY)[1])


# Scalars and integers move too; so does part of scalar memory.
def scalars(x_ref, o_ref, smem, sem):
    pltpu.sync_copy(x_ref.at[pl.ds(2, 4)], smem)
    for i in range(4):
        o_ref[i] = smem[3 - i]


print(call(scalars, jnp.arange(8, dtype=jnp.int32), shape=(4,), dtype=jnp.int32,
           scratch=[pltpu.SMEM((4,), jnp.int32), pltpu.SemaphoreType.DMA]))


# The next block is fetched while this one is worked on; the semaphores live across programs.
def prefetching(x_ref, o_ref, buffers, sems):
    i, n = pl.program_id(0), pl.num_programs(0)

    def fetch(block, slot):
        return pltpu.make_async_copy(x_ref.at[pl.ds(block * 8, 8)], buffers.at[slot], sems.at[slot])

    @pl.when(i == 0)
    def _():
        fetch(0, 0).start()

    @pl.when(i + 1 < n)
    def _():
        fetch(i + 1, jax.lax.rem(i + 1, 2)).start()

    slot = jax.lax.rem(i, 2)
    fetch(i, slot).wait()
    o_ref[...] = buffers[slot] * 10 + i.astype(jnp.float32)


x = jnp.arange(32, dtype=jnp.float32).reshape(32, 1) * jnp.ones((1, 4), jnp.float32)
for mode in ("plain", "on wait", "eager"):
    out = pl.pallas_call(
        prefetching,
        grid=(4,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec((8, 4), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((32, 4), jnp.float32),
        scratch_shapes=[pltpu.VMEM((2, 8, 4), jnp.float32), pltpu.SemaphoreType.DMA((2,))],
        interpret=MODES[mode],
    )(x)
    print(mode, out[:, 0])


# An array updated in place: input and output are one buffer, in a simulated device at least.
def add_one_row(x_ref, o_ref, buffer, sem):
    i = pl.program_id(0)
    pltpu.sync_copy(o_ref.at[i], buffer)
    buffer[...] = buffer[...] + 100
    pltpu.sync_copy(buffer, o_ref.at[i])


for mode in ("plain", "on wait"):
    out = call(add_one_row, X, scratch=[pltpu.VMEM((8,), jnp.float32), pltpu.SemaphoreType.DMA], mode=mode,
               out_space=pl.ANY, grid=(3,), input_output_aliases={0: 0})
    print(mode, out[:4, 0])


# The old module names, and interpreting by force.
with pltpu.force_tpu_interpret_mode():
    out = pl.pallas_call(
        before_and_after,
        out_shape=jax.ShapeDtypeStruct((8, 8), jnp.float32),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        scratch_shapes=[pltpu.VMEM((8, 8), jnp.float32), pltpu.SemaphoreType.DMA],
    )(X)
print("forced", out[:2, :3])


# What a description says of itself, and what is refused.
def described(x_ref, o_ref, sem):
    copy = pltpu.make_async_copy(x_ref, o_ref, sem)
    print(copy.src_ref is x_ref, copy.dst_ref is o_ref, copy.dst_sem is sem, copy.src_sem, copy.is_remote)
    print(sem.dtype, sem.shape, sem.memory_space, sem.dtype == pltpu.SemaphoreType.DMA(()).dtype)
    try:
        copy.wait_send()
    except ValueError as error:
        print(error)
    copy.start()
    copy.wait()


print(call(described, X, scratch=[pltpu.SemaphoreType.DMA], out_space=pl.ANY)[0])


def refused(act):
    def kernel(x_ref, o_ref, buffer, sems, regular):
        act(x_ref, o_ref, buffer, sems, regular)

    try:
        call(kernel, X, scratch=[pltpu.VMEM((8, 8), jnp.float32), pltpu.SemaphoreType.DMA((2,)),
                                 pltpu.SemaphoreType.REGULAR])
    except ValueError as error:
        print(str(error))


refused(lambda x, o, b, s, r: pltpu.make_async_copy(x, b, s).start())
refused(lambda x, o, b, s, r: pltpu.make_async_copy(b[...], b, s.at[0]).start())
refused(lambda x, o, b, s, r: pltpu.make_async_copy(x, b, None).start())
refused(lambda x, o, b, s, r: pltpu.make_async_copy(x, b, s.at[0]).start(priority=-1))
refused(lambda x, o, b, s, r: pltpu.make_async_copy(x, b, r).wait())
