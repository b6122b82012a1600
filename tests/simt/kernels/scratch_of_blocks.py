"""Scratch memory that each block of a GPU has for itself, since programs that run at once find nothing in it of each other: set in the
first program along some axes, piece by piece, or by a choice. And some that is carried along an axis, or along all."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

F32 = jnp.float32
TILE = pltpu.VMEM((16, 16), F32)


def run(kernel, grid, maps, scratch, shapes=((32, 64), (64, 32)), columns=32):
    arrays = [jnp.arange(rows * columns, dtype=F32).reshape(rows, columns) % 7 - 3 for rows, columns in shapes]
    call = pl.pallas_call(
        kernel,
        grid=grid,
        in_specs=[pl.BlockSpec((16, 16), index) for index in maps[:-1]],
        out_specs=pl.BlockSpec((16, 16), maps[-1]),
        out_shape=jax.ShapeDtypeStruct((32, columns), F32),
        scratch_shapes=scratch,
    )
    print(call(*arrays).sum(axis=1))


PRODUCT = [lambda i, j, k: (i, k), lambda i, j, k: (k, j), lambda i, j, k: (i, j)]


# The usual product: blocks for i and j, a loop for k.
def product(x_ref, y_ref, o_ref, sum_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    sum_ref[...] += x_ref[...] @ y_ref[...]

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = sum_ref[...]


run(product, (2, 2, 4), PRODUCT, [TILE])


# The same, set by a choice, in two pieces.
def pieces(x_ref, y_ref, o_ref, sum_ref):
    first = pl.program_id(2) == 0

    @pl.when(first)
    def _():
        sum_ref[:8] = x_ref[:8] @ y_ref[...]
        sum_ref[8:] = x_ref[8:] @ y_ref[...]

    @pl.when(~first)
    def _():
        sum_ref[...] += x_ref[...] @ y_ref[...]

    o_ref[...] = sum_ref[...]


run(pieces, (2, 2, 4), PRODUCT, [TILE])


# Sums over two axes: they begin anew where both ids are 0.
def both(x_ref, o_ref, sum_ref):
    @pl.when((pl.program_id(1) == 0) & (pl.program_id(2) == 0))
    def _():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    sum_ref[...] += x_ref[...]
    o_ref[...] = sum_ref[...]


BOTH = [lambda i, j, k: (i, 2 * j + k), lambda i, j, k: (i, 0)]
run(both, (2, 2, 2), BOTH, [TILE], [(32, 64)], 16)


# A softmax that goes over blocks once.
def softmax(x_ref, o_ref, most_ref, sum_ref, scaled_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        most_ref[...] = jnp.full_like(most_ref, -jnp.inf)
        sum_ref[...] = jnp.zeros_like(sum_ref)
        scaled_ref[...] = jnp.zeros_like(scaled_ref)

    x = x_ref[...]

    @pl.when(pl.program_id(2) <= pl.program_id(0) + 1)
    def _():
        most = jnp.maximum(most_ref[...], x.max(axis=1, keepdims=True))
        factor = jnp.exp(most_ref[...] - most)
        weights = jnp.exp(x - most)
        sum_ref[...] = sum_ref[...] * factor + weights.sum(axis=1, keepdims=True)
        scaled_ref[...] = scaled_ref[...] * factor + weights * x
        most_ref[...] = most

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = scaled_ref[...] / sum_ref[...]


COLUMN = pltpu.VMEM((16, 1), F32)
SOFTMAX = [lambda i, j, k: (i, k), lambda i, j, k: (i, j)]
run(softmax, (2, 2, 4), SOFTMAX, [COLUMN, COLUMN, TILE], [(32, 64)])


# Sums of rows of blocks, which go on from one row to the next: all in order.
def running(x_ref, o_ref, sum_ref):
    @pl.when((pl.program_id(0) == 0) & (pl.program_id(1) == 0))
    def _():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    sum_ref[...] += x_ref[...]
    o_ref[...] = sum_ref[...]


run(running, (2, 2), [lambda i, j: (i, j), lambda i, j: (i, j)], [TILE], [(32, 32)])


# What a block finds of the one before it in its row, and only there.
def before(x_ref, o_ref, last_ref):
    last = jnp.where(pl.program_id(1) == 0, 0.0, last_ref[...])
    o_ref[...] = x_ref[...] + last
    last_ref[...] = x_ref[...]


run(before, (2, 2), [lambda i, j: (i, j), lambda i, j: (i, j)], [TILE], [(32, 32)])
