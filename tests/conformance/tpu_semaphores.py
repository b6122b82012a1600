"""Semaphores: signalled, waited for, read; arrays of them; what is refused."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def call(kernel, scratch, interpret=True, **options):
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((4,), jnp.int32),
        scratch_shapes=scratch,
        interpret=interpret,
        out_specs=pl.BlockSpec(memory_space=pltpu.SMEM),
        **options,
    )()


def counts(o_ref, sem):
    o_ref[0] = pl.semaphore_read(sem)
    pl.semaphore_signal(sem)
    pl.semaphore_signal(sem, inc=4)
    o_ref[1] = pl.semaphore_read(sem)
    pl.semaphore_wait(sem, 2)
    o_ref[2] = pl.semaphore_read(sem)
    pl.semaphore_wait(sem, 3, decrement=False)
    o_ref[3] = pl.semaphore_read(sem)
    pl.semaphore_wait(sem, 3)


print(call(counts, [pltpu.SemaphoreType.REGULAR]))
print(call(counts, [pltpu.SemaphoreType.REGULAR(())]))


def several(o_ref, sems):
    for i in range(2):
        for j in range(2):
            pl.semaphore_signal(sems.at[i, j], 10 * i + j + 1)
    row = sems.at[1]
    o_ref[0] = pl.semaphore_read(sems.at[0, 1])
    o_ref[1] = pl.semaphore_read(row.at[0])
    o_ref[2] = pl.semaphore_read(sems.at[1].at[1])

    def drain(i, total):
        sem = sems.at[i // 2, i % 2]
        value = pl.semaphore_read(sem)
        pl.semaphore_wait(sem, value)
        return total + value

    o_ref[3] = jax.lax.fori_loop(0, 4, drain, 0)


print(call(several, [pltpu.SemaphoreType.REGULAR((2, 2))]))


# Semaphores keep their counts from program to program.
def turns(o_ref, sem):
    i = pl.program_id(0)

    @pl.when(i > 0)
    def _():
        pl.semaphore_wait(sem, i)

    o_ref[i] = i * i

    @pl.when(i < 3)
    def _():
        pl.semaphore_signal(sem, i + 1)


print(call(turns, [pltpu.SemaphoreType.REGULAR], grid=(4,)))
print(call(turns, [pltpu.SemaphoreType.REGULAR], pltpu.InterpretParams(), grid=(4,)))


def scoped(o_ref):
    def body(sem, sems):
        pl.semaphore_signal(sem, 2)
        pl.semaphore_signal(sems.at[1], 3)
        o_ref[0] = pl.semaphore_read(sem)
        o_ref[1] = pl.semaphore_read(sems.at[0])
        o_ref[2] = pl.semaphore_read(sems.at[1])
        pl.semaphore_wait(sem, 2)
        pl.semaphore_wait(sems.at[1], 3)

    pl.run_scoped(body, pltpu.SemaphoreType.REGULAR, sems=pltpu.SemaphoreType.REGULAR((2,)))
    o_ref[3] = 7


print(call(scoped, []))


def shown(o_ref, regular, copies):
    print(regular, regular.dtype, regular.shape, regular.memory_space)
    print(copies.dtype, copies.shape, copies.at[1].shape)
    for value in (pltpu.SemaphoreType.REGULAR, pltpu.SemaphoreType.DMA((2,)), pltpu.SemaphoreType.BARRIER):
        print(value)
    o_ref[0] = 0


call(shown, [pltpu.SemaphoreType.REGULAR, pltpu.SemaphoreType.DMA((2,))])


def refused(act):
    try:
        call(lambda o_ref, regular, copies: act(o_ref, regular, copies),
             [pltpu.SemaphoreType.REGULAR((2,)), pltpu.SemaphoreType.DMA])
    except ValueError as error:
        # JAX prints a set of types, in any order.
        print(str(error).split("{")[0], str(error).split("}")[-1])


refused(lambda o, r, c: pl.semaphore_signal(r))
refused(lambda o, r, c: pl.semaphore_wait(r))
refused(lambda o, r, c: pl.semaphore_signal(c))
refused(lambda o, r, c: pl.semaphore_wait(c, 4))
refused(lambda o, r, c: pl.semaphore_signal(o))
