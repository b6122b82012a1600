# Reductions over an axis of the grid that is not the last one, and over one that is declared parallel.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def add_up(axis):
    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(axis) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...]
#       ^ PL125 error "program (0, 3) reads what programs with other ids along axis 1 left in o_ref"

    return kernel


def overwrite(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((4, 8, 128))

# The axis that is reduced over comes first: blocks are left, and visited again.
pl.pallas_call(
    add_up(0),
    grid=(4, 8),
    in_specs=[pl.BlockSpec((None, 1, 128), lambda k, i: (k, i, 0))],
    out_specs=pl.BlockSpec((1, 128), lambda k, i: (i, 0)),
#                                    ^ PL124 warning "program (1, 0) has the same block of o_ref as program (0, 0)"
    out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
    interpret=True,
)(x)

# The last one is right.
last = dict(
    grid=(8, 4),
    in_specs=[pl.BlockSpec((None, 1, 128), lambda i, k: (k, i, 0))],
    out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
    interpret=True,
)
pl.pallas_call(add_up(1), out_specs=pl.BlockSpec((1, 128), lambda i, k: (i, 0)), **last)(x)

# Declared parallel, its programs may run at once.
pl.pallas_call(
    add_up(1),
    out_specs=pl.BlockSpec((1, 128), lambda i, k: (i, 0)),
    compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel")),
    **last,
)(x)
pl.pallas_call(
    add_up(1),
    out_specs=pl.BlockSpec((1, 128), lambda i, k: (i, 0)),
    compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary")),
    **last,
)(x)


# What is written before it is read, by each program along the parallel axis, is its own.
def own_sum(x_ref, o_ref, total_ref):
    total_ref[...] = x_ref[...] * 2
    o_ref[...] = x_ref[...] + total_ref[...]


pl.pallas_call(
    own_sum,
    out_specs=[pl.BlockSpec((1, 128), lambda i, k: (i, 0)), pl.BlockSpec((1, 128), lambda i, k: (0, 0))],
    compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel")),
    **(last | {"out_shape": [jax.ShapeDtypeStruct((8, 128), jnp.float32), jax.ShapeDtypeStruct((1, 128), jnp.float32)]}),
)(x)

# An axis of one program is no axis, and who only writes does not miss what was there.
pl.pallas_call(
    add_up(0),
    grid=(1, 8),
    in_specs=[pl.BlockSpec((None, 1, 128), lambda k, i: (k, i, 0))],
    out_specs=pl.BlockSpec((1, 128), lambda k, i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
    interpret=True,
)(x)
pl.pallas_call(
    overwrite,
    grid=(4, 8),
    in_specs=[pl.BlockSpec((None, 1, 128), lambda k, i: (k, i, 0))],
    out_specs=pl.BlockSpec((1, 128), lambda k, i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
    interpret=True,
)(x)
