"""Patterns of JAX's documentation of sparse TPU kernels, in other words: blocks chosen by fetched scalars."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

DEVICE = pltpu.InterpretParams()


# One block of a matrix, chosen by where it starts.
@functools.partial(jax.jit, static_argnames=("sizes", "interpret"))
def block_at(x, starts, sizes, interpret):
    def copy(index_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...]

    index = jnp.array([start // size for start, size in zip(starts, sizes)], jnp.int32)
    return pl.pallas_call(
        copy,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(1, 1),
            in_specs=[pl.BlockSpec(sizes, lambda i, j, index: (index[0], index[1]))],
            out_specs=pl.BlockSpec(sizes, lambda *_: (0, 0)),
        ),
        out_shape=jax.ShapeDtypeStruct(sizes, x.dtype),
        interpret=interpret,
    )(index, x)


x = jnp.arange(64 * 64, dtype=jnp.int32).reshape(64, 64)
for interpret in (True, DEVICE):
    part = block_at(x, (16, 32), (16, 16), interpret)
    print(part[0, :3], bool((part == x[16:32, 32:48]).all()))

# A matrix of which some blocks are there, times a dense one. Blocks are sorted by rows; rows without blocks stay zero, because
# the output is an input of zeros.
BLOCK = 16
ROWS, COLUMNS = 4, 4
rng = np.random.RandomState(3)
there = rng.uniform(size=(ROWS, COLUMNS)) < 0.5
there[2] = False
rows, columns = (jnp.array(index, jnp.int32) for index in np.nonzero(there))
count = len(rows)
blocks = jnp.array(rng.randint(-4, 5, size=(count, BLOCK, BLOCK)), jnp.float32)
dense = np.zeros((ROWS * BLOCK, COLUMNS * BLOCK), np.float32)
for number in range(count):
    i, j = int(rows[number]) * BLOCK, int(columns[number]) * BLOCK
    dense[i : i + BLOCK, j : j + BLOCK] = blocks[number]
y = jnp.array(rng.randint(-4, 5, size=(COLUMNS * BLOCK, 2 * BLOCK)), jnp.float32)


def sparse_times_dense(rows_ref, columns_ref, x_ref, y_ref, _, o_ref, acc_ref):
    number = pl.program_id(1)
    row = rows_ref[number]
    begins = (number == 0) | (row != rows_ref[jnp.maximum(number - 1, 0)])
    ends = (number == count - 1) | (row != rows_ref[jnp.minimum(number + 1, count - 1)])

    @pl.when(begins)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[0], y_ref[...], preferred_element_type=jnp.float32)

    @pl.when(ends)
    def _():
        o_ref[...] = acc_ref[...].astype(o_ref.dtype)


for interpret in (True, DEVICE):
    product = pl.pallas_call(
        sparse_times_dense,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=2,
            grid=(2, count),
            in_specs=[
                pl.BlockSpec((1, BLOCK, BLOCK), lambda j, n, rows, columns: (n, 0, 0)),
                pl.BlockSpec((BLOCK, BLOCK), lambda j, n, rows, columns: (columns[n], j)),
                pl.BlockSpec((BLOCK, BLOCK), lambda j, n, rows, columns: (rows[n], j)),
            ],
            out_specs=pl.BlockSpec((BLOCK, BLOCK), lambda j, n, rows, columns: (rows[n], j)),
            scratch_shapes=[pltpu.VMEM((BLOCK, BLOCK), jnp.float32)],
        ),
        out_shape=jax.ShapeDtypeStruct((ROWS * BLOCK, 2 * BLOCK), jnp.float32),
        input_output_aliases={4: 0},
        interpret=interpret,
    )(rows, columns, blocks, y, jnp.zeros((ROWS * BLOCK, 2 * BLOCK), jnp.float32))
    print(product[::BLOCK, 0], bool((product == dense @ y).all()))


# A product of which a mask leaves some blocks: programs of the others neither fetch nor compute.
N = 64
mask = np.tril(np.ones((N, N), np.int32))
mask[32:48, :16] = 0
tiles = N // BLOCK
kinds, which, at = [], np.zeros((tiles, tiles), np.int32), np.zeros((2, tiles, tiles), np.int32)
used = np.zeros((tiles, tiles), np.int32)
kind, place = 0, (tiles - 1, tiles - 1)
for i in reversed(range(tiles)):
    for j in reversed(range(tiles)):
        tile = mask[i * BLOCK : (i + 1) * BLOCK, j * BLOCK : (j + 1) * BLOCK]
        if tile.any():
            same = [number for number, other in enumerate(kinds) if (other == tile).all()]
            kind, place = (same[0] if same else len(kinds)), (i, j)
            if not same:
                kinds.append(tile)
            used[i, j] = 1
        which[i, j] = kind
        at[:, i, j] = place


def masked_product(used_ref, which_ref, rows_ref, columns_ref, x_ref, y_ref, mask_ref, o_ref, acc_ref):
    i, j, k = (pl.program_id(axis) for axis in range(3))

    @pl.when(k == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)
        acc_ref[...] = jnp.zeros_like(acc_ref)

    @pl.when(used_ref[i, j] != 0)
    def _():
        acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

        @pl.when(k == pl.num_programs(2) - 1)
        def _():
            o_ref[...] = (mask_ref[0] * acc_ref[...]).astype(o_ref.dtype)


a = jnp.array(rng.randint(-4, 5, size=(N, N)), jnp.bfloat16)
b = jnp.array(rng.randint(-4, 5, size=(N, N)), jnp.bfloat16)
for interpret in (True, DEVICE):
    product = pl.pallas_call(
        masked_product,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=4,
            grid=(tiles, tiles, N // 32),
            in_specs=[
                pl.BlockSpec((BLOCK, 32), lambda i, j, k, used, which, rows, columns: (rows[i, j], (used[i, j] != 0) * k)),
                pl.BlockSpec((32, BLOCK), lambda i, j, k, used, which, rows, columns: ((used[i, j] != 0) * k, columns[i, j])),
                pl.BlockSpec((1, BLOCK, BLOCK), lambda i, j, k, used, which, *_: (which[i, j], 0, 0)),
            ],
            out_specs=pl.BlockSpec((BLOCK, BLOCK), lambda i, j, k, *_: (i, j)),
            scratch_shapes=[pltpu.VMEM((BLOCK, BLOCK), jnp.float32)],
        ),
        out_shape=jax.ShapeDtypeStruct((N, N), jnp.bfloat16),
        interpret=interpret,
    )(used, which, at[0], at[1], a, b, jnp.array(np.stack(kinds)))
    expected = mask * (a.astype(jnp.float32) @ b.astype(jnp.float32))
    print(product[::BLOCK, ::BLOCK].astype(jnp.float32), bool((product == expected.astype(jnp.bfloat16)).all()))
