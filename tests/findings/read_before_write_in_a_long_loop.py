# Loops of many rounds, all of which add to memory: set before, in the first round, or never.
# jax: runs
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.ones((128, 128))


def launch(kernel):
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((1, 128), x.dtype),
        scratch_shapes=[pltpu.VMEM((1, 128), jnp.float32)],
        interpret=True,
    )(x)


@launch
def never_set(x_ref, o_ref, acc_ref):
    def add(row, _):
        acc_ref[...] += x_ref[pl.ds(row, 1), :]
#       ^ PL203 error "acc_ref is read before anything is written to it"

    lax.fori_loop(0, 128, add, None)
    o_ref[...] = acc_ref[...]


@launch
def set_before(x_ref, o_ref, acc_ref):
    acc_ref[...] = jnp.zeros_like(acc_ref)

    def add(row, _):
        acc_ref[...] += x_ref[pl.ds(row, 1), :]

    lax.fori_loop(0, 128, add, None)
    o_ref[...] = acc_ref[...]


@launch
def set_in_the_first_round(x_ref, o_ref, acc_ref):
    def add(row, _):
        @pl.when(row == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += x_ref[pl.ds(row, 1), :]

    lax.fori_loop(0, 128, add, None)
    o_ref[...] = acc_ref[...]


@launch
def set_by_the_last_round(x_ref, o_ref, acc_ref):
    def keep(row, _):
        @pl.when(row == 127)
        def _():
            acc_ref[...] = x_ref[pl.ds(row, 1), :]

    lax.fori_loop(0, 128, keep, None)
    o_ref[...] = acc_ref[...]
