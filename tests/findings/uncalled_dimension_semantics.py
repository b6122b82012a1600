# Nobody calls the function: what its parameters say of the grid is there all the same.
# jax: not run
import jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(x: jax.Array):
    m, n = x.shape
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    return pl.pallas_call(
        copy,
        grid=(m // 8, n // 128),
        in_specs=[spec],
        out_specs=spec,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "in_order")),
#                                                                             ^ PL131 error "does not have the word"
    )(x)
