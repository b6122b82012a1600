# Everything is written before it is read, or what is read does not matter.
# jax: runs
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def initialised(x_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += x_ref[...]

    @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
    def _():
        o_ref[...] = acc_ref[...]


def with_cond(x_ref, o_ref, acc_ref):
    k = pl.program_id(1)
    before = lax.cond(k == 0, lambda: jnp.zeros_like(x_ref[...]), lambda: acc_ref[...])
    acc_ref[...] = before + x_ref[...]
    o_ref[...] = acc_ref[...]


def with_where(x_ref, o_ref, acc_ref):
    before = jnp.where(pl.program_id(1) == 0, 0.0, acc_ref[...])
    acc_ref[...] = before + x_ref[...]
    o_ref[...] = acc_ref[...]


def row_by_row(x_ref, o_ref, acc_ref):
    def clear(i, _):
        acc_ref[i, :] = jnp.zeros((128,))

    lax.fori_loop(0, 8, clear, None)
    acc_ref[...] += x_ref[...]
    o_ref[...] = acc_ref[...]


def two_slots(x_ref, o_ref, acc_ref):
    # The slot that is read was written one program before; it takes all programs to see it.
    k = pl.program_id(1)
    acc_ref[k % 2] = x_ref[0]
    o_ref[...] = jnp.broadcast_to(acc_ref[lax.max(k - 1, 0) % 2], (8, 128))


def by_the_data(x_ref, o_ref, acc_ref):
    # Whether it is written depends on the data: it may be.
    @pl.when(x_ref[0, 0] > 0)
    def _():
        acc_ref[...] = x_ref[...]

    o_ref[...] = acc_ref[...]


def somewhere(x_ref, o_ref, acc_ref):
    acc_ref[pl.ds(x_ref[0, 0].astype(jnp.int32), 4)] = x_ref[:4]
    o_ref[...] = acc_ref[...]


def never_used(x_ref, o_ref, acc_ref):
    acc_ref[...]
    o_ref[...] = x_ref[...]


def in_place(x_ref, o_ref):
    o_ref[...] += 1.0


def launch(kernel, steps=3, **options):
    return pl.pallas_call(
        kernel,
        grid=(4, steps),
        in_specs=[pl.BlockSpec((None, None, 8, 128), lambda i, k: (i, k, 0, 0))],
        out_specs=pl.BlockSpec((None, 8, 128), lambda i, k: (i, 0, 0)),
        out_shape=jax.ShapeDtypeStruct((4, 8, 128), jnp.float32),
        interpret=True,
        **options,
    )(jnp.ones((4, steps, 8, 128)))


scratch = functools.partial(launch, scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)])
for kernel in initialised, with_cond, with_where, row_by_row, by_the_data, somewhere, never_used:
    scratch(kernel)
    # Of so many programs only some are looked at.
    scratch(kernel, steps=300)
launch(two_slots, scratch_shapes=[pltpu.VMEM((2, 128), jnp.float32)])
launch(two_slots, 300, scratch_shapes=[pltpu.VMEM((2, 128), jnp.float32)])
x = jnp.ones((8, 128))
pl.pallas_call(in_place, out_shape=x, input_output_aliases={0: 0}, interpret=True)(x)
