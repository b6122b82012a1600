# Copies into an output in main memory: of every program to the same rows, so that the others are never written; and to rows of its own.
# jax: runs
import functools
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ROWS = 8


def gather(same, rows_ref, x_hbm, o_hbm, sem):
#                                 ^ PL128 warning "no program stores to part of o_hbm, though it is in a block"
    first = pl.program_id(0) * ROWS

    def copy(row):
        to = row if same else first + row
        return pltpu.make_async_copy(x_hbm.at[pl.ds(rows_ref[first + row], 1)], o_hbm.at[pl.ds(to, 1)], sem)

    @pl.loop(0, ROWS)
    def _(row):
        copy(row).start()

    @pl.loop(0, ROWS)
    def _(row):
        copy(row).wait()


def gathered(x, rows, same):
    return pl.pallas_call(
        functools.partial(gather, same),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(rows.shape[0] // ROWS,),
            in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
            out_specs=pl.BlockSpec(memory_space=pl.ANY),
            scratch_shapes=[pltpu.SemaphoreType.DMA],
        ),
        out_shape=jax.ShapeDtypeStruct((rows.shape[0], x.shape[1]), x.dtype),
        interpret=True,
    )(rows, x)


x = jnp.ones((64, 128))
rows = jnp.arange(32, dtype=jnp.int32) * 2
gathered(x, rows, True)
gathered(x, rows, False)
