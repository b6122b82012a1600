# A condition that never holds, and a store to a part of the block.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def total(x_ref, o_ref, acc_ref, *, last):
    k = pl.program_id(0)

    @pl.when(k == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += x_ref[...]

    @pl.when(k == last)
    def _():
        o_ref[...] = acc_ref[...]


def halves(x_ref, o_ref):
#                 ^ PL128 warning "columns 64..128 of o_ref"
    o_ref[:, :64] = x_ref[:, :64] * 2


def both_halves(x_ref, o_ref):
    o_ref[:, :64] = x_ref[:, :64] * 2

    @pl.when(x_ref[0, 0] > 0)
    def _():
        o_ref[:, 64:] = x_ref[:, 64:]


x = jnp.ones((32, 128))
for last in (4, 3):
    pl.pallas_call(
        lambda x_ref, o_ref, acc_ref: total(x_ref, o_ref, acc_ref, last=last),
#                     ^ PL128 warning "all of o_ref"
        grid=(4,),
        in_specs=[pl.BlockSpec((8, 128), lambda k: (k, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda k: (0, 0)),
        out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)],
        interpret=True,
    )(x)
rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
for kernel in (halves, both_halves):
    pl.pallas_call(kernel, grid=(4,), in_specs=[rows], out_specs=rows, out_shape=x, interpret=True)(x)
