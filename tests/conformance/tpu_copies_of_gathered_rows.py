"""Copies whose rows an integer array selects: gathered from a Ref, and scattered to one."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.arange(40.0).reshape(5, 8)
rows = jnp.array([4, 0, 2])
anywhere = pl.BlockSpec(memory_space=pl.ANY)


def call(kernel, *scratch):
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((5, 8), x.dtype),
        in_specs=[anywhere, pl.BlockSpec()],
        out_specs=anywhere,
        scratch_shapes=[pltpu.SemaphoreType.DMA, *scratch],
        interpret=True,
    )(x, rows)


def gathered(x_ref, rows_ref, o_ref, sem):
    copy = pltpu.make_async_copy(x_ref.at[rows_ref[...]], o_ref.at[pl.ds(0, 3)], sem)
    copy.start()
    copy.wait()


print(call(gathered))


def scattered(x_ref, rows_ref, o_ref, sem):
    pltpu.sync_copy(x_ref, o_ref)
    copy = pltpu.make_async_copy(x_ref.at[pl.ds(1, 3)], o_ref.at[rows_ref[...]], sem)
    copy.start()
    copy.wait()


print(call(scattered))


def of_some_columns(x_ref, rows_ref, o_ref, sem, window_ref):
    pltpu.sync_copy(x_ref, o_ref)
    pltpu.sync_copy(x_ref.at[rows_ref[...], pl.ds(4, 4)], window_ref)
    window_ref[...] = window_ref[...] * 10
    pltpu.sync_copy(window_ref, o_ref.at[rows_ref[...], pl.ds(0, 4)])


print(call(of_some_columns, pltpu.VMEM((3, 4), x.dtype)))


def outside(x_ref, rows_ref, o_ref, sem):
    pltpu.sync_copy(x_ref, o_ref)
    pltpu.sync_copy(x_ref.at[rows_ref[...] + 2], o_ref.at[rows_ref[...] + 1])


print(call(outside))
