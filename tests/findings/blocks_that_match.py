# Blocks that move in other ways, and belong together all the same.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.arange(96.0 * 96).reshape(96, 96)
here = pl.BlockSpec((32, 32), lambda i, j: (i, j))


def launch(kernel, x_spec, *more, out_specs=here, x=x):
    operands = [operand for _, operand in more]
    return pl.pallas_call(
        kernel,
        grid=(3, 3),
        in_specs=[x_spec, *(spec for spec, _ in more)],
        out_specs=out_specs,
        out_shape=jax.ShapeDtypeStruct((96, 96), jnp.float32),
        interpret=True,
    )(x, *operands)


def transpose(x_ref, o_ref):
    o_ref[...] = x_ref[...].T


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def bias(x_ref, b_ref, o_ref):
    o_ref[...] = x_ref[...] + b_ref[...]


# Blocks and elements are transposed; blocks are reversed; every other block; one row for all rows; a row of a block.
launch(transpose, pl.BlockSpec((32, 32), lambda i, j: (j, i)))
launch(copy, pl.BlockSpec((32, 32), lambda i, j: (2 - i, j)))
launch(copy, pl.BlockSpec((32, 32), lambda i, j: (2 * i, j)), x=jnp.zeros((160, 96)))
#                                   ^ PL127 info "rows 32..64 of x_ref"
launch(bias, here, (pl.BlockSpec((1, 32), lambda i, j: (0, j)), x[:1]))
launch(bias, here, (pl.BlockSpec((32, 1), lambda i, j: (i, 0)), x[:, :1]))
launch(bias, here, (pl.BlockSpec((32, 32), lambda i, j: (0, 0)), x[:32, :32]))


# An index that a scalar decides is not known.
def pick(which_ref, x_ref, o_ref):
    o_ref[...] = x_ref[...]


pl.pallas_call(
    pick,
    grid_spec=pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(3, 3),
        in_specs=[pl.BlockSpec((32, 32), lambda i, j, which: (which[j], i))],
        out_specs=pl.BlockSpec((32, 32), lambda i, j, which: (i, j)),
    ),
    out_shape=x,
    interpret=True,
)(jnp.array([2, 1, 0], jnp.int32), x)


# All pairs: the rows of one and the rows of the other become rows and columns.
def differences(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.sum(jnp.abs(x_ref[...][:, None, :] - y_ref[...][None, :, :]), axis=2)


launch(differences, pl.BlockSpec((32, 96), lambda i, j: (i, 0)), (pl.BlockSpec((32, 96), lambda i, j: (j, 0)), x))


# Of one length by chance: heads stand first in what is read, parts of the work in what is written.
def largest(x_ref, o_ref):
    o_ref[...] = x_ref[...].max(axis=1) * (1.0 + pl.program_id(2))


pl.pallas_call(
    largest,
    grid=(2, 3, 2),
    in_specs=[pl.BlockSpec((None, 8, 16), lambda h, i, k: (h, i, 0))],
    out_specs=pl.BlockSpec((None, None, 8), lambda h, i, k: (k, h, i)),
    out_shape=jax.ShapeDtypeStruct((2, 2, 24), jnp.float32),
    interpret=True,
)(jnp.ones((2, 24, 16)))
