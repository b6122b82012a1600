# An entry for each axis of the grid, of the words that there are: interpret mode does not look.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.ones((16, 256))


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(params):
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    pl.pallas_call(
#   ^ PL131 error "`dimension_semantics` has 1 entry, and the grid 2 axes"
        copy, grid=(2, 2), in_specs=[spec], out_specs=spec, out_shape=x, compiler_params=params, interpret=True
    )(x)


launch(pltpu.CompilerParams(dimension_semantics=("parallel",)))
launch(pltpu.CompilerParams(dimension_semantics=("parallel", "sequential")))
#                                                            ^ PL131 error "does not have the word "sequential""
