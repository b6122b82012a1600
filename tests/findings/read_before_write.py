# Accumulators that are not set to zero, or too late, or in too few programs.
# jax: runs
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def accumulate(x_ref, o_ref):
    o_ref[...] += x_ref[...]
#   ^ PL203 error "o_ref"


def first_block_only(x_ref, o_ref):
    # The block of the output changes with axis 0 too.
    @pl.when((pl.program_id(0) == 0) & (pl.program_id(1) == 0))
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...]
#   ^ PL203 error "program (1, 0)"


def scratch(x_ref, o_ref, acc_ref):
    acc_ref[...] = acc_ref[...] + x_ref[...]
#                  ^ PL203 error "acc_ref is read before anything is written to it"

    @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
    def _():
        o_ref[...] = acc_ref[...]


def in_a_loop(x_ref, o_ref):
    def body(i, _):
        o_ref[...] = jnp.maximum(o_ref[...], x_ref[i])
#                                ^ PL203 error "o_ref"

    lax.fori_loop(0, x_ref.shape[0], body, None)


def half_of_it(x_ref, o_ref):
    o_ref[:4] = jnp.zeros((4, 128))
    o_ref[...] += x_ref[...]
#   ^ PL203 error "element (0, 4, 0)"


x = jnp.ones((4, 3, 8, 128))


def launch(kernel, **options):
    return pl.pallas_call(
        kernel,
        grid=(4, 3),
        in_specs=[pl.BlockSpec((None, None, 8, 128), lambda i, k: (i, k, 0, 0))],
        out_specs=pl.BlockSpec((None, 8, 128), lambda i, k: (i, 0, 0)),
        out_shape=jax.ShapeDtypeStruct((4, 8, 128), jnp.float32),
        interpret=True,
        **options,
    )(x)


launch(accumulate)
launch(first_block_only)
launch(scratch, scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)])
launch(half_of_it)
pl.pallas_call(in_a_loop, out_shape=jax.ShapeDtypeStruct((128,), jnp.float32), interpret=True)(x[0, 0])
