# Functions that nobody calls, whose blocks, conditions and sums are wrong for all lengths that were tried.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def one_block_only(x: jax.Array):
    """x: [m, n]"""
    m, n = x.shape
    return pl.pallas_call(
        copy,
        grid=(m // 8,),
        in_specs=[pl.BlockSpec((8, n), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, n), lambda i: (0, 0)),
#                                      ^ PL121 warning "of o_ref"
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(x)


def add_up(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...]


def sums_in_the_wrong_order(x: jax.Array):
    """x: [k, m, n]"""
    k, m, n = x.shape
    return pl.pallas_call(
        add_up,
        grid=(k, m // 8),
        in_specs=[pl.BlockSpec((None, 8, n), lambda k, i: (k, i, 0))],
        out_specs=pl.BlockSpec((8, n), lambda k, i: (i, 0)),
#                                      ^ PL124 warning "visited again"
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(x)


def add_along(x_ref, o_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...]
#   ^ PL125 warning "declared parallel"


def sums_at_once(x: jax.Array):
    """x: [k, m, n]"""
    k, m, n = x.shape
    return pl.pallas_call(
        add_along,
        grid=(m // 8, k),
        in_specs=[pl.BlockSpec((None, 8, n), lambda i, k: (k, i, 0))],
        out_specs=pl.BlockSpec((8, n), lambda i, k: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel")),
    )(x)


def transposed_by_mistake(x: jax.Array):
    """x: [m, n]"""
    m, n = x.shape
    return pl.pallas_call(
        copy,
        grid=(m // 8, n // 128),
        in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i, 0))],
#                                        ^ PL126 warning "follow different grid axes"
        out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(x)


def first_row(x_ref, o_ref):
#                    ^ PL128 warning "of o_ref"
    o_ref[0] = x_ref[0]


def rows_that_nobody_writes(x: jax.Array):
    """x: [m, n]"""
    m, n = x.shape
    block = pl.BlockSpec((8, n), lambda i: (i, 0))
    return pl.pallas_call(
        first_row, grid=(m // 8,), in_specs=[block], out_specs=block, out_shape=jax.ShapeDtypeStruct((m, n), x.dtype)
    )(x)


def zero_each_time(x_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += x_ref[...]
#   ^ PL129 warning "reaches no output"


def terms_that_get_lost(x: jax.Array):
    """x: [k, m, n]"""
    k, m, n = x.shape
    return pl.pallas_call(
        zero_each_time,
        grid=(m // 8, k),
        in_specs=[pl.BlockSpec((None, 8, n), lambda i, k: (k, i, 0))],
        out_specs=pl.BlockSpec((8, n), lambda i, k: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(x)


def row_eight(x_ref, o_ref):
    o_ref[...] = jnp.broadcast_to(x_ref[8], o_ref.shape)
#                                 ^ PL201 warning "which has 8"


def next_rows(x_ref, o_ref):
    o_ref[...] = x_ref[pl.ds(pl.program_id(0) + 1, 8)]
#                ^ PL202 warning "leaves x_ref"


def never_zero(x_ref, o_ref):
    o_ref[...] += x_ref[...]
#   ^ PL203 warning "read before"


def by_rows(kernel, x):
    m, n = x.shape
    block = pl.BlockSpec((8, n), lambda i: (i, 0))
    return pl.pallas_call(
        kernel, grid=(m // 8,), in_specs=[block], out_specs=block, out_shape=jax.ShapeDtypeStruct((m, n), x.dtype)
    )(x)


def eighth_row_of_eight(x: jax.Array):
    """x: [m, n]"""
    return by_rows(row_eight, x)


def rows_behind(x: jax.Array):
    """x: [m, n]"""
    return by_rows(next_rows, x)


def nothing_to_add_to(x: jax.Array):
    """x: [m, n]"""
    return by_rows(never_zero, x)


def in_bytes(x_ref, o_ref):
    columns = jax.lax.broadcasted_iota(jnp.int8, (8, 256), 1)
#             ^ PL206 warning "does not fit int8"
    o_ref[...] = jnp.where(columns < 100, x_ref[...], 0.0)


def columns_in_bytes(x: jax.Array):
    """x: [m, 256]"""
    block = pl.BlockSpec((8, 256), lambda i: (i, 0))
    return pl.pallas_call(in_bytes, grid=(4,), in_specs=[block], out_specs=block, out_shape=jax.ShapeDtypeStruct((32, 256), jnp.float32))(x)
