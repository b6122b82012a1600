# A grid that is larger than one operand needs, whose programs beyond it leave the operand alone: Triton copies no blocks.
# jax: runs
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt


def halves(x_ref, y_ref, a_ref, b_ref):
    i = pl.program_id(0)

    @pl.when(i < 2)
    def _():
        a_ref[...] = x_ref[...]

    b_ref[...] = y_ref[...]


def last(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x, y = jnp.ones((64, 16)), jnp.ones((128, 16))
spec = pl.BlockSpec((32, 16), lambda i: (i, 0))
params = plt.CompilerParams(num_warps=4)
pl.pallas_call(halves, out_shape=(x, y), grid=(4,), in_specs=[spec, spec], out_specs=[spec, spec], compiler_params=params,
               interpret=True)(x, y)

wrong = pl.BlockSpec((32, 16), lambda i: (i, 0))
#                              ^ PL120 error "has only 2 blocks"
pl.pallas_call(last, out_shape=x, grid=(4,), in_specs=[wrong], out_specs=wrong, compiler_params=params, interpret=True)(x)
