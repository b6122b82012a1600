"""Loops over the work of a grid, orders to visit it in, and single warps."""
import dataclasses
import math

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu import core, primitives
from jax.experimental import pallas as pl


@dataclasses.dataclass(frozen=True, eq=False)
class NDLoopInfo:
    """Where a loop is: indices of the grid, the number of the step, how many there are."""

    index: tuple
    local_index: object
    num_local_steps: object


def nd_loop(grid, *, collective_axes, tiling=None, init_carry=None):
    worker = lax.axis_index(collective_axes)
    workers = lax.axis_size(collective_axes)
    extents = tuple(grid)
    if tiling:
        if len(grid) != len(tiling):
            raise ValueError(f"{tiling=} and {grid=} must have same length.")
        if any(isinstance(dim, int) and dim % tile != 0 for dim, tile in zip(grid, tiling)):
            raise ValueError(f"Tiling {tiling} does not divide grid {grid}.")
        extents = (*(dim // tile for dim, tile in zip(grid, tiling)), *tiling)
    total = 1
    for extent in extents:
        total = total * extent
    total = jnp.asarray(total, worker.dtype)
    # Steps are dealt out in turn: those with the first numbers may get one more.
    rest = lax.convert_element_type(worker < total % workers, worker.dtype)
    steps = lax.div(total, jnp.asarray(workers, worker.dtype)) + rest

    def index_of(number):
        digits = []
        for extent in reversed(extents):
            extent = jnp.asarray(extent, number.dtype)
            digits.insert(0, lax.rem(number, extent))
            number = lax.div(number, extent)
        if tiling:
            tiles, inside = digits[: len(tiling)], digits[len(tiling) :]
            digits = [within + tile * size for within, tile, size in zip(inside, tiles, tiling)]
        return tuple(digits)

    def decorator(body):
        def step(turn, carry):
            info = NDLoopInfo(index=index_of(turn * workers + worker), local_index=turn, num_local_steps=steps)
            if init_carry is None:
                body(info)
                return None
            return body(info, carry=carry)

        return lax.fori_loop(0, steps, step, init_carry)

    return decorator


def find_swizzle(minor_dim_bits, what=""):
    for swizzle in (128, 64, 32, 16):
        if minor_dim_bits % (swizzle * 8) == 0:
            return swizzle
    what = " for " + what if what else ""
    raise ValueError(
        f"No valid out swizzle{what}: minor dimension has {minor_dim_bits} bits, which is not a multiple of 128 (16 bytes)"
    )


def planar_snake(lin_idx, shape, minor_dim, tile_width):
    width = jnp.int32(tile_width)
    major_size, minor_size = jnp.int32(shape[1 - minor_dim]), jnp.int32(shape[minor_dim])
    band = lax.div(lin_idx, width * major_size)

    def place(number, width):
        minor = band * jnp.int32(tile_width) + lax.rem(number, width)
        major = lax.rem(lax.div(number, width), major_size)
        # Every other band is gone through from its end.
        major = lax.select(lax.rem(band, jnp.int32(2)) == 0, major, major_size - 1 - major)
        return (minor, major) if minor_dim == 0 else (major, minor)

    whole = minor_size // width * width
    before = whole * major_size
    inside = place(lin_idx, width)
    behind = place(lin_idx - before, minor_size - whole)
    return jax.tree.map(lambda one, other: lax.select(lin_idx < before, one, other), inside, behind)


def dynamic_scheduling_loop(grid_names, thread_axis=None, cluster_axes=(), init_carry=None):
    slots = 2
    threads = 1 if thread_axis is None else lax.axis_size(thread_axis)

    def decorator(body):
        def run(answers, answered, used):
            def more(state):
                return state[1]

            def turn(state):
                index, _, step, carry = state
                slot = lax.rem(step, jnp.int32(slots))

                @pl.when(step >= slots)
                def _():
                    primitives.barrier_wait(used.at[slot])

                primitives.try_cluster_cancel(answers.at[slot], answered.at[slot])
                info = NDLoopInfo(index=index, local_index=step, num_local_steps=None)
                if init_carry is None:
                    body(info)
                else:
                    carry = body(info, carry=carry)
                primitives.barrier_wait(answered.at[slot])
                index, found = primitives.query_cluster_cancel(answers.at[slot], grid_names=grid_names)
                primitives.barrier_arrive(used.at[slot])
                return index, found, step + jnp.int32(1), carry

            first = tuple(lax.axis_index(name) for name in grid_names)
            _, _, steps, carry = lax.while_loop(more, turn, (first, True, jnp.int32(0), init_carry))

            @pl.loop(jnp.int32(0), lax.min(steps, jnp.int32(slots)))
            def _(slot):
                primitives.barrier_wait(used.at[slot])

            return None if init_carry is None else carry

        if cluster_axes:
            used = core.ClusterBarrier(collective_axes=cluster_axes, num_arrivals=threads, num_barriers=slots)
        else:
            used = core.Barrier(num_arrivals=threads, num_barriers=slots)
        return pl.run_scoped(
            run,
            core.TryClusterCancelResult(slots),
            core.Barrier(num_arrivals=threads, num_barriers=slots),
            used,
            collective_axes=thread_axis,
        )

    return decorator


_warp_maps = 0


def warp_map(f, /):
    global _warp_maps
    _warp_maps += 1
    name = f"warp{_warp_maps}"
    return pl.core_map(core.WarpMesh(axis_name=name))(lambda: f(lax.axis_index(name)))


def format_tcgen05_sparse_metadata(meta, operand_dtype):
    if meta.dtype != jnp.uint2:
        raise ValueError(f"Expected metadata dtype to be uint2, got: {meta.dtype}")
    if meta.ndim != 3:
        raise ValueError(f"Expected metadata to be 3-dimensional (M, K // 4, 2), but it is {meta.ndim}D")
    m, k, pair = meta.shape
    if pair != 2:
        raise ValueError(f"Expected the trailing dimension of the metadata to be 2, got: {pair}")
    k *= 2
    bits = jnp.dtype(operand_dtype).itemsize * 8
    if bits == 8:
        tiled = meta.reshape(m // 128, 128, k // 64, 64).transpose(0, 2, 1, 3)
    elif bits == 16:
        tiled = meta.reshape(m // 128, 8, 2, 8, k // 64, 4, 2, 8).transpose(0, 4, 1, 6, 3, 5, 2, 7)
    else:
        raise NotImplementedError(f"Sparse metadata format not implemented for {operand_dtype=}")
    return tiled.reshape(m // 128, k // 64, 128, 64)
