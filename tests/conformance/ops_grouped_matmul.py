"""A grouped product: rows in groups of uneven sizes, tiles found by prefetched scalars, as many programs as the groups
need. The extent of the grid is computed while the program runs."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def plan(sizes, tile, tiles):
    """Which group and which tile of rows every program works on, and how many programs there are."""
    ends = jnp.cumsum(sizes)
    starts = ends - sizes
    count = jnp.where(sizes > 0, (ends + tile - 1) // tile - starts // tile, 0)
    groups = jnp.repeat(jnp.arange(sizes.size), count, total_repeat_length=tiles + sizes.size - 1)
    first = jnp.cumsum(count) - count
    number = jnp.arange(groups.size) - first[groups]
    return starts, ends, groups, starts[groups] // tile + number, count.sum()


def kernel(starts, ends, groups, rows, x_ref, w_ref, o_ref, sum_ref, *, tile):
    program, step = pl.program_id(0), pl.program_id(1)

    @pl.when(step == 0)
    def _():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    sum_ref[...] += jnp.dot(x_ref[...], w_ref[...], preferred_element_type=jnp.float32)

    @pl.when(step == pl.num_programs(1) - 1)
    def _():
        group = groups[program]
        row = rows[program] * tile + jax.lax.broadcasted_iota(jnp.int32, sum_ref.shape, 0)
        mine = (row >= starts[group]) & (row < ends[group])
        o_ref[...] = jnp.where(mine, sum_ref[...], o_ref[...])


@functools.partial(jax.jit, static_argnames=("tile", "depth"))
def grouped(x, w, sizes, *, tile=8, depth=4):
    (m, k), n = x.shape, w.shape[2]
    *metadata, programs = plan(sizes, tile, m // tile)
    return pl.pallas_call(
        functools.partial(kernel, tile=tile),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=4,
            grid=(programs, k // depth),
            in_specs=[
                pl.BlockSpec((tile, depth), lambda i, j, starts, ends, groups, rows: (rows[i], j)),
                pl.BlockSpec((None, depth, n), lambda i, j, starts, ends, groups, rows: (groups[i], j, 0)),
            ],
            out_specs=pl.BlockSpec((tile, n), lambda i, j, starts, ends, groups, rows: (rows[i], 0)),
            scratch_shapes=[pltpu.VMEM((tile, n), jnp.float32)],
        ),
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
        interpret=True,
    )(*metadata, x, w)


def plain(x, w, sizes):
    group = jnp.repeat(jnp.arange(sizes.size), sizes, total_repeat_length=x.shape[0])
    return jnp.einsum("mk,mkn->mn", x, w[group])


x = jnp.sin(jnp.arange(32 * 8) * 0.37).reshape(32, 8)
w = jnp.sin(jnp.arange(4 * 8 * 6) * 0.91).reshape(4, 8, 6)
for sizes in ([8, 8, 8, 8], [3, 13, 0, 16], [0, 0, 32, 0], [1, 2, 3, 26]):
    sizes = jnp.array(sizes, dtype=jnp.int32)
    starts, ends, groups, rows, programs = plan(sizes, 8, 4)
    print(groups, rows, programs)
    out = grouped(x, w, sizes)
    print(*(f"{float(v):.4f}" for v in out.reshape(-1)[::29]), bool(jnp.allclose(out, plain(x, w, sizes), atol=1e-5)))


# An extent of its own in an ordinary kernel: known at once where nothing is traced.
def count_kernel(o_ref):
    o_ref[pl.program_id(0)] = pl.program_id(0) + pl.num_programs(0)


def count(n):
    return pl.pallas_call(
        count_kernel, grid=(n,), out_shape=jax.ShapeDtypeStruct((5,), jnp.int32), interpret=True
    )()


def doubled(x_ref, o_ref):
    o_ref[...] = x_ref[...] * pl.num_programs(0)


print(count(5))
print(jax.jit(count)(5))
both = jax.vmap(
    lambda n, x: pl.pallas_call(
        doubled,
        grid=(n,),
        in_specs=[pl.BlockSpec((2,), lambda i: (0,))],
        out_specs=pl.BlockSpec((2,), lambda i: (0,)),
        out_shape=jax.ShapeDtypeStruct((2,), jnp.int32),
        interpret=True,
    )(x),
    in_axes=(None, 0),
)
print(jax.jit(both)(3, jnp.arange(6).reshape(3, 2)))
