# Terms of a sum that get lost: an accumulator that every program sets to zero, and a result that is stored too early.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def always_zero(x_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += x_ref[...]
#   ^ PL129 warning "what program (0, 0) stores reaches no output"


def too_early(x_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += x_ref[...]
#   ^ PL129 warning "what program (0, 3) stores reaches no output"

    @pl.when(pl.program_id(1) == pl.num_programs(1) - 2)
    def _():
        o_ref[...] = acc_ref[...]


def in_time(x_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += x_ref[...]

    @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
    def _():
        o_ref[...] = acc_ref[...]


# A store that data decides on may not be made.
def sometimes(x_ref, o_ref):
    @pl.when(x_ref[0, 0] > 0)
    def _():
        o_ref[...] = x_ref[...]


x = jnp.ones((32, 128))
for kernel, scratch in (
    (always_zero, []),
    (too_early, [pltpu.VMEM((8, 128), jnp.float32)]),
    (in_time, [pltpu.VMEM((8, 128), jnp.float32)]),
    (sometimes, []),
):
    pl.pallas_call(
        kernel,
        grid=(1, 4),
        in_specs=[pl.BlockSpec((8, 128), lambda i, k: (k, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i, k: (0, 0)),
        out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
        scratch_shapes=scratch,
        interpret=True,
    )(x)


# A carry that the last block leaves behind.
def running(x_ref, o_ref, carry_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        carry_ref[...] = jnp.zeros_like(carry_ref)

    carry_ref[...] += x_ref[...]
    o_ref[...] = carry_ref[...]


pl.pallas_call(
    running,
    grid=(1, 4),
    in_specs=[pl.BlockSpec((8, 128), lambda i, k: (k, 0))],
    out_specs=pl.BlockSpec((8, 128), lambda i, k: (k, 0)),
    out_shape=x,
    scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)],
    interpret=True,
)(x)
