# Lengths that have to agree, and are not said to: what leaves an array that was made up fits into a longer one. What leaves every array
# is a mistake of the function. Operands that may be `None`, whose specs are always there, are given.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def added(x_ref, e_ref, o_ref):
    o_ref[...] = x_ref[...] + e_ref[...]


def of_one_batch(x, edges):
    b, h, m, n = x.shape
    block = pl.BlockSpec((None, None, m, n), lambda i, j: (i, j, 0, 0))
    return pl.pallas_call(added, grid=(b, h), in_specs=[block, block], out_specs=block, out_shape=x)(x, edges)


def one_too_many(x, edges):
    b, h, m, n = x.shape
    rows = pl.BlockSpec((None, None, m, n), lambda i, j: (i, j, 0, 0))
    beside = pl.BlockSpec((None, None, m, n), lambda i, j: (i + 1, j, 0, 0))
#                                             ^ PL120 warning "outside e_ref"
    grid = (edges.shape[0], h)
    return pl.pallas_call(added, grid=grid, in_specs=[rows, beside], out_specs=rows, out_shape=x)(x, edges)


def weighted(x_ref, s_ref, o_ref):
    o_ref[...] = x_ref[...] * s_ref[...]


def with_scales(x: jax.Array, scales: jax.Array | None):
    m, n = x.shape
    rows = pl.BlockSpec((8, n), lambda i: (i, 0))
    column = pl.BlockSpec((8, 1), lambda i: (i, 0))
    return pl.pallas_call(weighted, grid=(m // 8,), in_specs=[rows, column], out_specs=rows, out_shape=x)(x, scales)


def of_whole_tiles(x, tiles):
    b, h, m, n = x.shape
    block = pl.BlockSpec((1, 1, tiles.rows, tiles.columns), lambda i, j: (i, j, 0, 0))
    return pl.pallas_call(scaled, grid=(b, h), in_specs=[block], out_specs=block, out_shape=x)(x)


def scaled(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0
